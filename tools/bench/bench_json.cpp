// The JSON form of a benchmark, reading and writing.
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/core/state_hash.h"
#include "io/files/file_errors.h"
#include "io/files/input_file.h"
#include "tools/bench/bench_report.h"
#include "tools/bench/statistics.h"
#include "tools/bench/whole_run.h"

namespace scree {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "scree bench";
constexpr int format_version = 1;

Json spread_json(const std::vector<double>& samples) {
  const Spread s = spread(samples);
  return {{"min", s.min},       {"lower_quartile", s.lower_quartile},
          {"median", s.median}, {"upper_quartile", s.upper_quartile},
          {"max", s.max},       {"mad", s.mad},
          {"samples", samples}};
}

Json machine_json(const Machine& m) {
  return {{"cpu", m.cpu},
          {"cores", m.cores},
          {"threads", m.threads},
          {"caches", m.caches},
          {"memory_bytes", m.memory_bytes},
          {"system", m.system},
          {"load", m.load}};
}

Json build_json(const Build& b) {
  return {{"version", b.version}, {"commit", b.commit}, {"compiler", b.compiler}, {"flags", b.flags}};
}

Json preparation_json(const Preparation& p) {
  return {{"scene", p.scene},
          {"bodies", p.bodies},
          {"steps", p.steps},
          {"simulated_s", p.simulated_s},
          {"wall_s", p.wall_s},
          {"threads", p.threads},
          {"kinetic_energy_relative", p.kinetic_energy_relative},
          {"at_rest", p.at_rest},
          {"state_hash", hash_text(p.state_hash)}};
}

Json physics_json(const BenchPhysics& p) {
  return {{"contacts", p.contacts},
          {"active_contacts", p.active_contacts},
          {"candidates", p.candidates},
          {"sweeps", p.sweeps},
          {"sweeps_max", p.sweeps_max},
          {"asleep", p.asleep},
          {"residual_mean", p.residual_mean},
          {"residual_max", p.residual_max},
          {"penetration_mean", p.penetration_mean},
          {"penetration_max", p.penetration_max},
          {"energy_error_relative", p.energy_error_relative},
          {"kinetic_energy_per_body_J", p.kinetic_energy_per_body_J},
          {"steps_not_converged", p.steps_not_converged},
          {"narrow_phase_failures", p.narrow_phase_failures}};
}

Json stretches_json(const std::vector<RunStretch>& stretches) {
  Json json = Json::object();
  for (const StretchName& column : stretch_names) {
    json[column.name] = Json::array();
    for (const RunStretch& stretch : stretches) json[column.name].push_back(stretch.*column.value);
  }
  return json;
}

Json whole_run_json(const BenchCase& c) {
  if (!c.run) return nullptr;
  const WholeRun& r = *c.run;
  return {{"simulated_s", r.simulated_s},
          {"wall_time_s", spread_json(run_samples(c))},
          {"median_step_s", spread_json(r.median_step_s)},
          {"percentile_95_step_s", spread_json(r.slow_step_s)},
          {"worst_step_s", spread_json(r.worst_step_s)},
          {"worst_step_at_s", r.worst_step_at_s},
          {"residual_of_goal_mean", of_goal(c, c.physics.residual_mean)},
          {"residual_of_goal_max", of_goal(c, c.physics.residual_max)},
          {"share_not_converged", share_not_converged(c)},
          {"settled_energy_relative", settled_energy},
          {"settled_at_s", r.settled_at_s ? Json(*r.settled_at_s) : Json(nullptr)},
          {"settling_wall_s", r.settled_at_s ? spread_json(r.settling_s) : Json(nullptr)},
          {"penetration_at_end", r.penetration_at_end},
          {"energy_injected_J", r.energy_injected_J},
          {"energy_injected_relative", r.energy_injected_relative},
          {"energy_created_J", r.energy_created_J},
          {"stretches", stretches_json(r.stretches)}};
}

Json case_json(const BenchCase& c) {
  Json stages = Json::object();
  for (const StageName& stage : stage_names) stages[stage.name] = spread_json(stage_samples(c, stage.time));
  const Rates r = rates(c);
  return {{"scene", c.key.scene},
          {"bodies", c.key.bodies},
          {"threads", c.key.threads},
          {"solver", c.key.solver},
          {"residual_target", c.key.residual_target > 0.0 ? Json(c.key.residual_target) : Json(nullptr)},
          {"cold", c.key.cold},
          {"tolerance", c.tolerance},
          {"max_sweeps", c.max_sweeps},
          {"settings", c.settings},
          {"time_step_s", c.time_step_s},
          {"steps", c.steps},
          {"repeats", c.step_s.size()},
          {"step_time_s", spread_json(c.step_s)},
          {"cpu_time_s", spread_json(c.cpu_s)},
          {"stage_time_s", stages},
          {"body_steps_per_s", r.body_steps_per_s},
          {"contacts_per_s", r.contacts_per_s},
          {"simulated_per_wall", r.simulated_per_wall},
          {"physics", physics_json(c.physics)},
          {"whole_run", whole_run_json(c)},
          {"bytes_per_body", c.bytes_per_body},
          {"state_hash", hash_text(c.state_hash)},
          {"reproducible", c.reproducible}};
}

std::uint64_t hash_from(const Json& json) {
  const auto text = json.get<std::string>();
  std::uint64_t hash = 0;
  std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  return hash;
}

Machine read_machine(const Json& j) {
  return {
      j.at("cpu"),          j.at("cores"),  j.at("threads"), j.at("caches").get<std::vector<std::string>>(),
      j.at("memory_bytes"), j.at("system"), j.at("load")};
}

Preparation read_preparation(const Json& j) {
  return {j.at("scene"),
          j.at("bodies"),
          j.at("steps"),
          j.at("simulated_s"),
          j.at("wall_s"),
          j.at("threads"),
          j.at("kinetic_energy_relative"),
          j.at("at_rest"),
          hash_from(j.at("state_hash"))};
}

/// A number, or 0 for null, which JSON has for numbers that are not finite.
double number(const Json& j) { return j.is_null() ? 0.0 : j.get<double>(); }

BenchPhysics read_physics(const Json& j) {
  BenchPhysics p;
  p.contacts = number(j.at("contacts"));
  p.active_contacts = number(j.at("active_contacts"));
  p.candidates = number(j.at("candidates"));
  p.sweeps = number(j.at("sweeps"));
  p.sweeps_max = j.value("sweeps_max", 0);
  p.asleep = j.value("asleep", 0.0);  // not in older files
  p.residual_mean = number(j.at("residual_mean"));
  p.residual_max = number(j.at("residual_max"));
  p.penetration_mean = number(j.at("penetration_mean"));
  p.penetration_max = number(j.at("penetration_max"));
  p.energy_error_relative = number(j.at("energy_error_relative"));
  p.kinetic_energy_per_body_J = number(j.at("kinetic_energy_per_body_J"));
  p.steps_not_converged = j.at("steps_not_converged");
  p.narrow_phase_failures = j.at("narrow_phase_failures");
  return p;
}

std::vector<double> read_samples(const Json& spread) {
  return spread.at("samples").get<std::vector<double>>();
}

std::vector<RunStretch> read_stretches(const Json& j) {
  std::vector<RunStretch> stretches;
  for (const StretchName& column : stretch_names) {
    const Json& values = j.at(column.name);
    stretches.resize(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) stretches[k].*column.value = number(values[k]);
  }
  return stretches;
}

std::optional<WholeRun> read_whole_run(const Json& j) {
  if (j.is_null()) return std::nullopt;
  WholeRun r;
  r.simulated_s = j.at("simulated_s");
  r.median_step_s = read_samples(j.at("median_step_s"));
  r.slow_step_s = read_samples(j.at("percentile_95_step_s"));
  r.worst_step_s = read_samples(j.at("worst_step_s"));
  r.worst_step_at_s = j.at("worst_step_at_s");
  if (!j.at("settled_at_s").is_null()) {
    r.settled_at_s = j.at("settled_at_s").get<double>();
    r.settling_s = read_samples(j.at("settling_wall_s"));
  }
  r.penetration_at_end = number(j.at("penetration_at_end"));
  r.energy_injected_J = number(j.at("energy_injected_J"));
  r.energy_injected_relative = number(j.at("energy_injected_relative"));
  r.energy_created_J = number(j.at("energy_created_J"));
  r.stretches = read_stretches(j.at("stretches"));
  return r;
}

BenchCase read_case(const Json& j) {
  BenchCase c;
  c.key = {j.at("scene"), j.at("bodies"), j.at("threads"), j.at("solver"), number(j.at("residual_target")),
           j.at("cold"),  false};
  c.run = read_whole_run(j.value("whole_run", Json()));  // not in older files
  c.key.whole_run = c.run.has_value();
  c.tolerance = j.at("tolerance");
  c.max_sweeps = j.at("max_sweeps");
  c.settings = j.at("settings").get<std::vector<std::string>>();
  c.time_step_s = j.at("time_step_s");
  c.steps = j.at("steps");
  c.step_s = read_samples(j.at("step_time_s"));
  c.cpu_s = read_samples(j.at("cpu_time_s"));
  c.stages.resize(c.step_s.size());
  for (const StageName& stage : stage_names) {
    const std::vector<double> samples = read_samples(j.at("stage_time_s").at(stage.name));
    for (std::size_t k = 0; k < std::min(samples.size(), c.stages.size()); ++k)
      c.stages[k].*stage.time = samples[k];
  }
  c.physics = read_physics(j.at("physics"));
  c.bytes_per_body = number(j.at("bytes_per_body"));
  c.state_hash = hash_from(j.at("state_hash"));
  c.reproducible = j.at("reproducible");
  return c;
}

BenchReport read_report(const Json& j) {
  BenchReport report;
  report.machine = read_machine(j.at("machine"));
  const Json& b = j.at("build");
  report.build = {b.at("version"), b.at("commit"), b.at("compiler"), b.at("flags")};
  report.started = j.at("started");
  report.peak_resident_bytes = j.at("peak_resident_bytes");
  for (const Json& preparation : j.at("preparations"))
    report.preparations.push_back(read_preparation(preparation));
  for (const Json& measured : j.at("cases")) report.cases.push_back(read_case(measured));
  return report;
}

}  // namespace

