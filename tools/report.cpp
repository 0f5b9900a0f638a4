#include "tools/report.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>

#include "engine/core/state_hash.h"
#include "tools/command_line.h"
#include "tools/progress.h"

namespace scree {

namespace {

void add_line(std::string& text, std::string_view name, const std::string& value) {
  text += fmt::format("  {:<24} {}\n", name, value);
}

void add_stage(std::string& text, std::string_view name, double stage_s, const io::Summary& s) {
  const double total = s.stage_time.total();
  const double per_step = s.steps > 0 ? 1e3 * stage_s / static_cast<double>(s.steps) : 0.0;
  const double share = total > 0.0 ? 100.0 * stage_s / total : 0.0;
  text += fmt::format("  {:<24} {:>10.3f} ms/step {:>6.1f} %\n", name, per_step, share);
}

std::string bodies_line(const io::Summary& s) {
  std::string text = fmt::format("{} ({} lost", s.bodies, s.lost_bodies);
  if (s.sleeps) text += fmt::format(", {} asleep", s.last.asleep);
  return text + fmt::format("), {} contacts, {} active", s.last.contacts, s.last.active_contacts);
}

std::string opening_line(const io::OpeningTotal& o) {
  std::string passed = fmt::format("{} bodies, {:.6g} kg {}", o.throughput.bodies, o.throughput.mass,
                                   o.is_inlet ? "entered" : "left");
  if (o.throughput.waited > 0) passed += fmt::format("; no room in {} steps", o.throughput.waited);
  return passed;
}

std::string stages(const io::Summary& s) {
  std::string text = "stages\n";
  add_stage(text, "preparation", s.stage_time.preparation, s);
  add_stage(text, "detection", s.stage_time.detection, s);
  add_stage(text, "resolution", s.stage_time.resolution, s);
  add_stage(text, "finish", s.stage_time.finish, s);
  add_stage(text, "all", s.stage_time.total(), s);
  text += fmt::format("  {:<24} {:>10.3f} ms/step (last sixth of the run)\n", "median",
                      1e3 * s.median_step_time_s);
  return text;
}

std::string at_the_end(const io::Summary& s) {
  std::string text = "last step\n";
  add_line(
      text, "contacts",
      fmt::format("{} ({} active, {} touching)", s.last.contacts, s.last.active_contacts, s.last.touching));
  add_line(text, "residual", fmt::format("{:.2e} of gravity x time step", s.last.residual_rms_relative));
  add_line(text, "contact searches", fmt::format("{} failed in the run", s.narrow_phase_failures));
  if (s.steps_given > 0)
    add_line(text, "gave way",
             fmt::format("{} steps, by {:.2g} % of the velocity that contacts had to change (mean of the "
                         "run); largest {:.2g} %",
                         s.steps_given, 100.0 * s.given_mean, 100.0 * s.given_max));
  add_line(text, "momentum error",
           fmt::format("{:.2e} linear, {:.2e} angular, relative to all impulses", s.momentum_created_relative,
                       s.angular_momentum_created_relative));
  return text;
}

std::string energies(const io::Summary& s) {
  std::string text = "energy, J\n";
  const EnergyLedger& e = s.energy;
  const auto add = [&](std::string_view name, double joule) {
    text += fmt::format("  {:<24} {:>14.6g}\n", name, joule);
  };
  add("kinetic, start", s.kinetic_initial_J);
  add("kinetic, end", e.kinetic);
  add("potential, start", s.potential_initial_J);
  add("potential, end", e.potential);
  add("lost to friction", e.dissipated_by_friction);
  add("lost to impacts", e.dissipated_by_impact);
  if (s.sleeps) add("lost to sleep", e.dissipated_by_sleep);
  add("position correction", e.position_correction);
  add("work of boundaries", e.boundary_work);
  if (e.force_work != 0.0) add("work of other forces", e.force_work);
  if (e.joint_work != 0.0) add("work of bonds and joints", e.joint_work);
  if (e.elastic != 0.0) add("elastic, in springs", e.elastic);
  if (!s.openings.empty()) add("entered minus left", e.exchanged);
  add("remainder", e.remainder);
  return text;
}

std::string ranks_line(const std::vector<io::RankUse>& ranks) {
  double bytes = 0.0, exchanges = 0.0, least = infinity, most = 0.0;
  std::int64_t fewest = ranks[0].bodies, largest = 0;
  for (const io::RankUse& r : ranks) {
    bytes += static_cast<double>(r.traffic.swap_bytes);
    exchanges += static_cast<double>(r.traffic.swaps);
    const double share = (r.traffic.swap_s + r.traffic.others_s) / std::max(r.wall_s, 1e-9);
    least = std::min(least, share);
    most = std::max(most, share);
    fewest = std::min(fewest, r.bodies);
    largest = std::max(largest, r.bodies);
  }
  return fmt::format(
      "{} of {}: {} to {} bodies; {:.3g} kB per sweep and rank; messages and waiting take {:.0f} to {:.0f} % "
      "of "
      "the time",
      ranks.size(), plural(ranks[0].threads, "thread"), fewest, largest,
      1e-3 * bytes / std::max(1.0, exchanges), 100.0 * least, 100.0 * most);
}

std::string motor_line(const io::MotorUse& use, const io::Summary& s) {
  return fmt::format("'{}' gave all of its {:g} {} in {:.3g} % of the steps, from {:.4g} s to {:.4g} s",
                     use.joint, use.most, use.turns ? "N m" : "N",
                     100.0 * static_cast<double>(use.steps_at_limit) / static_cast<double>(s.steps),
                     use.first.time_s, use.last.time_s);
}

/// In the order of their times; those that did not happen come last.
std::string events(std::vector<io::EventSummary> list) {
  std::ranges::stable_sort(list, {},
                           [](const io::EventSummary& e) { return e.count == 0 ? infinity : e.last.time_s; });
  std::string text;
  for (const io::EventSummary& e : list) {
    if (e.count == 0)
      text += fmt::format("  {} did not happen\n", e.name);
    else
      text += fmt::format("  {:.6g} s  {}{}\n", e.last.time_s, e.text,
                          e.count > 1 ? fmt::format(" ({} times)", e.count) : "");
  }
  return text;
}

std::string in_colour(io::Grade grade, bool coloured) {
  if (!coloured) return to_string(grade);
  const int colour = grade == io::Grade::green ? 32 : grade == io::Grade::amber ? 33 : 31;
  return fmt::format("\x1b[1;{}m{}\x1b[0m", colour, to_string(grade));
}

}  // namespace

std::string headline_text(const io::Summary& s) {
  return fmt::format(
      "\n{} {}: {} steps, {:.6g} s simulated in {} ({:.3g} x real time)\n", s.scene, io::to_string(s.status),
      s.steps, s.simulated_time_s,
      s.wall_time_s < 60.0 ? fmt::format("{:.3g} s", s.wall_time_s) : duration_text(s.wall_time_s),
      s.real_time_factor());
}

std::string report_text(const io::Summary& s, bool details) {
  std::string text = "\n";
  add_line(text, "bodies", bodies_line(s));
  for (const io::OpeningTotal& o : s.openings) add_line(text, o.name, opening_line(o));
  const double share = s.stage_time.total() > 0.0 ? 100.0 / s.stage_time.total() : 0.0;
  add_line(text, "time",
           fmt::format("{:.3g} ms a step: detection {:.0f} %, resolution {:.0f} %; {:.3g} s for {} frames",
                       s.steps > 0 ? 1e3 * s.stage_time.total() / static_cast<double>(s.steps) : 0.0,
                       share * s.stage_time.detection, share * s.stage_time.resolution, s.recording_time_s,
                       s.frames));
  add_line(
      text, "overlap",
      fmt::format("mean {:.3g} %, largest {:.3g} % of the smallest semi-axis; largest of the run {:.3g} %",
                  100.0 * s.last.penetration_mean, 100.0 * s.last.penetration_max,
                  100.0 * s.penetration_max_of_run));
  if (s.compression.value > 0.0)
    add_line(text, "compression",
             fmt::format(
                 "elastic contacts: largest {:.3g} % of the smallest semi-axis; largest of the run {:.3g} %",
                 100.0 * s.last.compression_max, 100.0 * s.compression.value));
  add_line(text, "residual",
           fmt::format("mean {:.2e}, largest {:.2e} of gravity x time step; {} steps not converged",
                       s.residual_rms_relative_mean, s.residual_rms_relative_max, s.steps_not_converged));
  add_line(
      text, "balances",
      fmt::format("energy: {:.2e} created by contacts, {:.2e} unexplained; momentum: {:.2e} of all impulses",
                  s.energy_created_relative, s.energy_unexplained_relative, s.momentum_created_relative));
  for (const io::MotorUse& use : s.motors)
    if (use.steps_at_limit > 0) add_line(text, "motor", motor_line(use, s));
  if (!s.ranks.empty()) add_line(text, "ranks", ranks_line(s.ranks));
  add_line(text, "state hash", hash_text(s.state_hash));
  if (!s.ended_by.empty()) add_line(text, "ended by", s.ended_by);
  if (!s.events.empty()) text += "\nevents\n" + events(s.events);
  if (details) text += "\n" + stages(s) + "\n" + at_the_end(s) + "\n" + energies(s);
  return text;
}

std::string next_text(const io::RunFolder& folder, const io::OutputSettings& output) {
  std::string text = fmt::format("\nresults in {}\n", folder.path.string());
  if (!output.hdf5) return text;
  const std::string path = shell_word(folder.path.string());
  text += fmt::format("  scree report {:<28} one page: the bodies in 3-D, diagrams, the scene\n", path);
  text += fmt::format("  scree render {:<28} a film, without a display\n", path + " -o film.mp4");
  text += fmt::format("  scree paraview {:<26} the run in ParaView{}\n", path,
                      std::filesystem::exists(folder.view_script()) ? ", set up by its view.py" : "");
  return text;
}

std::string verdict_text(const io::Verdict& verdict, bool coloured) {
  std::string text =
      fmt::format("verdict: {}, {}\n", in_colour(verdict.grade, coloured), io::meaning(verdict.grade));
  std::vector<std::string> told;  // several findings may have the same advice
  for (const io::Finding& finding : verdict.findings) {
    if (finding.grade == io::Grade::green) continue;
    text += fmt::format("  {}: {}\n", in_colour(finding.grade, coloured), finding.text);
    if (std::ranges::find(told, finding.advice) != told.end()) continue;
    text += fmt::format("    -> {}\n", finding.advice);
    told.push_back(finding.advice);
  }
  return text;
}

bool takes_colours(std::FILE* stream) {
  const char* const terminal = std::getenv("TERM");
  const char* const unwanted = std::getenv("NO_COLOR");  // no-color.org
  return isatty(fileno(stream)) != 0 && terminal && std::strcmp(terminal, "dumb") != 0 &&
         (!unwanted || *unwanted == '\0');
}

}  // namespace scree
