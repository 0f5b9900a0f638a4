#include "io/results/trajectory_reader.h"

#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <thread>

#include "io/files/file_errors.h"
#include "io/files/hdf5_checks.h"
#include "io/files/hdf5_file.h"
#include "io/files/input_file.h"
#include "io/results/recorded_model.h"

namespace scree::io {

using namespace hdf5;

namespace {

using Quaternion4f = std::array<float, 4>;

// A frame is flushed within milliseconds; a reader at that time tries again for a second. A file without
// changes for a while does not improve: it is read again once, because the data read before
// may be older than that.
constexpr int attempts_of_a_file_at_rest = 2;
constexpr std::chrono::seconds patience{1};  // from the first failure on: an attempt may take time too
constexpr std::chrono::milliseconds first_pause{1}, longest_pause{64};
constexpr std::chrono::seconds at_rest{10};

bool is_at_rest(const std::filesystem::path& path) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(path, error);
  return error || std::filesystem::file_time_type::clock::now() - written > at_rest;
}

Quat to_quaternion(const Quaternion4f& q) { return Quat(q[0], q[1], q[2], q[3]).normalized(); }

/// Ends of the lists of the first frames, [frame + 1], for lists of length `written`. Rows at the end are cut
/// off if their lists are not written yet, or if they are not written themselves and so are zero.
std::vector<std::int64_t> list_offsets(const File& file, const std::string& name, std::uint64_t frames,
                                       std::uint64_t written) {
  std::vector<std::int64_t> offset = file.read<std::int64_t>(name);
  if (offset.size() > frames + 1) offset.resize(frames + 1);
  if (std::ranges::any_of(offset, [](std::int64_t o) { return o > 0; })) {
    while (offset.back() == 0) offset.pop_back();
  }
  while (offset.size() > 1 && offset.back() > static_cast<std::int64_t>(written)) offset.pop_back();
  expect_offsets(name, offset, std::max<std::size_t>(offset.size(), 1) - 1, written);
  return offset;
}

/// The number of rows that all these arrays have.
std::uint64_t common_rows(const File& file, const std::string& group, const std::vector<std::string>& names) {
  std::uint64_t rows = std::numeric_limits<std::uint64_t>::max();
  for (const std::string& name : names) rows = std::min(rows, file.rows(group + name));
  return rows;
}

template <class T>
std::vector<T> gathered(const std::vector<T>& values, const std::vector<std::int32_t>& rows) {
  std::vector<T> result;
  result.reserve(rows.size());
  for (const std::int32_t row : rows) result.push_back(values.at(row));
  return result;
}

}  // namespace

struct TrajectoryReader::Parts {
  std::filesystem::path path;  // empty: another source
  File file;
  RecordedRun run;
  std::vector<double> time_s;
  std::vector<std::int64_t> body_offset;           // [frame + 1]
  std::vector<std::int64_t> offset;                // [frame + 1] of contacts, empty without
  std::vector<std::int32_t> recorded;              // [frame], may be absent
  std::shared_ptr<const BodyConstants> constants;  // of the last frame read

  /// Frames of which all arrays have been written.
  void read_index() {
    read_recorded_bodies(file, run.model, run.bodies);
    std::vector<std::string> arrays{"body", "position", "orientation", "velocity", "angular_velocity"};
    arrays.insert(arrays.end(), run.fields.begin(), run.fields.end());
    std::uint64_t frames = std::min(file.rows("frames/time"), file.rows("frames/step"));
    std::vector<std::int64_t> bodies =
        list_offsets(file, "frames/offset", frames, common_rows(file, "frames/", arrays));
    frames = bodies.size() - 1;
    std::vector<std::int64_t> contacts;
    std::vector<std::int32_t> with_contacts;
    if (file.has("contacts")) {
      contacts =
          list_offsets(file, "contacts/offset", frames,
                       common_rows(file, "contacts/",
                                   {"point", "normal", "impulse", "gap", "body_a", "body_b", "boundary"}));
      frames = contacts.size() - 1;
      bodies.resize(frames + 1);
      if (file.has("contacts/recorded"))
        with_contacts = file.read<std::int32_t>("contacts/recorded", 0, frames);
    }
    std::vector<double> times = file.read<double>("frames/time", 0, frames);
    expect_numbers("frames/time", times, 1, -std::numeric_limits<double>::max(),
                   std::numeric_limits<double>::max());
    if (!std::ranges::is_sorted(times)) fail("frames/time", "must increase");
    time_s = std::move(times);
    body_offset = std::move(bodies);
    offset = std::move(contacts);
    recorded = std::move(with_contacts);
  }

