#include "io/results/trajectory_reader.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <thread>

#include "io/files/file_errors.h"
#include "io/files/journaled_file.h"
#include "io/results/body_fields.h"
#include "io/results/trajectory.h"

namespace scree::io {

using namespace hdf5;

namespace {

using Quaternion4f = std::array<float, 4>;

// A frame is flushed within milliseconds; who reads just then tries again, a quarter of a second long.
constexpr int attempts = 10;
constexpr std::chrono::milliseconds first_pause{1}, longest_pause{64};

Quat to_quaternion(const Quaternion4f& q) { return Quat(q[0], q[1], q[2], q[3]).normalized(); }

void read_materials(hid_t file, Materials& materials) {
  const std::vector<std::string> names = read_texts(file, "materials/name");
  const auto density = read_rows<double>(file, "materials/density", H5T_NATIVE_DOUBLE);
  const std::size_t n = names.size();
  for (std::size_t a = 0; a < n; ++a) materials.add(names[a], density.at(a));
  const auto table = [&](const std::string& name) {
    const Handle dataset = open_dataset(file, "materials/" + name);
    std::vector<double> values(n * n);
    if (n > 0) read_box(dataset, H5T_NATIVE_DOUBLE, {{0, 0}, {n, n}}, values.data());
    return values;
  };
  const auto friction = table("friction"), torsional = table("torsional_friction"),
             rolling = table("rolling_friction"), restitution = table("restitution");
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const std::size_t i = a * n + b;
      materials.set_law(MaterialIndex(static_cast<std::int64_t>(a)),
                        MaterialIndex(static_cast<std::int64_t>(b)),
                        {friction[i], torsional[i], rolling[i], restitution[i]});
    }
  }
}

void read_functions(hid_t file, Shapes& shapes) {
  if (!has_link(file, "functions")) return;
  const std::vector<std::string> names = read_texts(file, "functions/name");
  const auto row = read_rows<std::int32_t>(file, "functions/row", H5T_NATIVE_INT32);
  const auto weight = read_rows<double>(file, "functions/weight", H5T_NATIVE_DOUBLE);
  const auto quadrics = [&](const std::string& name, std::size_t n) {
    std::vector<Quadric> read(n);
    const Handle dataset = open_dataset(file, "functions/" + name);
    if (n > 0) read_box(dataset, H5T_NATIVE_DOUBLE, {{0, 0}, {n, 10}}, &read[0].xx);
    return read;
  };
  const std::vector<Quadric> base = quadrics("base", names.size()),
                             perturbation = quadrics("perturbation", weight.size());
  for (std::size_t f = 0; f < names.size(); ++f) {
    PerturbedQuadric given{base[f], {}};
    for (auto k = row.at(f); k < row.at(f + 1); ++k) {
      const auto p = static_cast<std::size_t>(k);
      given.perturbations.push_back({perturbation.at(p), weight.at(p)});
    }
    ShapeFindings findings;
    const auto made = make_implicit_shape(given, {}, findings);
    if (!made) throw Error(fmt::format("the function '{}' is no body", names[f]));
    shapes.add_function({names[f], given, std::make_shared<ImplicitShape>(*made)});
  }
}

