// A small made-up run, and a folder that goes away.
#pragma once

#include <filesystem>
#include <string>

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/step.h"
#include "io/scene/scene.h"

namespace scree::test {

/// An empty folder, removed with all it holds at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// `bodies` triaxial ellipsoids of random pose and velocity over the floor of a box that is open at the top,
/// with a tube. Two materials, one override, 10 ms between frames, 1 ms steps.
io::Scene example_scene(int bodies);

/// What a step of the engine would leave behind.
struct ExampleStep {
  State state;
  StepResult result;
};

/// Step `number` of the example: bodies have moved along their velocities; contacts chain body i to i + 1 and
/// body 0 to boundary 0; every second contact carries an impulse.
ExampleStep example_step(const io::Scene& scene, std::int64_t number);

/// A run of forty steps with a frame every ten, in which bodies come and go: those that are there at a step,
/// by id. Ids have holes, slots are in no order, and 3 comes back. `place_of` and `length_of` tell one from
/// another: its place, and the two longer semi-axes, the shorter one being half of it.
std::vector<BodyId> present(std::int64_t step);
Vec3 place_of(BodyId id, std::int64_t step);
double length_of(BodyId id);
void record_coming_and_going(const std::filesystem::path& folder);

/// A run of 0.2 s, of three balls in a row along y that touch each other and the image of the first, in a
/// periodic cube of 30 mm that holds 1000 Pa along y: each contact bears 0.9 N. They go along x, through the
/// seam.
void record_row_in_a_cell(const std::filesystem::path& folder);

std::string read_text(const std::filesystem::path& path);

}  // namespace scree::test
