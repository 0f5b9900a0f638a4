#include "io/results/text_export.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <span>

#include "io/files/text_file.h"

namespace scree::io {

namespace {

/// All data of a line about body i.
struct Row {
  const Vec3f &position, &velocity, &angular_velocity;
  const std::array<float, 4>& q;  // w x y z
  const Vec3 semi_axes;           // of the enclosing ellipsoid: these formats have no other shape
  BodyId id;
  std::int32_t material;
  double mass;  // kg
};

template <class F>
void for_rows(const RecordedRun& run, const Frame& frame, F&& f) {
  const BodyConstants& bodies = *frame.constants;
  Shapes shapes = run.model.shapes;
  for (std::size_t i = 0; i < bodies.id.size(); ++i) {
    f(Row{frame.position[i], frame.velocity[i], frame.angular_velocity[i], frame.orientation[i],
          enclosing_ellipsoid(shapes, shapes.add(bodies.shape[i])).semi_axes, bodies.id[i],
          bodies.material[i].value, bodies.mass[i]});
  }
}

/// A name without separators of columns.
std::string one_word(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isspace(c) || c == '"'; }, '_');
  return name.empty() ? "_" : name;
}

/// A name without separators of cells.
std::string csv_word(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ',' || c == '"' || c == '\n'; }, '_');
  return name;
}

/// The corner at which a periodic cell begins, m.
Vec3 corner_of(const PlacedCell& cell) { return cell.centre - 0.5 * cell.lattice.rowwise().sum(); }

std::string xyz_frame(const RecordedRun& run, const Frame& frame, const PlacedCell& cell) {
  std::string text = fmt::format(
      "{}\nProperties=species:S:1:id:I:1:pos:R:3:orientation:R:4:aspherical_shape:R:3:velo:R:3:angular_"
      "velocity:R:3 "
      "Time={} Timestep={}",
      frame.position.size(), frame.time_s, frame.step);
  if (cell.is_periodic()) {
    const Vec3 corner = corner_of(cell);
    text += fmt::format(" Lattice=\"{}\" Origin=\"{}\"", fmt::join(std::span(cell.lattice.data(), 9), " "),
                        fmt::join(std::span(corner.data(), 3), " "));
  }
  const auto repeats = [&](std::size_t k) { return cell.periodic[k] ? 'T' : 'F'; };
  text += fmt::format(" pbc=\"{} {} {}\"\n", repeats(0), repeats(1), repeats(2));
  auto out = std::back_inserter(text);
  for_rows(run, frame, [&](const Row& r) {
    fmt::format_to(out, "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}\n",
                   one_word(run.model.materials.name(MaterialIndex(r.material))), r.id, r.position.x(),
                   r.position.y(), r.position.z(), r.q[1], r.q[2], r.q[3], r.q[0], r.semi_axes.x(),
                   r.semi_axes.y(), r.semi_axes.z(), r.velocity.x(), r.velocity.y(), r.velocity.z(),
                   r.angular_velocity.x(), r.angular_velocity.y(), r.angular_velocity.z());
  });
  return text;
}

/// The box that contains all centres of a frame, plus twice the largest semi-axis.
Eigen::AlignedBox3d box_of(const RecordedRun& run, const Frame& frame) {
  Eigen::AlignedBox3d box;
  double margin = 0.0;
  for_rows(run, frame, [&](const Row& r) {
    if (r.position.allFinite()) box.extend(r.position.cast<double>());
    margin = std::max(margin, 2.0 * r.semi_axes.maxCoeff());
  });
  if (box.isEmpty()) box = Eigen::AlignedBox3d(Vec3(Vec3::Zero()));
  return {box.min() - Vec3::Constant(margin), box.max() + Vec3::Constant(margin)};
}