/// The rows that `bodies` does not have yet.
void read_bodies(hid_t file, Model& model, Bodies& bodies) {
  const hsize_t first = bodies.size(), n = dimensions(open_dataset(file, "bodies/id")).at(0) - first;
  const auto rows = [&]<class T>(const std::vector<T>&, const std::string& name, hid_t type) {
    return read_rows<T>(file, "bodies/" + name, type, first, n);
  };
  // All is read before anything is added: reading may fail, and is tried again, while the run writes.
  const auto id = rows(bodies.id, "id", H5T_NATIVE_INT64);
  const auto mass = rows(bodies.mass, "mass", H5T_NATIVE_DOUBLE);
  const auto inertia = rows(bodies.inertia, "inertia", H5T_NATIVE_DOUBLE);
  const auto material = rows(bodies.material, "material", H5T_NATIVE_INT32);
  std::vector<ShapeDescription> shapes(n);
  const auto kinds = read_rows<std::int32_t>(file, "bodies/shape", H5T_NATIVE_INT32, first, n);
  for (std::size_t i = 0; i < n; ++i) shapes[i].kind = static_cast<ShapeKind>(kinds[i]);
  for (const ShapeColumn& column : shape_columns) {
    if (!has_link(file, std::string("bodies/") + column.name)) continue;  // of older runs
    std::vector<double> values(n * column.width);
    const Handle dataset = open_dataset(file, std::string("bodies/") + column.name);
    if (n > 0) read_box(dataset, H5T_NATIVE_DOUBLE, {{first, 0}, {n, column.width}}, values.data());
    for (std::size_t i = 0; i < values.size(); ++i)
      shapes[i / column.width].numbers[column.first + i % column.width] = values[i];
  }
  const auto append = [](auto& to, const auto& values) { to.insert(to.end(), values.begin(), values.end()); };
  append(bodies.id, id);
  append(bodies.mass, mass);
  append(bodies.inertia, inertia);
  append(bodies.material, material);
  for (std::size_t i = 0; i < n; ++i) {
    const bool same = i > 0 && shapes[i] == shapes[i - 1];
    bodies.shape.push_back(same ? bodies.shape.back() : model.shapes.add(shapes[i]));
  }
  bodies.position.resize(first + n, Vec3::Zero());
  bodies.orientation.resize(first + n, Quat::Identity());
  bodies.linear_velocity.resize(first + n, Vec3::Zero());
  bodies.angular_velocity.resize(first + n, Vec3::Zero());
}

void read_meshes(hid_t file, Boundaries& boundaries) {
  if (!has_link(file, "boundaries/meshes")) return;
  const std::string group = "boundaries/meshes/";
  const auto boundary = read_rows<std::int32_t>(file, group + "boundary", H5T_NATIVE_INT32);
  const auto position = read_rows<Vec3>(file, group + "position", H5T_NATIVE_DOUBLE);
  const auto orientation = read_rows<std::array<double, 4>>(file, group + "orientation", H5T_NATIVE_DOUBLE);
  const auto point_offset = read_rows<std::int64_t>(file, group + "point_offset", H5T_NATIVE_INT64),
             triangle_offset = read_rows<std::int64_t>(file, group + "triangle_offset", H5T_NATIVE_INT64);
  for (std::size_t k = 0; k < boundary.size(); ++k) {
    const auto rows_of = [&](const std::vector<std::int64_t>& offset) {
      const std::int64_t first = offset.at(k), end = offset.at(k + 1);
      if (first < 0 || end < first) throw Error("the offsets of its meshes do not rise");
      return std::pair(static_cast<hsize_t>(first), static_cast<hsize_t>(end - first));
    };
    const auto [first_point, points] = rows_of(point_offset);
    const auto [first_triangle, triangles] = rows_of(triangle_offset);
    TriangleMesh mesh{read_rows<Vec3>(file, group + "point", H5T_NATIVE_DOUBLE, first_point, points),
                      read_rows<std::array<std::int32_t, 3>>(file, group + "triangle", H5T_NATIVE_INT32,
                                                             first_triangle, triangles)};
    for (const auto& t : mesh.triangles) {
      for (const std::int32_t p : t) {
        if (p < 0 || static_cast<std::size_t>(p) >= mesh.points.size())
          throw Error("a triangle of a mesh names a point that is not there");
      }
    }
    MeshFindings none;
    const auto& [w, x, y, z] = orientation.at(k);
    boundaries.at(static_cast<std::size_t>(boundary[k])).surface =
        PlacedMesh{std::make_shared<MeshSurface>(mesh_surface(mesh, none)),
                   {position.at(k), Quat(w, x, y, z).normalized()}};
  }
}

