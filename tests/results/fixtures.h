// A small made-up run, and a folder that goes away.
#pragma once

#include <filesystem>
#include <string>

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"
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
  Workspace workspace;
  StepReport report;
};

/// Step `number` of the example: bodies have moved along their velocities; contacts chain body i to i + 1 and
/// body 0 to boundary 0; every second contact carries an impulse.
ExampleStep example_step(const io::Scene& scene, std::int64_t number);

std::string read_text(const std::filesystem::path& path);

}  // namespace scree::test