  /// Rows of frame k in the arrays of /frames.
  struct Rows {
    std::uint64_t first, count;
  };
  Rows rows(std::size_t k, const BodyRange& range = {}) const {
    const auto begin = static_cast<std::size_t>(body_offset.at(k)),
               n = static_cast<std::size_t>(body_offset.at(k + 1)) - begin;
    assert(range.first <= n);
    return {begin + range.first, std::min(range.count, n - range.first)};
  }

  /// [body of the frame] its row in /bodies, each only once.
  std::vector<std::int32_t> bodies_of(const Rows& rows) const {
    std::vector<std::int32_t> body = file.read<std::int32_t>("frames/body", rows.first, rows.count);
    expect_indices("frames/body", body, 0, run.bodies.size());
    std::vector<bool> there(run.bodies.size(), false);
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (there[body[i]])
        fail("frames/body", fmt::format("row {}: body {} appears twice", rows.first + i, body[i]));
      there[body[i]] = true;
    }
    return body;
  }

  /// [boundary] since rest; empty if none moves.
  std::vector<Pose> boundary_motion(std::size_t k) const {
    const std::size_t n = run.model.boundaries.size();
    if (n == 0 || !file.has("frames/boundary_position")) return {};
    const auto at = file.read_wide<double>("frames/boundary_position", k, 1, 3 * n),
               turn = file.read_wide<double>("frames/boundary_orientation", k, 1, 4 * n);
    std::vector<Pose> motion;
    for (std::size_t b = 0; b < n; ++b)
      motion.push_back({Vec3(at.data() + 3 * b),
                        Quat(turn[4 * b], turn[4 * b + 1], turn[4 * b + 2], turn[4 * b + 3]).normalized()});
    return motion;
  }

  /// [boundary] has it been removed? Empty if none can be.
  std::vector<std::int32_t> boundary_removed(std::size_t k) const {
    const std::size_t n = run.model.boundaries.size();
    if (n == 0 || !file.has("frames/boundary_removed")) return {};
    return file.read_wide<std::int32_t>("frames/boundary_removed", k, 1, n);
  }

  /// From the last moment at which they were recorded up to frame k; zeros before the first.
  WallValues wall_values(std::size_t k) const {
    WallValues values;
    const std::size_t cells = run.wall_cells.size();
    if (cells == 0) return values;
    const std::vector<double> moments = file.read<double>("wall_cells/time", 0, file.rows("wall_cells/time"));
    const auto row =
        static_cast<std::uint64_t>(std::ranges::upper_bound(moments, time_s.at(k)) - moments.begin());
    for (const WallQuantity& q : wall_quantities())
      values.push_back(row == 0
                           ? std::vector<double>(cells)
                           : file.read_wide<double>("wall_cells/" + std::string(q.name), row - 1, 1, cells));
    return values;
  }
  bool has_wall_moment(std::size_t k) const {
    if (run.wall_cells.size() == 0) return false;
    const std::vector<double> moments = file.read<double>("wall_cells/time", 0, file.rows("wall_cells/time"));
    return std::ranges::binary_search(moments, time_s.at(k));
  }

  template <class T>
  std::vector<T> read(const std::string& name, const Rows& rows) const {
    return file.read<T>("frames/" + name, rows.first, rows.count);
  }

  /// Runs code that reads from HDF5; adds the file's name to its errors. While the run flushes a frame,
  /// HDF5's cached data may not match the data it reads: then the file is opened again.
  template <class F>
  auto guarded(F&& read) {
    std::chrono::milliseconds pause = first_pause;
    std::optional<std::chrono::steady_clock::time_point> failed;
    for (int attempt = 1;; ++attempt) {
      try {
        if (!file && !path.empty()) file = File(path);
        return read();
      } catch (const Error& error) {
        const auto now = std::chrono::steady_clock::now();
        if (!failed) failed = now;
        const bool over = is_at_rest(path) ? attempt >= attempts_of_a_file_at_rest
                                           : attempt > 1 && now - *failed >= patience;
        if (path.empty() || over || !file_problem(path).empty())
          throw ReadError(fmt::format("cannot read {}: {}", path.string(), error.what()));
        file = File();
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, longest_pause);
    }
  }

  void open() {
    if (!path.empty()) file = File();  // HDF5's caches would hide data written since then
    guarded([&] {
      if (run.scree_version.empty()) run = read_recorded_run(file);
      read_index();
    });
  }
};