void read_revolved(hid_t file, Boundaries& boundaries) {
  if (!has_link(file, "boundaries/revolved")) return;
  const std::string group = "boundaries/revolved/";
  const auto whole = [&](const char* name) {
    return read_rows<std::int32_t>(file, group + name, H5T_NATIVE_INT32);
  };
  const auto boundary = whole("boundary"), closed = whole("closed"), hollow = whole("hollow");
  const auto position = read_rows<Vec3>(file, group + "position", H5T_NATIVE_DOUBLE);
  const auto orientation = read_rows<std::array<double, 4>>(file, group + "orientation", H5T_NATIVE_DOUBLE);
  const auto rounding = read_rows<double>(file, group + "rounding", H5T_NATIVE_DOUBLE);
  const auto offset = read_rows<std::int64_t>(file, group + "offset", H5T_NATIVE_INT64);
  const auto corner = read_rows<std::array<double, 2>>(file, group + "corner", H5T_NATIVE_DOUBLE);
  for (std::size_t k = 0; k < boundary.size(); ++k) {
    std::vector<Vec2> corners;
    for (auto c = offset.at(k); c < offset.at(k + 1); ++c) {
      const auto& [r, z] = corner.at(static_cast<std::size_t>(c));
      corners.emplace_back(r, z);
    }
    if (corners.empty()) throw Error("a profile of a surface of revolution has no corner");
    RevolvedSurface surface = hollow.at(k) != 0
                                  ? hollow_sphere(rounding.at(k))
                                  : revolved_surface(corners, closed.at(k) != 0, rounding.at(k));
    const auto& [w, x, y, z] = orientation.at(k);
    boundaries.at(static_cast<std::size_t>(boundary[k])).surface =
        PlacedRevolved{std::make_shared<RevolvedSurface>(std::move(surface)),
                       {position.at(k), Quat(w, x, y, z).normalized()}};
  }
}

void read_boundaries(hid_t file, Boundaries& boundaries) {
  const std::vector<std::string> names = read_texts(file, "boundaries/name");
  const auto material = read_rows<std::int32_t>(file, "boundaries/material", H5T_NATIVE_INT32);
  for (std::size_t i = 0; i < names.size(); ++i) {
    boundaries.push_back({names[i], MaterialIndex(material.at(i)), Plane{}});
  }
  const auto rows = [&](const std::string& name) {
    return read_rows<std::int32_t>(file, "boundaries/" + name, H5T_NATIVE_INT32);
  };
  const auto vectors = [&](const std::string& name) {
    return read_rows<Vec3>(file, "boundaries/" + name, H5T_NATIVE_DOUBLE);
  };
  const auto numbers = [&](const std::string& name) {
    return read_rows<double>(file, "boundaries/" + name, H5T_NATIVE_DOUBLE);
  };
  const auto planes = rows("planes/boundary"), tubes = rows("tubes/boundary");
  const auto point = vectors("planes/point"), normal = vectors("planes/normal");
  for (std::size_t i = 0; i < planes.size(); ++i) {
    boundaries.at(static_cast<std::size_t>(planes[i])).surface = Plane{point.at(i), normal.at(i)};
  }
  const auto start = vectors("tubes/start"), end = vectors("tubes/end");
  const auto radius = numbers("tubes/inner_radius"), thickness = numbers("tubes/thickness");
  for (std::size_t i = 0; i < tubes.size(); ++i) {
    boundaries.at(static_cast<std::size_t>(tubes[i])).surface =
        Tube{start.at(i), end.at(i), radius.at(i), thickness.at(i)};
  }
  read_meshes(file, boundaries);
  read_revolved(file, boundaries);
}

