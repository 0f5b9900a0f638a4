#include "io/results/summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/state_hash.h"
#include "io/files/text_file.h"
#include "io/results/provenance.h"

namespace scree::io {

namespace {

std::vector<double> vector(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

nlohmann::ordered_json ledger(const Summary& s) {
  nlohmann::ordered_json json{{"kinetic_initial_J", s.kinetic_initial_J},
                              {"potential_initial_J", s.potential_initial_J}};
  for (const LedgerEntry& entry : ledger_entries) json[entry.name] = s.energy.*entry.value;
  json["injected_J"] = s.energy_injected_J;
  return json;
}

nlohmann::ordered_json insertion_json(const Summary& s) {
  nlohmann::ordered_json openings = nlohmann::ordered_json::array();
  for (const OpeningTotal& o : s.openings) {
    openings.push_back({{"name", o.name},
                        {"kind", o.is_inlet ? "inlet" : "outlet"},
                        {"bodies", o.throughput.bodies},
                        {"mass_kg", o.throughput.mass}});
    if (o.is_inlet) openings.back()["steps_without_room"] = o.throughput.waited;
  }
  return {{"bodies_initial", s.bodies_initial},
          {"mass_initial_kg", s.mass_initial},
          {"mass_kg", s.mass},
          {"momentum_kg_m_s", vector(s.exchanged_momentum)},
          {"angular_momentum_kg_m2_s", vector(s.exchanged_angular_momentum)},
          {"openings", std::move(openings)}};
}

nlohmann::ordered_json moment_json(const Moment& m) { return {{"step", m.step}, {"time_s", m.time_s}}; }

/// Without bodies if there was no overlap.
nlohmann::ordered_json overlap_json(double value, const DeepestOverlap& deepest) {
  nlohmann::ordered_json json{{"value", value}, {"at", moment_json(deepest.when)}};
  if (deepest.body < 0) return json;
  json["body"] = deepest.body;
  if (deepest.boundary.empty())
    json["other_body"] = deepest.other_body;
  else
    json["boundary"] = deepest.boundary;
  return json;
}

nlohmann::ordered_json worst_json(const WorstStep& w, const char* whose) {
  if (w.whose.empty()) return {{"value", w.value}};
  return {{"value", w.value}, {whose, w.whose}, {"at", moment_json(w.when)}};
}

nlohmann::ordered_json pinch_json(const Pinch& p) {
  nlohmann::ordered_json json{{"by", p.by},           {"at", moment_json(p.when)},
                              {"force_N", p.force_N}, {"median_force_N", p.median_force_N},
                              {"power_W", p.power_W}, {"relative", p.relative}};
  if (p.body < 0) return json;
  json["body"] = p.body;
  json["place_m"] = vector(p.place);
  if (!p.against.empty()) json["against"] = p.against;
  return json;
}

nlohmann::ordered_json stages_json(const StageTimes& time) {
  return {{"preparation", time.preparation},
          {"detection", time.detection},
          {"resolution", time.resolution},
          {"finish", time.finish}};
}

nlohmann::ordered_json ranks_json(const std::vector<RankUse>& ranks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RankUse& r : ranks)
    list.push_back({{"threads", r.threads},
                    {"bodies", r.bodies},
                    {"wall_time_s", r.wall_s},
                    {"stage_time_s", stages_json(r.stage_time)},
                    {"exchanges", r.traffic.swaps},
                    {"exchange_bytes", r.traffic.swap_bytes},
                    {"exchange_s", r.traffic.swap_s},
                    {"other_messages", r.traffic.others},
                    {"other_bytes", r.traffic.other_bytes},
                    {"other_s", r.traffic.others_s}});
  return list;
}

nlohmann::ordered_json motors_json(const Summary& s) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const MotorUse& use : s.motors) {
    nlohmann::ordered_json json{{"joint", use.joint},
                                {use.turns ? "most_N_m" : "most_N", use.most},
                                {"steps_at_limit", use.steps_at_limit}};
    if (use.steps_at_limit > 0) {
      json["first"] = moment_json(use.first);
      json["last"] = moment_json(use.last);
    }
    list.push_back(std::move(json));
  }
  return list;
}

nlohmann::ordered_json events_json(const std::vector<EventSummary>& events) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const EventSummary& e : events) {
    nlohmann::ordered_json json{{"name", e.name}, {"count", e.count}};
    if (e.count > 0) {
      json["first"] = moment_json(e.first);
      json["last"] = moment_json(e.last);
      json["text"] = e.text;
    }
    list.push_back(std::move(json));
  }
  return list;
}

nlohmann::ordered_json verdict_json(const Verdict& verdict) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const Finding& f : verdict.findings)
    findings.push_back({{"code", f.code},
                        {"grade", to_string(f.grade)},
                        {"value", f.value},
                        {"limit", f.limit},
                        {"text", f.text},
                        {"advice", f.advice}});
  return {{"grade", to_string(verdict.grade)},
          {"meaning", meaning(verdict.grade)},
          {"findings", std::move(findings)}};
}

