#include "io/results/trajectory_reader.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <thread>

#include "io/results/body_fields.h"
#include "io/results/hdf5_objects.h"
#include "io/results/read_error.h"
#include "io/results/trajectory.h"

namespace scree::io {

using namespace hdf5;

namespace {

using Quaternion4f = std::array<float, 4>;

// A frame is flushed within milliseconds; who opens the file just then tries again.
constexpr int attempts = 5;
constexpr std::chrono::milliseconds pause{50};

/// Does what reads from HDF5; puts the file's name into what goes wrong.
template <class F>
auto guarded(const std::string& path, F&& read) {
  print_no_errors();
  try {
    return read();
  } catch (const Error& error) {
    throw ReadError(fmt::format("cannot read {}: {}", path, error.what()));
  }
}

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

void read_bodies(hid_t file, Model& model, Bodies& bodies) {
  bodies.id = read_rows<BodyId>(file, "bodies/id", H5T_NATIVE_INT64);
  bodies.mass = read_rows<double>(file, "bodies/mass", H5T_NATIVE_DOUBLE);
  bodies.inertia = read_rows<Vec3>(file, "bodies/inertia", H5T_NATIVE_DOUBLE);
  for (const auto m : read_rows<std::int32_t>(file, "bodies/material", H5T_NATIVE_INT32)) {
    bodies.material.emplace_back(m);
  }
  const std::size_t n = bodies.id.size();
  std::vector<ShapeDescription> shapes(n);
  for (const ShapeColumn& column : shape_columns) {
    const Handle dataset = open_dataset(file, std::string("bodies/") + column.name);
    std::vector<double> values(n * column.width);
    if (n > 0) read_box(dataset, H5T_NATIVE_DOUBLE, {{0, 0}, {n, column.width}}, values.data());
    for (std::size_t i = 0; i < values.size(); ++i)
      shapes[i / column.width].numbers[column.first + i % column.width] = values[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    const bool same = i > 0 && shapes[i] == shapes[i - 1];
    bodies.shape.push_back(same ? bodies.shape.back() : model.shapes.add(shapes[i]));
  }
  bodies.position.assign(n, Vec3::Zero());
  bodies.orientation.assign(n, Quat::Identity());
  bodies.linear_velocity.assign(n, Vec3::Zero());
  bodies.angular_velocity.assign(n, Vec3::Zero());
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
}

RecordedRun read_run(hid_t file) {
  if (H5Aexists(file, "format") <= 0 || read_text_attribute(file, "format") != "scree trajectory") {
    throw Error("it is not a trajectory of scree");
  }
  if (read_number_attribute(file, "format_version") > trajectory_format_version) {
    throw Error("it was written by a newer version of scree, " + read_text_attribute(file, "scree_version"));
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
  read_bodies(file, run.model, run.bodies);
  read_boundaries(file, run.model.boundaries);
  for (const BodyField& field : body_fields()) {
    const std::string name(field.name);
    if (has_link(file, "frames/" + name)) run.fields.push_back(name);
  }
  return run;
}

/// Frames whose every array has been written.
hsize_t complete_frames(hid_t file, const RecordedRun& run) {
  hsize_t n = std::numeric_limits<hsize_t>::max();
  std::vector<std::string> names{"time", "step", "position", "orientation", "velocity", "angular_velocity"};
  names.insert(names.end(), run.fields.begin(), run.fields.end());
  for (const std::string& name : names) {
    n = std::min(n, dimensions(open_dataset(file, "frames/" + name)).at(0));
  }
  if (has_link(file, "contacts")) {
    n = std::min(n, std::max<hsize_t>(dimensions(open_dataset(file, "contacts/offset")).at(0), 1) - 1);
  }
  return n;
}

/// [frame] some bodies' rows of one frame: T is a row.
template <class T>
std::vector<T> read_frame_rows(hid_t file, const std::string& name, std::size_t k, const BodyRange& range) {
  const Handle dataset = open_dataset(file, "frames/" + name);
  Box box{{}, dimensions(dataset)};
  box.start.assign(box.count.size(), 0);
  box.start.at(0) = k;
  box.start.at(1) = range.first;
  box.count.at(0) = 1;
  box.count.at(1) = range.count;
  std::vector<T> rows(range.count);
  if (!rows.empty()) read_box(dataset, H5T_NATIVE_FLOAT, box, rows.data());
  return rows;
}

/// One body's row of the first `frames` frames.
template <class T>
std::vector<T> read_track(hid_t file, const std::string& name, std::size_t body, std::size_t frames) {
  const Handle dataset = open_dataset(file, "frames/" + name);
  const std::vector<hsize_t> dims = dimensions(dataset);
  std::vector<T> rows(frames);
  if (frames > 0) {
    read_box(dataset, H5T_NATIVE_FLOAT, {{0, body, 0}, {frames, 1, dims.at(2)}}, rows.data());
  }
  return rows;
}

}  // namespace

struct TrajectoryReader::Parts {
  std::string path;
  Handle file;
  RecordedRun run;
  std::vector<double> time_s;
  std::vector<std::int64_t> offset;    // [frame + 1], empty without contacts
  std::vector<std::int32_t> recorded;  // [frame], may be absent

  void read_index() {
    const hid_t f = file.get();
    const hsize_t frames = complete_frames(f, run);
    time_s = read_rows<double>(f, "frames/time", H5T_NATIVE_DOUBLE, 0, frames);
    if (!has_link(f, "contacts")) return;
    offset = read_rows<std::int64_t>(f, "contacts/offset", H5T_NATIVE_INT64, 0, frames + 1);
    recorded.clear();
    if (has_link(f, "contacts/recorded")) {
      recorded = read_rows<std::int32_t>(f, "contacts/recorded", H5T_NATIVE_INT32, 0, frames);
    }
  }

  void open() {
    for (int attempt = 1;; ++attempt) {
      try {
        file = open_file(path);
        if (run.scree_version.empty()) run = read_run(file.get());
        return read_index();
      } catch (const Error&) {
        if (attempt == attempts || !std::filesystem::exists(path)) throw;
        std::this_thread::sleep_for(pause);
      }
    }
  }
};

TrajectoryReader::TrajectoryReader(const std::filesystem::path& path) : parts_(std::make_unique<Parts>()) {
  parts_->path = path.string();
  guarded(parts_->path, [&] { parts_->open(); });
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

void TrajectoryReader::refresh() {
  guarded(parts_->path, [&] {
    parts_->file = Handle();  // what HDF5 has cached of the file would hide what was written since
    parts_->open();
  });
}

Frame TrajectoryReader::frame(std::size_t k, const BodyRange& range) const {
  const Parts& p = *parts_;
  const std::size_t bodies = p.run.bodies.size();
  assert(k < frames() && range.first <= bodies);
  const BodyRange rows{range.first, std::min(range.count, bodies - range.first)};
  return guarded(p.path, [&] {
    const hid_t f = p.file.get();
    Frame frame;
    frame.time_s = p.time_s[k];
    frame.step = read_rows<std::int64_t>(f, "frames/step", H5T_NATIVE_INT64, k, 1).front();
    frame.position = read_frame_rows<Vec3f>(f, "position", k, rows);
    frame.orientation = read_frame_rows<Quaternion4f>(f, "orientation", k, rows);
    frame.velocity = read_frame_rows<Vec3f>(f, "velocity", k, rows);
    frame.angular_velocity = read_frame_rows<Vec3f>(f, "angular_velocity", k, rows);
    for (const std::string& name : p.run.fields) {
      frame.fields.push_back(read_frame_rows<float>(f, name, k, rows));
    }
    return frame;
  });
}

bool TrajectoryReader::has_contacts(std::size_t k) const {
  const Parts& p = *parts_;
  if (p.offset.empty()) return false;
  return p.recorded.empty() || p.recorded.at(k) != 0;
}

FrameContacts TrajectoryReader::contacts(std::size_t k) const {
  const Parts& p = *parts_;
  if (p.offset.empty()) return {};
  const auto first = static_cast<hsize_t>(p.offset.at(k));
  const hsize_t n = static_cast<hsize_t>(p.offset.at(k + 1)) - first;
  return guarded(p.path, [&] {
    const hid_t f = p.file.get();
    FrameContacts c;
    c.point = read_rows<Vec3f>(f, "contacts/point", H5T_NATIVE_FLOAT, first, n);
    c.normal = read_rows<Vec3f>(f, "contacts/normal", H5T_NATIVE_FLOAT, first, n);
    c.impulse = read_rows<Vec3f>(f, "contacts/impulse", H5T_NATIVE_FLOAT, first, n);
    c.gap = read_rows<float>(f, "contacts/gap", H5T_NATIVE_FLOAT, first, n);
    c.body_a = read_rows<std::int32_t>(f, "contacts/body_a", H5T_NATIVE_INT32, first, n);
    c.body_b = read_rows<std::int32_t>(f, "contacts/body_b", H5T_NATIVE_INT32, first, n);
    c.boundary = read_rows<std::int32_t>(f, "contacts/boundary", H5T_NATIVE_INT32, first, n);
    return c;
  });
}

BodyTrack TrajectoryReader::track(std::size_t body) const {
  const Parts& p = *parts_;
  assert(body < p.run.bodies.size());
  return guarded(p.path, [&] {
    const hid_t f = p.file.get();
    return BodyTrack{read_track<Vec3f>(f, "position", body, frames()),
                     read_track<Quaternion4f>(f, "orientation", body, frames()),
                     read_track<Vec3f>(f, "velocity", body, frames()),
                     read_track<Vec3f>(f, "angular_velocity", body, frames())};
  });
}

Bodies TrajectoryReader::bodies(std::size_t k) const {
  const Frame now = frame(k);
  Bodies bodies = parts_->run.bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies.position[i] = now.position[i].cast<double>();
    bodies.orientation[i] = to_quaternion(now.orientation[i]);
    bodies.linear_velocity[i] = now.velocity[i].cast<double>();
    bodies.angular_velocity[i] = now.angular_velocity[i].cast<double>();
  }
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
