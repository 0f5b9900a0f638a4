// Named numbers of bodies from a trajectory, for colours of images and for tables.
#pragma once

#include <string>
#include <vector>

#include "engine/modules/fields/coarse_graining.h"
#include "io/results/trajectory_reader.h"

namespace scree::io {

struct RecordedField {
  std::string name;
  std::string unit;  // "1" if dimensionless
  std::string meaning;
  std::vector<std::string> categories =
      {};  // names of the values 0, 1, ...; empty for numbers that have an order
  /// "speed, m/s"
  std::string title() const;
};

/// The description of a quantity of wall cells.
RecordedField field_of(const WallQuantity& quantity);

/// Fields of all trajectories, then the run's extra fields.
std::vector<RecordedField> recorded_fields(const RecordedRun& run);

/// The last frame up to k whose contacts were recorded (output.contacts_interval); k if there is none.
std::size_t frame_of_contacts(const TrajectoryReader& reader, std::size_t k);

/// The field of this name, or null.
const RecordedField* find_field(const std::vector<RecordedField>& fields, const std::string& name);

/// [body] the first of its rows in the run's bodies: one that changes its material has several.
std::vector<std::size_t> rows_of_bodies(const RecordedRun& run);
/// [body] radius of the sphere of the same volume, m, and the mean radius, 1 if there are no bodies: for all
/// bodies that were ever in the run.
std::vector<double> radii(const RecordedRun& run);
double mean_radius(const RecordedRun& run);

/// The contacts of a frame with an impulse, as mean forces over the time in which impulses acted.
std::vector<ContactForce> contact_forces(const FrameContacts& contacts, double impulse_time_s);

/// [body] at frame k; `name` must be one of recorded_fields(). Throws ReadError. `contacts` is 0 for all
/// bodies in a frame without contacts.
std::vector<float> field_values(const TrajectoryReader& reader, std::size_t k, const std::string& name);

}  // namespace scree::io