TrajectoryReader::TrajectoryReader(const std::filesystem::path& path) : parts_(std::make_unique<Parts>()) {
  parts_->path = path;
  parts_->open();
}

TrajectoryReader::TrajectoryReader(hdf5::File file) : parts_(std::make_unique<Parts>()) {
  parts_->file = std::move(file);
  parts_->open();
}

TrajectoryReader::~TrajectoryReader() = default;
TrajectoryReader::TrajectoryReader(TrajectoryReader&&) noexcept = default;

const RecordedRun& TrajectoryReader::run() const { return parts_->run; }
const std::vector<double>& TrajectoryReader::time_s() const { return parts_->time_s; }

std::size_t TrajectoryReader::nearest_frame(double time_s) const {
  const std::vector<double>& times = parts_->time_s;
  assert(!times.empty());
  const auto nearest = std::min_element(times.begin(), times.end(), [&](double a, double b) {
    return std::abs(a - time_s) < std::abs(b - time_s);
  });
  return static_cast<std::size_t>(nearest - times.begin());
}

void TrajectoryReader::refresh() { parts_->open(); }

Frame TrajectoryReader::frame(std::size_t k, const BodyRange& range) const {
  Parts& p = *parts_;
  return p.guarded([&] {
    const Parts::Rows rows = p.rows(k, range);
    Frame frame;
    frame.time_s = p.time_s[k];
    frame.step = p.file.read<std::int64_t>("frames/step", k, 1).front();
    const std::vector<std::int32_t> body = p.bodies_of(rows);
    const Bodies& all = p.run.bodies;
    if (!p.constants || p.constants->id != gathered(all.id, body) ||
        p.constants->material != gathered(all.material, body)) {
      BodyConstants c{gathered(all.id, body),
                      {},
                      gathered(all.mass, body),
                      gathered(all.inertia, body),
                      gathered(all.material, body)};
      for (const ShapeIndex s : gathered(all.shape, body))
        c.shape.push_back(description(p.run.model.shapes, s));
      p.constants = std::make_shared<const BodyConstants>(std::move(c));
    }
    frame.constants = p.constants;
    frame.position = p.read<Vec3f>("position", rows);
    frame.orientation = p.read<Quaternion4f>("orientation", rows);
    frame.velocity = p.read<Vec3f>("velocity", rows);
    frame.angular_velocity = p.read<Vec3f>("angular_velocity", rows);
    frame.boundary_motion = p.boundary_motion(k);
    frame.boundary_removed = p.boundary_removed(k);
    for (const std::string& name : p.run.fields) {
      frame.fields.push_back(p.read<float>(name, rows));
    }
    return frame;
  });
}

