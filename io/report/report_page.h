// A run on one page that needs nothing but a browser.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "io/results/step_rows.h"
#include "io/results/run_folder.h"
#include "io/results/trajectory_reader.h"

namespace scree::io {

using FramesDone = std::function<void(std::size_t done, std::size_t of)>;

struct ReportOptions {
  double view_bytes = 24e6;  // of poses before compression: decides how many frames the 3-D view has
  std::int64_t version = 0;  // positive: the page is served, and asks for newer data
};

/// All that a page shows, as JSON without any "<". Throws ReadError.
std::string report_data(
    const RunFolder& folder, const TrajectoryReader& reader, const StepRows& steps,
    const ReportOptions& options, const FramesDone& done = [](std::size_t, std::size_t) {});

/// page_around() report_data(): HTML with everything inside: what was run, bodies in 3-D over time, diagrams.
/// It holds no network address, except those that the scene file itself may hold. Reads trajectory.h5, and
/// steps.csv and summary.json where they are; there must be a frame. `done` is told how many frames of how
/// many are done. Throws ReadError.
std::string report_page(
    const RunFolder& folder, const TrajectoryReader& reader, const ReportOptions& options,
    const FramesDone& done = [](std::size_t, std::size_t) {});

/// The page around report_data().
std::string page_around(const std::string& data, const std::string& scene);

/// Two such pages side by side on one, which show the same moment.
std::string beside_page(const std::string& left, const std::string& right, const std::string& title);

}  // namespace scree::io