/// The box of a frame in LAMMPS' notation: upright; with its first vector along x and its second normal to z,
/// as after a shear along x; or by its vectors.
std::string lammps_box(const PlacedCell& cell, const Eigen::AlignedBox3d& bodies) {
  std::string ends;
  for (const bool repeats : cell.periodic) ends += repeats ? " pp" : " ff";
  Vec3 low = bodies.min(), high = bodies.max();
  if (cell.is_periodic()) {
    const Mat3& l = cell.lattice;
    const Vec3 corner = corner_of(cell);
    const bool upper = l.isUpperTriangular(0.0) && l.diagonal().minCoeff() > 0.0;
    if (!upper) {
      std::string text = "ITEM: BOX BOUNDS abc origin" + ends + "\n";
      for (int k = 0; k < 3; ++k) text += fmt::format("{} {} {} {}\n", l(0, k), l(1, k), l(2, k), corner[k]);
      return text;
    }
    for (int k = 0; k < 3; ++k) {
      if (!cell.periodic[k]) continue;
      low[k] = corner[k];
      high[k] = corner[k] + l(k, k);
    }
    if (!l.isDiagonal(0.0)) {  // bounds are those of its bounding box
      const double xy = l(0, 1), xz = l(0, 2), yz = l(1, 2);
      low[0] += std::min({0.0, xy, xz, xy + xz});
      high[0] += std::max({0.0, xy, xz, xy + xz});
      low[1] += std::min(0.0, yz);
      high[1] += std::max(0.0, yz);
      return fmt::format("ITEM: BOX BOUNDS xy xz yz{}\n{} {} {}\n{} {} {}\n{} {} {}\n", ends, low[0], high[0],
                         xy, low[1], high[1], xz, low[2], high[2], yz);
    }
  }
  std::string text = "ITEM: BOX BOUNDS" + ends + "\n";
  for (int k = 0; k < 3; ++k) text += fmt::format("{} {}\n", low[k], high[k]);
  return text;
}

std::string lammps_frame(const RecordedRun& run, const Frame& frame, const PlacedCell& cell,
                         const Eigen::AlignedBox3d& box) {
  std::string text =
      fmt::format("ITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{}\n", frame.step, frame.position.size()) +
      lammps_box(cell, box);
  text +=
      "ITEM: ATOMS id type x y z vx vy vz omegax omegay omegaz quatw quati quatj quatk shapex shapey shapez "
      "mass\n";
  auto out = std::back_inserter(text);
  for_rows(run, frame, [&](const Row& r) {
    // Ids and types of LAMMPS count from 1.
    fmt::format_to(out, "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}\n", r.id + 1,
                   r.material + 1, r.position.x(), r.position.y(), r.position.z(), r.velocity.x(),
                   r.velocity.y(), r.velocity.z(), r.angular_velocity.x(), r.angular_velocity.y(),
                   r.angular_velocity.z(), r.q[0], r.q[1], r.q[2], r.q[3], 2.0 * r.semi_axes.x(),
                   2.0 * r.semi_axes.y(), 2.0 * r.semi_axes.z(), r.mass);
  });
  return text;
}

constexpr const char* csv_header = "time_s,id,material,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,a,b,c\n";

std::string csv_frame(const RecordedRun& run, const Frame& frame) {
  std::string text;
  auto out = std::back_inserter(text);
  for_rows(run, frame, [&](const Row& r) {
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", frame.time_s, r.id,
                   csv_word(run.model.materials.name(MaterialIndex(r.material))), r.position.x(),
                   r.position.y(), r.position.z(), r.q[0], r.q[1], r.q[2], r.q[3], r.velocity.x(),
                   r.velocity.y(), r.velocity.z(), r.angular_velocity.x(), r.angular_velocity.y(),
                   r.angular_velocity.z(), r.semi_axes.x(), r.semi_axes.y(), r.semi_axes.z());
  });
  return text;
}

std::string frame_text(TextFormat format, const RecordedRun& run, const Frame& frame, const PlacedCell& cell,
                       const Eigen::AlignedBox3d& box) {
  switch (format) {
    case TextFormat::extended_xyz:
      return xyz_frame(run, frame, cell);
    case TextFormat::lammps_dump:
      return lammps_frame(run, frame, cell, box);
    case TextFormat::csv:
      return csv_frame(run, frame);
  }
  return "";
}

}  // namespace

void write_text(const std::filesystem::path& path, TextFormat format, const TrajectoryReader& reader,
                const std::vector<std::size_t>& frames, const std::function<void(std::size_t)>& done) {
  TextFile file(path);
  if (format == TextFormat::csv) file.write(csv_header);
  Eigen::AlignedBox3d box;  // one for all frames: programs use that of the first
  if (format == TextFormat::lammps_dump) {
    for (const std::size_t k : frames) box.extend(box_of(reader.run(), reader.frame(k)));
  }
  for (const std::size_t k : frames) {
    file.write(frame_text(format, reader.run(), reader.frame(k), reader.cell(k), box));
    done(k);
  }
  file.close();
}

}  // namespace scree::io