WallValues TrajectoryReader::walls(std::size_t k) const {
  return parts_->guarded([&] { return parts_->wall_values(k); });
}

bool TrajectoryReader::has_walls(std::size_t k) const {
  return parts_->guarded([&] { return parts_->has_wall_moment(k); });
}

std::vector<std::int32_t> TrajectoryReader::rows(std::size_t k) const {
  return parts_->guarded([&] { return parts_->bodies_of(parts_->rows(k)); });
}

bool TrajectoryReader::has_contacts(std::size_t k) const {
  const Parts& p = *parts_;
  if (p.offset.empty()) return false;
  return p.recorded.empty() || p.recorded.at(k) != 0;
}

FrameContacts TrajectoryReader::contacts(std::size_t k) const {
  Parts& p = *parts_;
  if (p.offset.empty()) return {};
  const std::vector<std::int32_t> body = rows(k);
  std::vector<std::int32_t> place(p.run.bodies.size(), -1);  // [row of /bodies] index in the frame
  for (std::size_t i = 0; i < body.size(); ++i) place.at(body[i]) = static_cast<std::int32_t>(i);
  const auto first = static_cast<std::uint64_t>(p.offset.at(k));
  const std::uint64_t n = static_cast<std::uint64_t>(p.offset.at(k + 1)) - first;
  return p.guarded([&] {
    const File& f = p.file;
    FrameContacts c;
    c.point = f.read<Vec3f>("contacts/point", first, n);
    c.normal = f.read<Vec3f>("contacts/normal", first, n);
    c.impulse = f.read<Vec3f>("contacts/impulse", first, n);
    c.gap = f.read<float>("contacts/gap", first, n);
    c.body_a = f.read<std::int32_t>("contacts/body_a", first, n);
    c.body_b = f.read<std::int32_t>("contacts/body_b", first, n);
    c.boundary = f.read<std::int32_t>("contacts/boundary", first, n);
    if (f.has("contacts/bond"))
      c.bond = f.read<std::int32_t>("contacts/bond", first, n);
    else
      c.bond.assign(n, -1);  // from an earlier version
    expect_indices("contacts/body_a", c.body_a, 0, place.size());
    expect_indices("contacts/body_b", c.body_b, -1, place.size());
    expect_indices("contacts/boundary", c.boundary, -1, p.run.model.boundaries.size());
    for (std::size_t i = 0; i < n; ++i) {
      if ((c.body_b[i] < 0) == (c.boundary[i] < 0))
        fail("contacts/boundary", fmt::format("row {} must name a boundary, or body_b a body", first + i));
      for (std::int32_t* const partner : {&c.body_a[i], &c.body_b[i]}) {
        if (*partner < 0) continue;
        const std::int32_t named = *partner;
        *partner = place[named];
        if (*partner < 0)
          fail("contacts", fmt::format("row {} has body {}, which is not in frame {}", first + i, named, k));
      }
    }
    return c;
  });
}

bool TrajectoryReader::walls_move() const {
  return parts_->guarded([&] {
    const File& f = parts_->file;
    return f.has("frames/boundary_position") || f.has("frames/boundary_removed");
  });
}

bool TrajectoryReader::is_periodic() const {
  return parts_->guarded([&] { return parts_->file.has("frames/lattice"); });
}

Mat3 TrajectoryReader::lattice(std::size_t k) const {
  return parts_->guarded([&] {
    const auto values = parts_->file.read_wide<double>("frames/lattice", k, 1, 9);
    const Mat3 lattice = Eigen::Map<const Mat3>(values.data());
    if (!lattice.allFinite()) fail("frames/lattice", fmt::format("frame {} has no finite lattice", k));
    return lattice;
  });
}

