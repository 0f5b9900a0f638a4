// The report of a run as one page for a browser, without other files.
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
  double view_bytes = 24e6;  // of poses before compression: limits the number of frames in the 3-D view
  std::int64_t version = 0;  // positive: the page is served, and requests newer data
};

/// All data of a page, as JSON without any "<". Throws ReadError.
std::string report_data(
    const RunFolder& folder, const TrajectoryReader& reader, const StepRows& steps,
    const ReportOptions& options, const FramesDone& done = [](std::size_t, std::size_t) {});

/// page_around() report_data(): HTML with all data: description of the run, bodies in 3-D over time,
/// diagrams. It contains no network address, except those in the scene file itself. Reads trajectory.h5, and
/// steps.csv and summary.json if they exist; there must be a frame. `done` is called with the number of
/// finished frames and of all frames. Throws ReadError.
std::string report_page(
    const RunFolder& folder, const TrajectoryReader& reader, const ReportOptions& options,
    const FramesDone& done = [](std::size_t, std::size_t) {});

/// The HTML page with report_data().
std::string page_around(const std::string& data, const std::string& scene);

/// Two such pages side by side on one, at the same simulated time.
std::string beside_page(const std::string& left, const std::string& right, const std::string& title);

}  // namespace scree::io
