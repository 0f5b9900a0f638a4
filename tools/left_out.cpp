// Commands whose parts this build leaves out: they print what to do about it.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "tools/exit_codes.h"
#include "tools/fmu.h"
#include "tools/mesh/draw.h"
#include "tools/model.h"
#include "tools/render.h"
#include "tools/report_page.h"
#include "tools/shape/draw.h"
#include "tools/watch.h"

namespace scree {

namespace {

struct LeftOut {
  const char *command, *title, *options, *packages;
};

[[maybe_unused]] void add_left_out(CLI::App& app, std::function<int()>& action, const LeftOut& part) {
  CLI::App* command = app.add_subcommand(part.command, fmt::format("{} (not in this build)", part.title));
  command->prefix_command();  // takes all further words, which have no effect
  command->callback([&action, part] {
    action = [part] {
      spdlog::error("this program has no `scree {}`: configure with {}, which needs the Debian packages {}",
                    part.command, part.options, part.packages);
      return exit_left_out;
    };
  });
}

}  // namespace

#ifndef SCREE_RENDER
void add_render(CLI::App& app, std::function<int()>& action) {
  add_left_out(app, action,
               {"render", "Draw pictures and films of a run", "-DSCREE_RENDER=ON",
                "libembree-dev, libcairo2-dev and fonts-dejavu-core"});
}

namespace {
int no_pictures() {
  spdlog::error(
      "this program was built without pictures: configure with -DSCREE_RENDER=ON, which needs the Debian "
      "packages "
      "libembree-dev, libcairo2-dev and fonts-dejavu-core");
  return exit_left_out;
}
}  // namespace

int draw_shape(const Shapes&, ShapeIndex, const TriangleMesh*, const std::filesystem::path&) {
  return no_pictures();
}
int draw_mesh(const TriangleMesh&, const MeshDiagnosis&, const std::filesystem::path&) {
  return no_pictures();
}
#endif

#ifndef SCREE_MODELS
void add_model(CLI::App& app, std::function<int()>& action) {
  add_left_out(app, action,
               {"model", "Simulate a model given by equations (a subset of Modelica)", "-DSCREE_MODELS=ON",
                "libginac-dev"});
}
#endif

#ifndef SCREE_FMU
void add_fmu(CLI::App& app, std::function<int()>& action) {
  add_left_out(app, action,
               {"fmu", "Write a scene as a Functional Mock-up Unit", "-DSCREE_FMU=ON", "libzip-dev"});
}
#endif

#ifndef SCREE_REPORT
namespace {

constexpr const char* report_options = "-DSCREE_RENDER=ON -DSCREE_REPORT=ON";
constexpr const char* report_packages = "libembree-dev, libcairo2-dev, fonts-dejavu-core and zlib1g-dev";

}  // namespace

void add_report(CLI::App& app, std::function<int()>& action) {
  add_left_out(app, action,
               {"report", "Write a page about a run, one HTML file", report_options, report_packages});
}

void add_watch(CLI::App& app, std::function<int()>& action) {
  add_left_out(app, action,
               {"watch", "Serve the page of a run while it is running", report_options, report_packages});
}
#endif

}  // namespace scree