PlacedCell TrajectoryReader::cell(std::size_t k) const {
  PlacedCell cell;
  if (!is_periodic()) return cell;
  cell.lattice = lattice(k);
  return parts_->guarded([&] {
    const Outlines& outlines = parts_->run.outlines;
    cell.periodic = outlines.periodic;
    cell.centre = outlines.cell_centre.value_or(Vec3::Zero());
    cell.inverse = cell.lattice.inverse();
    cell.volume = std::abs(cell.lattice.determinant());
    // Ratio of its sides up to a million: results of steps are far within.
    constexpr double most_ratio = 1e6;
    const Vec3 longest = cell.lattice.colwise().norm(), widths = cell.inverse.rowwise().norm().cwiseInverse();
    if (!(widths.minCoeff() > longest.maxCoeff() / most_ratio && widths.minCoeff() < infinity))
      fail("frames/lattice", fmt::format("frame {} has a cell without volume", k));
    if (!knows_flow()) return cell;
    const auto values = parts_->file.read_wide<double>("frames/velocity_gradient", k, 1, 9);
    cell.rate = Eigen::Map<const Mat3>(values.data()).transpose();
    if (!cell.rate.allFinite())
      fail("frames/velocity_gradient", fmt::format("frame {} has no finite velocity gradient", k));
    return cell;
  });
}

bool TrajectoryReader::knows_flow() const {
  return parts_->guarded([&] {
    const std::string name = "frames/velocity_gradient";  // a run begun by an older version has too few
    return parts_->file.has(name) && parts_->file.rows(name) >= frames();
  });
}

Boundaries TrajectoryReader::boundaries(std::size_t k) const {
  return parts_->guarded([&] {
    return moved(parts_->run.model.boundaries, parts_->boundary_motion(k), parts_->boundary_removed(k));
  });
}

BodyTrack TrajectoryReader::track(BodyId id) const {
  const Parts& p = *parts_;
  const auto is_it = [&](std::int32_t row) { return p.run.bodies.id[row] == id; };
  BodyTrack track;
  for (std::size_t k = 0; k < frames(); ++k) {
    const std::vector<std::int32_t> body = rows(k);
    const auto found = std::ranges::find_if(body, is_it);
    if (found == body.end()) continue;
    const Frame frame = this->frame(k, {static_cast<std::size_t>(found - body.begin()), 1});
    track.frame.push_back(k);
    track.position.push_back(frame.position[0]);
    track.orientation.push_back(frame.orientation[0]);
    track.velocity.push_back(frame.velocity[0]);
    track.angular_velocity.push_back(frame.angular_velocity[0]);
  }
  return track;
}

Bodies TrajectoryReader::bodies(std::size_t k) const {
  const Frame now = frame(k);
  const Bodies& all = parts_->run.bodies;
  Bodies bodies;
  for (const Vec3f& x : now.position) bodies.position.push_back(x.cast<double>());
  for (const Quaternion4f& q : now.orientation) bodies.orientation.push_back(to_quaternion(q));
  for (const Vec3f& v : now.velocity) bodies.linear_velocity.push_back(v.cast<double>());
  for (const Vec3f& w : now.angular_velocity) bodies.angular_velocity.push_back(w.cast<double>());
  bodies.id = now.constants->id;
  bodies.mass = now.constants->mass;
  bodies.inertia = now.constants->inertia;
  bodies.material = now.constants->material;
  bodies.shape = gathered(all.shape, rows(k));
  return bodies;
}

std::vector<Vec3f> TrajectoryReader::image_shifts(std::size_t k) const {
  Parts& p = *parts_;
  return p.guarded([&] {
    return p.file.has("frames/image_shift") ? p.read<Vec3f>("image_shift", p.rows(k, {}))
                                            : std::vector<Vec3f>{};
  });
}

std::vector<std::int32_t> contacts_of_bodies(const FrameContacts& contacts, std::size_t bodies) {
  std::vector<std::int32_t> count(bodies, 0);
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    if (contacts.impulse[c].isZero(0.0f)) continue;
    ++count[contacts.body_a[c]];
    if (contacts.body_b[c] >= 0) ++count[contacts.body_b[c]];
  }
  return count;
}

}  // namespace scree::io
