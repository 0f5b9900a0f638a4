#include "tools/compare/frames.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <span>

#include "io/results/checkpoint.h"
#include "tools/compare/difference.h"

namespace scree {

namespace {

using io::Frame;
using io::FrameContacts;
using io::TrajectoryReader;

constexpr const char* vector_components[] = {"x", "y", "z"};
constexpr const char* quaternion_components[] = {"w", "x", "y", "z"};

/// Rows of `width` numbers of two runs, with their name.
template <class T>
struct Array {
  const char* name;
  std::span<const T> a, b;  // [row * width]
  std::size_t width;
};

template <class T, class Row>
std::span<const T> flat(const std::vector<Row>& rows) {
  static_assert(sizeof(Row) % sizeof(T) == 0);
  return {reinterpret_cast<const T*>(rows.data()), rows.size() * (sizeof(Row) / sizeof(T))};
}

template <class T>
double largest(std::span<const T> values) {
  double most = 0.0;
  for (const T x : values)
    if (std::isfinite(x)) most = std::max(most, std::abs(static_cast<double>(x)));
  return most;
}

std::string component_of(std::size_t width, std::size_t k) {
  return width == 3 ? vector_components[k] : width == 4 ? quaternion_components[k] : "";
}

/// The first row with a difference, its first different number, and the number of such rows.
template <class T>
std::optional<DifferentNumber> first_difference(const Array<T>& array, double tolerance,
                                                const std::function<std::string(std::size_t)>& who) {
  const double scale = tolerance > 0.0 ? std::max(largest(array.a), largest(array.b)) : 0.0;
  std::optional<DifferentNumber> first;
  std::size_t last_row = array.a.size();
  for (std::size_t i = 0; i < array.a.size(); ++i) {
    if (agree(array.a[i], array.b[i], tolerance, scale)) continue;
    const std::size_t row = i / array.width;
    if (!first) {
      first = DifferentNumber{.array = array.name,
                              .component = component_of(array.width, i % array.width),
                              .who = who(row),
                              .a = array.a[i],
                              .b = array.b[i],
                              .ulps = ulps(array.a[i], array.b[i])};
    }
    if (row != last_row) ++first->bodies;
    last_row = row;
  }
  return first;
}

/// The first body that is in one frame only, from two ordered lists of ids.
std::optional<DifferentNumber> other_bodies(const std::vector<BodyId>& a, const std::vector<BodyId>& b) {
  std::vector<BodyId> in_a, in_b;
  std::ranges::set_difference(a, b, std::back_inserter(in_a));
  std::ranges::set_difference(b, a, std::back_inserter(in_b));
  if (in_a.empty() && in_b.empty()) return {};
  const bool a_first = in_b.empty() || (!in_a.empty() && in_a.front() < in_b.front());
  return DifferentNumber{.array = "bodies",
                         .who = fmt::format("body {}", a_first ? in_a.front() : in_b.front()),
                         .words = a_first ? "is in A only" : "is in B only",
                         .a = static_cast<double>(a.size()),
                         .b = static_cast<double>(b.size()),
                         .bodies = in_a.size() + in_b.size()};
}

template <class T>
std::optional<DifferentNumber> first_of(std::initializer_list<Array<T>> arrays, const std::vector<BodyId>& id,
                                        double tolerance) {
  for (const Array<T>& array : arrays) {
    const auto found = first_difference<T>(array, tolerance,
                                           [&](std::size_t row) { return fmt::format("body {}", id[row]); });
    if (found) return found;
  }
  return {};
}

/// Compares constant properties of bodies, if both runs have the same bodies.
std::optional<DifferentNumber> compare_constants(const Frame& a, const Frame& b, double tolerance) {
  const io::BodyConstants &p = *a.constants, &q = *b.constants;
  return first_of<double>({{"mass", p.mass, q.mass, 1},
                           {"moments of inertia", flat<double>(p.inertia), flat<double>(q.inertia), 3}},
                          p.id, tolerance);
}

std::string contact_name(const TrajectoryReader& run, const Frame& frame, const FrameContacts& contacts,
                         std::size_t c) {
  const std::vector<BodyId>& id = frame.constants->id;
  const auto body = [&](std::int32_t row) { return id[row]; };
  if (contacts.body_b[c] >= 0)
    return fmt::format("contact of bodies {} and {}", body(contacts.body_a[c]), body(contacts.body_b[c]));
  const auto boundary = static_cast<std::size_t>(contacts.boundary[c]);
  return fmt::format("contact of body {} with boundary '{}'", body(contacts.body_a[c]),
                     run.run().model.boundaries[boundary].name);
}

std::optional<DifferentNumber> compare_contacts(const TrajectoryReader& run_a, const TrajectoryReader& run_b,
                                                const Frame& a, const Frame& b, std::size_t k,
                                                double tolerance) {
  if (!run_a.has_contacts(k) || !run_b.has_contacts(k)) return {};
  const FrameContacts p = run_a.contacts(k), q = run_b.contacts(k);
  const std::size_t both = std::min(p.gap.size(), q.gap.size());
  for (std::size_t c = 0; c < both; ++c) {
    const std::string of_a = contact_name(run_a, a, p, c), of_b = contact_name(run_b, b, q, c);
    if (of_a != of_b)
      return DifferentNumber{
          .array = "contacts", .who = of_a, .words = fmt::format("is in A where B has the {}", of_b)};
  }
  if (p.gap.size() != q.gap.size()) {
    const bool more_in_a = p.gap.size() > both;
    return DifferentNumber{
        .array = "contacts",
        .who = more_in_a ? contact_name(run_a, a, p, both) : contact_name(run_b, b, q, both),
        .words = fmt::format("is in {} only; A has {} contacts, B {}", more_in_a ? "A" : "B", p.gap.size(),
                             q.gap.size())};
  }
  for (const Array<float>& array :
       {Array<float>{"contact gap", p.gap, q.gap, 1},
        Array<float>{"contact point", flat<float>(p.point), flat<float>(q.point), 3},
        Array<float>{"contact normal", flat<float>(p.normal), flat<float>(q.normal), 3},
        Array<float>{"contact impulse", flat<float>(p.impulse), flat<float>(q.impulse), 3}}) {
    auto found = first_difference<float>(array, tolerance,
                                         [&](std::size_t row) { return contact_name(run_a, a, p, row); });
    if (!found) continue;
    found->bodies = 0;
    return found;
  }
  return {};
}

std::optional<DifferentNumber> compare_fields(const TrajectoryReader& run_a, const TrajectoryReader& run_b,
                                              const Frame& a, const Frame& b, double tolerance) {
  const std::vector<std::string>&names = run_a.run().fields, &others = run_b.run().fields;
  for (std::size_t f = 0; f < names.size(); ++f) {
    const auto g = static_cast<std::size_t>(std::ranges::find(others, names[f]) - others.begin());
    if (g == others.size()) continue;
    if (auto found =
            first_of<float>({{names[f].c_str(), a.fields[f], b.fields[g], 1}}, a.constants->id, tolerance))
      return found;
  }
  return {};
}

std::optional<DifferentNumber> compare_frame(const TrajectoryReader& run_a, const TrajectoryReader& run_b,
                                             const Frame& a, const Frame& b, std::size_t k,
                                             double tolerance) {
  if (!agree(a.time_s, b.time_s, tolerance, std::max(std::abs(a.time_s), std::abs(b.time_s))))
    return DifferentNumber{.array = "time",
                           .who = fmt::format("frame {}", k),
                           .a = a.time_s,
                           .b = b.time_s,
                           .ulps = ulps(a.time_s, b.time_s)};
  const std::vector<BodyId>& id = a.constants->id;
  if (auto found = other_bodies(id, b.constants->id)) return found;
  if (auto found = compare_constants(a, b, tolerance)) return found;
  if (auto found = first_of<float>(
          {{"position", flat<float>(a.position), flat<float>(b.position), 3},
           {"orientation", flat<float>(a.orientation), flat<float>(b.orientation), 4},
           {"velocity", flat<float>(a.velocity), flat<float>(b.velocity), 3},
           {"angular velocity", flat<float>(a.angular_velocity), flat<float>(b.angular_velocity), 3}},
          id, tolerance))
    return found;
  if (auto found = compare_fields(run_a, run_b, a, b, tolerance)) return found;
  return compare_contacts(run_a, run_b, a, b, k, tolerance);
}

/// Poses and velocities of a checkpoint, ordered by id.
struct StoredState {
  double time_s = 0.0;
  std::vector<BodyId> id;
  std::vector<Vec3> position, velocity, angular_velocity;
  std::vector<std::array<double, 4>> orientation;  // w x y z
};

StoredState read_state(const std::filesystem::path& checkpoint) {
  io::Archive archive = io::Archive::to_read(checkpoint, io::checkpoint_kind);
  State state;
  archive.group("state", [&] { io::visit(archive, state); });
  const Bodies& bodies = state.bodies;
  std::vector<std::size_t> order(bodies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return bodies.id[i]; });
  StoredState stored;
  stored.time_s = state.time_s;
  for (const std::size_t i : order) {
    const Quat& q = bodies.orientation[i];
    stored.id.push_back(bodies.id[i]);
    stored.position.push_back(bodies.position[i]);
    stored.velocity.push_back(bodies.linear_velocity[i]);
    stored.angular_velocity.push_back(bodies.angular_velocity[i]);
    stored.orientation.push_back({q.w(), q.x(), q.y(), q.z()});
  }
  return stored;
}

std::optional<DifferentNumber> compare_states(const StoredState& a, const StoredState& b, double tolerance) {
  if (auto found = other_bodies(a.id, b.id)) return found;
  return first_of<double>(
      {{"position", flat<double>(a.position), flat<double>(b.position), 3},
       {"orientation", flat<double>(a.orientation), flat<double>(b.orientation), 4},
       {"velocity", flat<double>(a.velocity), flat<double>(b.velocity), 3},
       {"angular velocity", flat<double>(a.angular_velocity), flat<double>(b.angular_velocity), 3}},
      a.id, tolerance);
}

/// "step_000000123.h5": the name contains the step.
std::int64_t step_of(const std::filesystem::path& checkpoint) {
  return std::stoll(checkpoint.stem().string().substr(std::string_view("step_").size()));
}

}  // namespace

