// A small made-up run, and a temporary folder.
#pragma once

#include <filesystem>
#include <string>

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/step.h"
#include "io/scene/scene.h"

namespace scree::test {

/// An empty folder, removed with its content at the end.
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

/// `bodies` triaxial ellipsoids with random poses and velocities over the floor of a box with an open top,
/// and a tube. Two materials, one override, 10 ms between frames, 1 ms steps.
io::Scene example_scene(int bodies);

/// Results of a step, as the engine would return them.
struct ExampleStep {
  State state;
  StepResult result;
};

/// Step `number` of the example: bodies have moved along their velocities; contacts chain body i to i + 1 and
/// body 0 to boundary 0; every second contact carries an impulse.
ExampleStep example_step(const io::Scene& scene, std::int64_t number);

/// A run of forty steps with a frame every ten, in which bodies come and go: the bodies present at a step, by
/// id. Ids have gaps, slots are in no order, and 3 comes back. `place_of` and `length_of` distinguish the
/// bodies: the position, and the two longer semi-axes; the shorter one is half of them.
std::vector<BodyId> present(std::int64_t step);
Vec3 place_of(BodyId id, std::int64_t step);
double length_of(BodyId id);
void record_coming_and_going(const std::filesystem::path& folder);

/// A run of 0.2 s, with three balls in a row along y that touch each other and the image of the first, in a
/// periodic cube of 30 mm with a stress of 1000 Pa along y: each contact carries 0.9 N. They move along x,
/// through the seam.
void record_row_in_a_cell(const std::filesystem::path& folder);

std::string read_text(const std::filesystem::path& path);

}  // namespace scree::test