RecordedRun read_run(hid_t file) {
  if (H5Aexists(file, "format") <= 0 || read_text_attribute(file, "format") != "scree trajectory") {
    throw Error("it is not a trajectory of scree");
  }
  const double version = read_number_attribute(file, "format_version");
  if (version != trajectory_format_version) {
    throw Error(
        fmt::format("it is of format {}, written by scree {}, and this version of scree reads format {} only",
                    version, read_text_attribute(file, "scree_version"), trajectory_format_version));
  }
  RecordedRun run;
  run.scene = read_text_attribute(file, "scene");
  run.description = read_text_attribute(file, "description");
  run.scree_version = read_text_attribute(file, "scree_version");
  run.created = read_text_attribute(file, "created");
  const auto known = [&](const char* name) {
    return H5Aexists(file, name) > 0 ? read_text_attribute(file, name) : std::string("unknown");
  };
  run.made_with = {known("commit"), known("compiler"), known("machine")};
  const Handle scene(H5Gopen2(file, "scene", H5P_DEFAULT), H5Gclose, "scene");
  run.model.settings.gravity = read_vector_attribute(scene.get(), "gravity_m_s2");
  run.model.settings.time_step_s = read_number_attribute(scene.get(), "time_step_s");
  if (H5Aexists(scene.get(), "least_time_step_s") > 0) {
    run.model.settings.adaptive_step = true;
    run.model.settings.least_time_step_s = read_number_attribute(scene.get(), "least_time_step_s");
  }
  run.end_time_s = read_number_attribute(scene.get(), "end_time_s");
  run.frame_interval_s = read_number_attribute(scene.get(), "frame_interval_s");
  run.impulse_time_s = run.model.settings.time_step_s;
  if (H5Aexists_by_name(file, "contacts", "impulse_time_s", H5P_DEFAULT) > 0) {
    const Handle contacts(H5Gopen2(file, "contacts", H5P_DEFAULT), H5Gclose, "contacts");
    run.impulse_time_s = read_number_attribute(contacts.get(), "impulse_time_s");
  }
  run.text = read_texts(file, "scene/text").at(0);
  run.overrides = read_texts(file, "scene/overrides");
  read_materials(file, run.model.materials);
  read_boundaries(file, run.model.boundaries);
  read_functions(file, run.model.shapes);
  for (const BodyField& field : body_fields()) {
    const std::string name(field.name);
    if (has_link(file, "frames/" + name)) run.fields.push_back(name);
  }
  return run;
}

/// Frames whose every array has been written; `offset` [frame + 1] is cut off behind them.
hsize_t complete_frames(hid_t file, const RecordedRun& run, std::vector<std::int64_t>& offset) {
  const auto rows = [&](const std::string& name) { return dimensions(open_dataset(file, name)).at(0); };
  offset = read_rows<std::int64_t>(file, "frames/offset", H5T_NATIVE_INT64);
  hsize_t n = std::min(rows("frames/time"), rows("frames/step"));
  if (has_link(file, "contacts")) n = std::min(n, std::max<hsize_t>(rows("contacts/offset"), 1) - 1);
  hsize_t written = std::numeric_limits<hsize_t>::max();
  std::vector<std::string> names{"body", "position", "orientation", "velocity", "angular_velocity"};
  names.insert(names.end(), run.fields.begin(), run.fields.end());
  for (const std::string& name : names) written = std::min(written, rows("frames/" + name));
  n = std::min<hsize_t>(n, std::max<hsize_t>(offset.size(), 1) - 1);
  while (n > 0 && static_cast<hsize_t>(offset[n]) > written) --n;
  offset.resize(n + 1);
  return n;
}

template <class T>
std::vector<T> gathered(const std::vector<T>& values, const std::vector<std::int32_t>& rows) {
  std::vector<T> result;
  result.reserve(rows.size());
  for (const std::int32_t row : rows) result.push_back(values.at(static_cast<std::size_t>(row)));
  return result;
}

}  // namespace

struct TrajectoryReader::Parts {
  std::string path;
  Handle file;
  RecordedRun run;
  std::vector<double> time_s;
  std::vector<std::int64_t> body_offset;           // [frame + 1]
  std::vector<std::int64_t> offset;                // [frame + 1] of contacts, empty without
  std::vector<std::int32_t> recorded;              // [frame], may be absent
  std::shared_ptr<const BodyConstants> constants;  // of the frame that was read last