FrameComparison compare_frames(const TrajectoryReader& a, const TrajectoryReader& b, double tolerance) {
  FrameComparison result;
  result.frames_a = a.frames();
  result.frames_b = b.frames();
  for (std::size_t k = 0; k < std::min(a.frames(), b.frames()); ++k) {
    const Frame p = a.frame(k), q = b.frame(k);
    if (k == 0 && p.constants->id != q.constants->id) result.comparable = false;
    result.first = compare_frame(a, b, p, q, k, tolerance);
    if (result.first) {
      result.first->step = p.step;
      result.first->time_s = p.time_s;
      return result;
    }
    result.last_step = p.step;
    ++result.same_frames;
  }
  return result;
}

void compare_checkpoints(const io::RunFolder& a, const io::RunFolder& b, double tolerance,
                         FrameComparison& result) {
  const std::vector<std::filesystem::path> others = io::checkpoints(b);
  for (const std::filesystem::path& mine : io::checkpoints(a)) {  // newest first
    const auto other = std::ranges::find(others, mine.filename(), &std::filesystem::path::filename);
    if (other == others.end()) continue;
    const StoredState p = read_state(mine), q = read_state(*other);
    result.first = compare_states(p, q, tolerance);
    if (!result.first) {
      result.same_checkpoint = step_of(mine);
      return;
    }
    result.in_checkpoint = true;
    result.first->step = step_of(mine);
    result.first->time_s = p.time_s;
    return;
  }
}

}  // namespace scree
