// Numbers of bodies, by name, out of a trajectory: what pictures are coloured by and tables hold.
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
      {};  // names of the values 0, 1, ...; empty of numbers that have an order
  /// "speed, m/s"
  std::string title() const;
};

/// What is told of a quantity of walls' cells.
RecordedField field_of(const WallQuantity& quantity);

/// Those that follow from any trajectory, then the run's extra fields.
std::vector<RecordedField> recorded_fields(const RecordedRun& run);

/// The field of this name, or null.
const RecordedField* find_field(const std::vector<RecordedField>& fields, const std::string& name);

/// [body] of the spheres of the same volume, m, and their mean, 1 if there are none: of all bodies that were
/// ever in the run.
std::vector<double> radii(const RecordedRun& run);
double mean_radius(const RecordedRun& run);

/// The contacts of a frame that carry an impulse, as mean forces over the time in which impulses acted.
std::vector<ContactForce> contact_forces(const FrameContacts& contacts, double impulse_time_s);

/// [body] at frame k; `name` must be one of recorded_fields(). Throws ReadError. `contacts` is 0 everywhere
/// in a frame that was written without contacts.
std::vector<float> field_values(const TrajectoryReader& reader, std::size_t k, const std::string& name);

}  // namespace scree::io