std::string to_json(const BenchReport& report) {
  Json preparations = Json::array(), cases = Json::array();
  for (const Preparation& p : report.preparations) preparations.push_back(preparation_json(p));
  for (const BenchCase& c : report.cases) cases.push_back(case_json(c));
  const Json json = {{"format", format_name},
                     {"format_version", format_version},
                     {"started", report.started},
                     {"build", build_json(report.build)},
                     {"machine", machine_json(report.machine)},
                     {"peak_resident_bytes", report.peak_resident_bytes},
                     {"preparations", preparations},
                     {"cases", cases}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

BenchReport read_bench_json(const std::filesystem::path& path) {
  std::string problem;
  const std::optional<std::string> text = io::read_bytes(path, problem);
  if (!text) throw io::ReadError(fmt::format("{}: cannot be opened: {}", path.string(), problem));
  try {
    const Json json = Json::parse(*text);
    if (!json.is_object() || json.value("format", "") != format_name)
      throw io::ReadError(fmt::format("{}: is not a file of `scree bench --json`", path.string()));
    if (json.at("format_version") != format_version)
      throw io::ReadError(fmt::format("{}: format version {} is not {}", path.string(),
                                      json.at("format_version").dump(), format_version));
    return read_report(json);
  } catch (const Json::exception& error) {
    throw io::ReadError(fmt::format("{}: is damaged ({})", path.string(), error.what()));
  }
}

}  // namespace scree
