#include "io/results/checkpoint.h"

#include <algorithm>
#include <fmt/format.h>

#include "io/files/file_errors.h"
#include "io/results/provenance.h"

namespace scree {

// The records of a state, by name. Names and their meaning are part of the format.

template <class F>
void fields(Contact& c, F&& f) {
  f("a", c.key.a);
  f("b", c.key.b);
  f("feature", c.key.feature);
  f("lasting", c.lasting);
  f("normal", c.normal);
  f("arm_a", c.arm_a);
  f("arm_b", c.arm_b);
  f("gap", c.gap);
  f("gap_acceleration", c.gap_acceleration);
  f("length", c.length);
  f("impulse", c.impulse);
  f("torque_impulse", c.torque_impulse);
}
template <class F>
void fields(CachedNormal& s, F&& f) {
  f("b", s.b);
  f("feature", s.feature);
  f("normal", s.normal);
}
template <class F>
void fields(ImplicitStart& s, F&& f) {
  f("on_a", s.on_a);
  f("on_b", s.on_b);
  f("feature", s.feature);
}
template <class F>
void fields(Pose& p, F&& f) {
  f("position", p.position);
  f("orientation", p.orientation);
}

template <class F>
void fields(Throughput& p, F&& f) {
  f("bodies", p.bodies);
  f("mass", p.mass);
  f("waited", p.waited);
}
template <class F>
void fields(MotionClock& c, F&& f) {
  f("runs", c.runs);
  f("reading_s", c.reading_s);
  f("delay_s", c.delay_s);
}
template <class F>
void fields(PartState& m, F&& f) {
  f("travel", m.travel);
  f("rate", m.rate);
  f("locked", m.locked);
  f("position", m.pose.position);
  f("orientation", m.pose.orientation);
  f("velocity", m.twist.linear);
  f("angular_velocity", m.twist.angular);
  f("clock_runs", m.clock.runs);
  f("clock_reading_s", m.clock.reading_s);
  f("clock_delay_s", m.clock.delay_s);
}
template <class F>
void fields(JointState& j, F&& f) {
  f("impulse", j.impulse);
  f("coordinate", j.coordinate);
  f("bearing", j.bearing);
  f("along", j.along);
  f("begun", j.begun);
}
template <class F>
void fields(Bond& b, F&& f) {
  f("law", b.law);
  f("a", b.a);
  f("b", b.b);
  f("point_a", b.point_a);
  f("point_b", b.point_b);
  f("frame_a", b.frame_a);
  f("frame_b", b.frame_b);
  f("radius", b.radius);
  f("length", b.length);
  f("impulse", b.impulse);
  f("moment_impulse", b.moment_impulse);
}
template <class F>
void fields(SpringMemory& s, F&& f) {
  f("a", s.key.a);
  f("b", s.key.b);
  f("feature", s.key.feature);
  f("normal", s.normal);
  f("point", s.point);
  f("force", s.force);
  f("tangential_stiffness", s.tangential_stiffness);
  f("normal_energy", s.normal_energy);
  f("tangential_energy", s.tangential_energy);
  f("coefficient", s.coefficient);
  f("theta", s.theta);
  f("free_overlap", s.free_overlap);
}
template <class F>
void fields(CellLoad& c, F&& f) {
  f("impulse", c.impulse);
  f("pressing", c.surface.pressing);
  f("shearing", c.surface.shearing);
  f("friction_work", c.surface.friction_work);
  f("sliding", c.surface.sliding);
  f("impacts", c.surface.impacts);
  f("impact_energy", c.surface.impact_energy);
}
template <class F>
void fields(EventMemory& e, F&& f) {
  f("armed", e.armed);
  f("last", e.last);
  f("last_s", e.last_s);
  f("since_s", e.since_s);
  f("count", e.count);
}

namespace io {

template <class F>
void fields(CarriedBody& b, F&& f) {
  f("id", b.id);
  f("material", b.material);
  f("kind", b.kind);
  f("function", b.function);
  f("numbers", b.numbers);
  f("position", b.position);
  f("velocity", b.velocity);
  f("angular_velocity", b.angular_velocity);
  f("orientation", b.orientation);
}

namespace {

/// Pairs with their numbers of places, as two tables.
struct FlatPair {
  std::int32_t a = 0, b = 0, starts = 0;
  Vec3 offset = Vec3::Zero();
  Quat turn = Quat::Identity();
  double reach = 0.0, slack = 0.0;
};
template <class F>
void fields(FlatPair& p, F&& f) {
  f("a", p.a);
  f("b", p.b);
  f("starts", p.starts);
  f("offset", p.offset);
  f("turn", p.turn);
  f("reach", p.reach);
  f("slack", p.slack);
}

void visit(Archive& io, std::vector<CachedPair>& pairs) {
  std::vector<FlatPair> flat;
  std::vector<ImplicitStart> starts;
  for (const CachedPair& p : pairs) {
    const PairMemory& m = p.memory;
    flat.push_back(
        {p.a, p.b, static_cast<std::int32_t>(m.starts.size()), m.offset, m.turn, m.reach, m.slack});
    starts.insert(starts.end(), m.starts.begin(), m.starts.end());
  }
  io("cached", flat);
  io("cached_starts", starts);
  if (!io.reads()) return;
  std::size_t next = 0;
  for (const FlatPair& p : flat) {
    const auto n = static_cast<std::size_t>(p.starts);
    if (p.starts < 0 || n > starts.size() - next)
      throw ReadError("the checkpoint is damaged: its cached pairs do not fit");
    const auto begin = starts.begin() + static_cast<std::ptrdiff_t>(next);
    pairs.push_back({p.a, p.b, {p.offset, p.turn, p.reach, p.slack, {begin, begin + p.starts}}});
    next += n;
  }
}

/// Actuators as a table with their numbers of values, and all values.
struct FlatActuator {
  std::int64_t inputs = 0, outputs = 0, memory = 0;
};
template <class F>
void fields(FlatActuator& d, F&& f) {
  f("inputs", d.inputs);
  f("outputs", d.outputs);
  f("memory", d.memory);
}

void visit(Archive& io, std::vector<ActuatorState>& actuators) {
  std::vector<FlatActuator> flat;
  std::vector<double> numbers;
  for (ActuatorState& d : actuators) {
    flat.push_back({std::ssize(d.inputs), std::ssize(d.outputs), std::ssize(d.memory)});
    for (const auto* list : {&d.inputs, &d.outputs, &d.memory})
      numbers.insert(numbers.end(), list->begin(), list->end());
  }
  io("actuators", flat);
  io("actuator_numbers", numbers);
  if (!io.reads()) return;
  auto next = numbers.begin();
  for (const FlatActuator& d : flat) {
    ActuatorState& actuator = actuators.emplace_back();
    for (const auto& [count, list] : {std::pair{d.inputs, &actuator.inputs},
                                      {d.outputs, &actuator.outputs},
                                      {d.memory, &actuator.memory}}) {
      if (count < 0 || count > numbers.end() - next)
        throw ReadError("the checkpoint is damaged: its actuators do not fit");
      list->assign(next, next + count);
      next += count;
    }
  }
}

void visit(Archive& io, Bodies& b) {
  io("position", b.position);
  io("orientation", b.orientation);
  io("linear_velocity", b.linear_velocity);
  io("angular_velocity", b.angular_velocity);
  io("asleep", b.asleep);
  io("resting", b.resting);
  io("part", b.part);
  io("rest", b.rest);
  io("mass", b.mass);
  io("inertia", b.inertia);
  io("shape", b.shape);
  io("material", b.material);
  io("id", b.id);
  io("next_id", b.next_id);
  io("subdomains", b.subdomains.first);
  io("cut_bodies", b.subdomains.cut_bodies);
  if (!io.reads()) return;
  const std::vector<std::int32_t>& first = b.subdomains.first;
  const std::int32_t cut_bodies = b.subdomains.cut_bodies;
  // those inserted since then are after them
  const bool fit = first.empty() || (first.front() == 0 && std::ranges::is_sorted(first) &&
                                     std::cmp_less_equal(first.back(), b.size()) && cut_bodies >= 0 &&
                                     cut_bodies <= first.back());
  if (!fit) throw ReadError("the checkpoint is damaged: its subdomains do not fit");
  b.subdomains.index();
}

void visit(Archive& io, Overrides& c) {
  io("gravity", c.gravity);
  io("removed", c.removed);
  io("events", c.events);
  io("bonds", c.bonds);
  io("inlets", c.inlets);
  io("frames_from_s", c.frames_from_s);
  io("frame_interval_s", c.frame_interval_s);
}

}  // namespace

void visit(Archive& io, CheckpointHead& head) {
  io("scree_version", head.scree_version);
  io("commit", head.commit);
  io("compiler", head.compiler);
  io("finished", head.finished);
  io("initial_hash", head.initial_hash);
}

void visit(Archive& io, Scene& scene) {
  // A scene that was made by a program has no file.
  std::string file = scene.file.empty() ? "" : std::filesystem::absolute(scene.file).string();
  std::vector<std::string> keys, values;
  for (const auto& [key, value] : scene.overrides) {
    keys.push_back(key);
    values.push_back(value);
  }
  std::vector<std::string> inputs;
  std::vector<std::uint32_t> checksums;
  for (const InputFile& input : scene.inputs) {
    inputs.push_back(input.path.string());
    checksums.push_back(input.crc32);
  }
  io("file", file);
  io("text", scene.text);
  io("override_keys", keys);
  io("override_values", values);
  io("end_time_s", scene.end_time_s);
  io("inputs", inputs);
  io("input_checksums", checksums);
  io.group("carried", [&] {
    io("materials", scene.carried.materials);
    io("functions", scene.carried.functions);
    io("bodies", scene.carried.list);
    io("next_id", scene.carried.next_id);
  });
  if (!io.reads()) return;
  if (values.size() != keys.size() || checksums.size() != inputs.size())
    throw ReadError("the checkpoint is damaged: its lists do not fit");
  scene.file = file;
  for (std::size_t k = 0; k < keys.size(); ++k) scene.overrides.emplace_back(keys[k], values[k]);
  for (std::size_t k = 0; k < inputs.size(); ++k) scene.inputs.push_back({inputs[k], checksums[k]});
}

std::int64_t initial_hash(const Scene& scene) {
  return static_cast<std::int64_t>(state_hash(scene.initial.bodies));
}

void visit(Archive& io, State& state) {
  io("step", state.step);
  io("time_s", state.time_s);
  io.group("bodies", [&] { visit(io, state.bodies); });
  io("contacts", state.contacts.list);
  io("cached_normals", state.cached_normals.list);
  io("cached_normals_row", state.cached_normals.row);
  visit(io, state.cached);
  io("still", state.sleepers.still);
  io("resting_contacts", state.sleepers.contacts);
  io("joints", state.joints);
  visit(io, state.actuators);
  io("bonds", state.bonds);
  io("springs", state.springs);
  io("wall_cells", state.wall_cells);
  io("parts", state.parts);
  io("flow", state.flow);
  io("cell_deformation", state.cell.deformation);
  io("cell_time_s", state.cell.time_s);
  io("cell_rate", state.cell.rate);
  io("cell_gain", state.cell.gain);
  io("last_time_step_s", state.memory.last_s);
  io("next_time_step_s", state.memory.next_s);
  io("after_next_time_step_s", state.memory.after_next_s);
  io("last_overlap", state.memory.overlap);
  io("elastic_energy", state.memory.elastic);
  io("entered", state.entered);
  io("left", state.left);
  io.group("course", [&] { visit(io, state.overrides); });
}

std::int64_t step_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string(), begin = "step_", end = ".h5";
  if (!name.starts_with(begin) || !name.ends_with(end) || name.size() <= begin.size() + end.size()) return -1;
  const std::string digits = name.substr(begin.size(), name.size() - begin.size() - end.size());
  if (digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos) return -1;
  return std::stoll(digits);
}

std::vector<std::filesystem::path> checkpoints(const RunFolder& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder.checkpoints(), error), end; !error && entry != end;
       entry.increment(error)) {
    if (step_of(entry->path()) >= 0) found.push_back(entry->path());
  }
  std::ranges::sort(found, std::greater{}, step_of);
  return found;
}

void write_checkpoint(const RunFolder& folder, const Scene& scene, const State& state, bool finished,
                      const std::function<void(Archive&)>& memory) {
  Archive io =
      Archive::to_write(folder.checkpoints() / fmt::format("step_{:09}.h5", state.step), checkpoint_kind);
  CheckpointHead head{scree_version(), provenance().commit, provenance().compiler, finished,
                      initial_hash(scene)};
  visit(io, head);
  // Writing does not change anything: one list of names is used for both.
  io.group("scene", [&] { visit(io, const_cast<Scene&>(scene)); });
  io.group("state", [&] { visit(io, const_cast<State&>(state)); });
  io.group("run", [&] { memory(io); });
  io.finish();
  const std::vector<std::filesystem::path> all = checkpoints(folder);
  std::error_code error;
  for (std::size_t k = static_cast<std::size_t>(scene.checkpoints.keep); k < all.size(); ++k)
    std::filesystem::remove(all[k], error);
}

}  // namespace io
}  // namespace scree