  void read_index() {
    const hid_t f = file.get();
    read_bodies(f, run.model, run.bodies);
    const hsize_t frames = complete_frames(f, run, body_offset);
    time_s = read_rows<double>(f, "frames/time", H5T_NATIVE_DOUBLE, 0, frames);
    if (!has_link(f, "contacts")) return;
    offset = read_rows<std::int64_t>(f, "contacts/offset", H5T_NATIVE_INT64, 0, frames + 1);
    recorded.clear();
    if (has_link(f, "contacts/recorded")) {
      recorded = read_rows<std::int32_t>(f, "contacts/recorded", H5T_NATIVE_INT32, 0, frames);
    }
  }

  /// Rows of frame k in the arrays of /frames.
  struct Rows {
    hsize_t first, count;
  };
  Rows rows(std::size_t k, const BodyRange& range = {}) const {
    const auto begin = static_cast<std::size_t>(body_offset.at(k)),
               n = static_cast<std::size_t>(body_offset.at(k + 1)) - begin;
    assert(range.first <= n);
    return {begin + range.first, std::min(range.count, n - range.first)};
  }

  /// [boundary] since rest; empty if none moves.
  std::vector<Pose> boundary_motion(std::size_t k) const {
    const std::size_t n = run.model.boundaries.size();
    if (n == 0 || !has_link(file.get(), "frames/boundary_position")) return {};
    std::vector<double> at(3 * n), turn(4 * n);
    read_box(open_dataset(file.get(), "frames/boundary_position"), H5T_NATIVE_DOUBLE, {{k, 0, 0}, {1, n, 3}},
             at.data());
    read_box(open_dataset(file.get(), "frames/boundary_orientation"), H5T_NATIVE_DOUBLE,
             {{k, 0, 0}, {1, n, 4}}, turn.data());
    std::vector<Pose> motion;
    for (std::size_t b = 0; b < n; ++b)
      motion.push_back({Vec3(at.data() + 3 * b),
                        Quat(turn[4 * b], turn[4 * b + 1], turn[4 * b + 2], turn[4 * b + 3]).normalized()});
    return motion;
  }

  /// [boundary] is it not there any more? Empty if none can go.
  std::vector<std::int32_t> boundary_removed(std::size_t k) const {
    const std::size_t n = run.model.boundaries.size();
    if (n == 0 || !has_link(file.get(), "frames/boundary_removed")) return {};
    std::vector<std::int32_t> removed(n);
    read_box(open_dataset(file.get(), "frames/boundary_removed"), H5T_NATIVE_INT32, {{k, 0}, {1, n}},
             removed.data());
    return removed;
  }

  template <class T>
  std::vector<T> read(const std::string& name, hid_t type, const Rows& rows) const {
    return read_rows<T>(file.get(), "frames/" + name, type, rows.first, rows.count);
  }

  /// Does what reads from HDF5; puts the file's name into what goes wrong. While the run flushes a frame,
  /// what HDF5 has cached of the file does not fit what it reads: then it is opened anew.
  template <class F>
  auto guarded(F&& read) {
    print_no_errors();
    std::chrono::milliseconds pause = first_pause;
    for (int attempt = 1;; ++attempt) {
      try {
        if (file.get() < 0) file = read_journaled_file(path);
        return read();
      } catch (const Error& error) {
        file = Handle();
        if (attempt == attempts || !std::filesystem::exists(path))
          throw ReadError(fmt::format("cannot read {}: {}", path, error.what()));
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, longest_pause);
    }
  }

  void open() {
    file = Handle();  // what HDF5 has cached of the file would hide what was written since
    guarded([&] {
      if (run.scree_version.empty()) run = read_run(file.get());
      read_index();
    });
  }
};