/// Entries that not all runs have.
void add_of_some_runs(const Summary& s, nlohmann::ordered_json& json) {
  if (!s.pinch.by.empty()) json["pinch"] = pinch_json(s.pinch);
  if (!s.ranks.empty()) json["ranks"] = ranks_json(s.ranks);
  if (!s.motors.empty()) json["motors"] = motors_json(s);
  if (!s.openings.empty()) json["insertion"] = insertion_json(s);
  if (!s.events.empty()) json["events"] = events_json(s.events);
  if (!s.ended_by.empty()) json["ended_by"] = s.ended_by;
  for (const FileChecksum& f : s.files) json["files"][f.name] = {{"crc32", crc32_text(f.crc32)}};
  if (!s.resumed_steps.empty()) json["resumed_after_steps"] = s.resumed_steps;
  if (s.adaptive_step)
    json["adaptive_time_step"] = {{"least_s", s.least_time_step_s}, {"largest_s", s.largest_time_step_s}};
}

}  // namespace

const char* to_string(RunStatus status) {
  switch (status) {
    case RunStatus::finished:
      return "finished";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::failed:
      return "failed";
  }
  return "";
}

namespace {

constexpr std::string_view checksum_begin = ",\n  \"crc32\": ";  // of the last entry

/// The end of summary.json, with the checksum of all text before it.
std::string checksum_entry(std::string_view before) {
  return fmt::format("{}\"{}\"\n}}\n", checksum_begin, crc32_text(crc32_of(before)));
}

}  // namespace

std::string to_json(const Summary& s) {
  const double bodies = static_cast<double>(std::max<std::int64_t>(1, s.bodies));
  nlohmann::ordered_json json = {
      {"format", "scree summary"},
      {"format_version", 1},
      {"scree_version", scree_version()},
      {"scene", s.scene},
      {"status", to_string(s.status)},
      {"solver", s.solver},
      {"threads", s.threads},
      {"bodies", s.bodies},
      {"boundaries", s.boundaries},
      {"lost_bodies", s.lost_bodies},
      {"steps", s.steps},
      {"frames", s.frames},
      {"time_step_s", s.time_step_s},
      {"end_time_s", s.end_time_s},
      {"simulated_time_s", s.simulated_time_s},
      {"wall_time_s", s.wall_time_s},
      {"recording_time_s", s.recording_time_s},
      {"real_time_factor", s.real_time_factor()},
      {"median_step_time_s", s.median_step_time_s},
      {"stage_time_s", stages_json(s.stage_time)},
      {"contacts", s.last.contacts},
      {"active_contacts", s.last.active_contacts},
      {"touching_contacts", s.last.touching},
      {"bodies_in_collision", s.last.bodies_in_collision},
      {"asleep", s.last.asleep},
      {"woken", s.woken},
      {"penetration_max", s.last.penetration_max},
      {"penetration_mean", s.last.penetration_mean},
      {"compression_max", s.last.compression_max},
      {"penetration_max_of_run", s.penetration_max_of_run},
      {"steps_overlapping", s.steps_overlapping},
      {"deepest_overlap", overlap_json(s.penetration_max_of_run, s.deepest)},
      {"largest_compression", overlap_json(s.compression.value, s.compression.where)},
      {"residual_rms_relative", s.last.residual_rms_relative},
      {"residual_rms_relative_mean", s.residual_rms_relative_mean},
      {"residual_rms_relative_max", s.residual_rms_relative_max},
      {"sweeps", s.sweeps},
      {"steps_not_converged", s.steps_not_converged},
      {"steps_far_from_goal", s.steps_far_from_goal},
      {"steps_unsolved", s.steps_unsolved},
      {"goal_missed_by",
       {{"median", s.goal_missed_by_median},
        {"p90", s.goal_missed_by_p90},
        {"max", s.goal_missed_by_max},
        {"max_at", moment_json(s.goal_missed_most)}}},
      {"given",
       {{"steps", s.steps_given},
        {"mean", s.given_mean},
        {"max", s.given_max},
        {"max_at", moment_json(s.given_most)}}},
      {"narrow_phase_failures", s.narrow_phase_failures},
      {"kinetic_energy_per_body_J", s.energy.kinetic / bodies},
      {"energy_injected_relative", s.energy_injected_relative},
      {"energy_created_relative", s.energy_created_relative},
      {"energy_unexplained_relative", s.energy_unexplained_relative},
      {"unreturned_J", s.unreturned_J},
      {"coarseness",
       {{"wall_travel", worst_json(s.wall_travel, "boundary")},
        {"wall_detour", worst_json(s.wall_detour, "boundary")},
        {"turn_rad", worst_json(s.turn, "body")}}},
      {"joint_misfit", worst_json(s.joint, "joint")},
      {"momentum_error_relative", s.momentum_error_relative},
      {"angular_momentum_error_relative", s.angular_momentum_error_relative},
      {"momentum_created_relative", s.momentum_created_relative},
      {"angular_momentum_created_relative", s.angular_momentum_created_relative},
      {"boundary_impulse_N_s", vector(s.boundary_impulse)},
      {"boundary_angular_impulse_N_m_s", vector(s.boundary_angular_impulse)},
      {"sleep_impulse_N_s", vector(s.sleep_impulse)},
      {"sleep_angular_impulse_N_m_s", vector(s.sleep_angular_impulse)},
      {"energy", ledger(s)},
      {"state_hash", hash_text(s.state_hash)},
      {"verdict", verdict_json(s.verdict)},
  };
  add_of_some_runs(s, json);
  std::string text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.resize(text.rfind("\n}"));
  return text + checksum_entry(text);
}

bool has_summary_checksum(std::string_view json, bool required) {
  const std::size_t at = json.rfind(checksum_begin);
  if (at == std::string_view::npos) return !required;
  return json.substr(at) == checksum_entry(json.substr(0, at));
}

}  // namespace scree::io
