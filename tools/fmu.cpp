#include "tools/fmu.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <spdlog/spdlog.h>

#include "io/files/file_errors.h"
#include "io/fmu/description.h"
#include "io/fmu/package.h"
#include "io/scene/read_scene.h"
#include "tools/check.h"
#include "tools/exit_codes.h"
#include "tools/output_files.h"
#include "tools/progress.h"

namespace scree {

namespace {

namespace fs = std::filesystem;

struct FmuOptions {
  fs::path scene, output;
  bool overwrite = false;
};

/// Beside the program in a build, or as installed.
fs::path fmu_library() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place :
       {folder / "libscree_fmu.so", folder / ".." / SCREE_LIBDIR / "scree/libscree_fmu.so"}) {
    if (fs::is_regular_file(place, error)) return place;
  }
  throw io::ReadError(fmt::format(
      "libscree_fmu.so, which belongs to this program, is missing: it is neither beside {} "
      "nor in {}",
      (folder / "scree").string(), (folder / ".." / SCREE_LIBDIR / "scree").lexically_normal().string()));
}

std::string summary(const io::Scene& scene, const std::vector<io::Variable>& variables,
                    const fs::path& output) {
  const auto count = [&](io::Variable::Causality causality) {
    return std::ranges::count(variables, causality, &io::Variable::causality);
  };
  const std::string steps = io::steps_land(scene.model.settings)
                                ? std::string("any")
                                : fmt::format("whole multiples of {} s", scene.model.settings.time_step_s);
  return fmt::format("{}: {}, {}; communication steps: {}\n", output.string(),
                     plural(count(io::Variable::Causality::input), "input"),
                     plural(count(io::Variable::Causality::output), "output"), steps);
}

int fmu(const FmuOptions& options) {
  const io::Scene scene = io::read_scene(options.scene, {}, bodies_with_room(false, infinity));
  for (const Fault& warning : scene.warnings) spdlog::warn("{}", to_string(warning));
  const fs::path output =
      options.output.empty() ? fs::path(io::model_identifier(scene.name) + ".fmu") : options.output;
  std::vector<fs::path> inputs{scene.file};
  for (const io::InputFile& input : scene.inputs) inputs.push_back(input.path);
  expect_writable(output, {inputs, options.overwrite});
  const std::vector<io::Variable> variables = io::variables_of(scene);
  io::write_fmu(scene, variables, fmu_library(), output);
  show(summary(scene, variables, output));
  return exit_ok;
}

}  // namespace

void add_fmu(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<FmuOptions>();
  CLI::App* command =
      app.add_subcommand("fmu", "Write a scene as a Functional Mock-up Unit (FMI 2.0, co-simulation)");
  command->add_option("scene", options->scene, "Scene file")->required()->type_name("SCENE.toml");
  command
      ->add_option("-o,--output", options->output, "File of the unit (default: the scene's name with .fmu)")
      ->type_name("FILE.fmu");
  add_overwrite(*command, options->overwrite);
  command->callback([options, &action] { action = [options] { return fmu(*options); }; });
}

}  // namespace scree