TrajectoryReader::TrajectoryReader(const std::filesystem::path& path) : parts_(std::make_unique<Parts>()) {
  parts_->path = path.string();
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
    frame.step = read_rows<std::int64_t>(p.file.get(), "frames/step", H5T_NATIVE_INT64, k, 1).front();
    const auto body = p.read<std::int32_t>("body", H5T_NATIVE_INT32, rows);
    const Bodies& all = p.run.bodies;
    if (!p.constants || p.constants->id != gathered(all.id, body)) {
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
    frame.position = p.read<Vec3f>("position", H5T_NATIVE_FLOAT, rows);
    frame.orientation = p.read<Quaternion4f>("orientation", H5T_NATIVE_FLOAT, rows);
    frame.velocity = p.read<Vec3f>("velocity", H5T_NATIVE_FLOAT, rows);
    frame.angular_velocity = p.read<Vec3f>("angular_velocity", H5T_NATIVE_FLOAT, rows);
    frame.boundary_motion = p.boundary_motion(k);
    frame.boundary_removed = p.boundary_removed(k);
    for (const std::string& name : p.run.fields) {
      frame.fields.push_back(p.read<float>(name, H5T_NATIVE_FLOAT, rows));
    }
    return frame;
  });
}

std::vector<std::int32_t> TrajectoryReader::rows(std::size_t k) const {
  return parts_->guarded(
      [&] { return parts_->read<std::int32_t>("body", H5T_NATIVE_INT32, parts_->rows(k)); });
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
  std::vector<std::int32_t> place(p.run.bodies.size(), -1);  // [row of /bodies] in the frame
  for (std::size_t i = 0; i < body.size(); ++i)
    place.at(static_cast<std::size_t>(body[i])) = static_cast<std::int32_t>(i);
  const auto first = static_cast<hsize_t>(p.offset.at(k));
  const hsize_t n = static_cast<hsize_t>(p.offset.at(k + 1)) - first;
  return p.guarded([&] {
    const hid_t f = p.file.get();
    FrameContacts c;
    c.point = read_rows<Vec3f>(f, "contacts/point", H5T_NATIVE_FLOAT, first, n);
    c.normal = read_rows<Vec3f>(f, "contacts/normal", H5T_NATIVE_FLOAT, first, n);
    c.impulse = read_rows<Vec3f>(f, "contacts/impulse", H5T_NATIVE_FLOAT, first, n);
    c.gap = read_rows<float>(f, "contacts/gap", H5T_NATIVE_FLOAT, first, n);
    c.body_a = read_rows<std::int32_t>(f, "contacts/body_a", H5T_NATIVE_INT32, first, n);
    c.body_b = read_rows<std::int32_t>(f, "contacts/body_b", H5T_NATIVE_INT32, first, n);
    for (auto* bodies : {&c.body_a, &c.body_b}) {
      for (std::int32_t& i : *bodies) i = i >= 0 ? place.at(static_cast<std::size_t>(i)) : i;
    }
    c.boundary = read_rows<std::int32_t>(f, "contacts/boundary", H5T_NATIVE_INT32, first, n);
    return c;
  });
}

bool TrajectoryReader::walls_move() const {
  return parts_->guarded([&] {
    const hid_t f = parts_->file.get();
    return has_link(f, "frames/boundary_position") || has_link(f, "frames/boundary_removed");
  });
}

Boundaries TrajectoryReader::boundaries(std::size_t k) const {
  return parts_->guarded([&] {
    return moved(parts_->run.model.boundaries, parts_->boundary_motion(k), parts_->boundary_removed(k));
  });
}

BodyTrack TrajectoryReader::track(BodyId id) const {
  const Parts& p = *parts_;
  const auto row = std::find(p.run.bodies.id.begin(), p.run.bodies.id.end(), id) - p.run.bodies.id.begin();
  BodyTrack track;
  for (std::size_t k = 0; k < frames(); ++k) {
    const std::vector<std::int32_t> body = rows(k);
    const auto found = std::find(body.begin(), body.end(), row);
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

std::vector<std::int32_t> contacts_of_bodies(const FrameContacts& contacts, std::size_t bodies) {
  std::vector<std::int32_t> count(bodies, 0);
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    if (contacts.impulse[c].isZero(0.0f)) continue;
    ++count[static_cast<std::size_t>(contacts.body_a[c])];
    if (contacts.body_b[c] >= 0) ++count[static_cast<std::size_t>(contacts.body_b[c])];
  }
  return count;
}

}  // namespace scree::io
