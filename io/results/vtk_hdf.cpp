#include "io/results/vtk_hdf.h"

#include <array>
#include <fmt/format.h>
#include <numeric>
#include <span>

#include "engine/geometry/glyph.h"
#include "io/files/file_errors.h"
#include "io/files/hdf5_checks.h"
#include "io/files/hdf5_file.h"
#include "io/files/hdf5_objects.h"
#include "io/files/text_file.h"

namespace scree::io {

namespace {

using namespace hdf5;
namespace fs = std::filesystem;

constexpr const char* topologies[] = {"Vertices", "Lines", "Polygons", "Strips"};
constexpr hsize_t chunk = 16384;  // rows of constants

// VTK's reader wants texts of fixed length, and the version as a pair.
void write_header(hid_t group) {
  const std::string type = "PolyData";
  const Handle text(H5Tcopy(H5T_C_S1), H5Tclose, "Type");
  check(H5Tset_size(text.get(), type.size()), "Type");
  check(H5Tset_strpad(text.get(), H5T_STR_NULLPAD), "Type");
  const Handle one(H5Screate(H5S_SCALAR), H5Sclose, "Type");
  const Handle kind(H5Acreate2(group, "Type", text.get(), one.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                    "Type");
  check(H5Awrite(kind.get(), text.get(), type.data()), "Type");
  const std::array<std::int64_t, 2> number{2, 0};
  const hsize_t two = 2;
  const Handle pair(H5Screate_simple(1, &two, nullptr), H5Sclose, "Version");
  const Handle version(H5Acreate2(group, "Version", H5T_NATIVE_INT64, pair.get(), H5P_DEFAULT, H5P_DEFAULT),
                       H5Aclose, "Version");
  check(H5Awrite(version.get(), H5T_NATIVE_INT64, number.data()), "Version");
}

/// Points with times whose coordinates and arrays are datasets of another file. Each time has its own range
/// of rows.
class LinkedPoints {
 public:
  LinkedPoints(const fs::path& path, std::string trajectory, const std::string& points)
      : path_(path), trajectory_(std::move(trajectory)) {
    std::error_code none;
    fs::remove(temporary_name(path_), none);
    file_ = create_file(temporary_name(path_).string());
    root_ = create_group(file_.get(), "VTKHDF");
    write_header(root_.get());
    steps_ = create_group(root_.get(), "Steps");
    data_ = create_group(root_.get(), "PointData");
    link_to(root_.get(), points, "Points");
  }
  ~LinkedPoints() {
    std::error_code none;
    if (!done_) fs::remove(temporary_name(path_), none);
  }
  LinkedPoints(const LinkedPoints&) = delete;
  LinkedPoints& operator=(const LinkedPoints&) = delete;

  void link(const std::string& dataset, const std::string& name) const {
    link_to(data_.get(), dataset, name);
  }
  /// Where an array's own values for each frame begin; without this, they begin with the points.
  void set_offsets(const std::string& name, const std::vector<std::int64_t>& offset) {
    const Handle group = group_for(steps_.get(), "PointDataOffsets");
    write_rows(group.get(), {name, "1", "[time] first row"}, offset.data(), offset.size());
  }
  hid_t data() const { return data_.get(); }

  void add(double time_s, std::int64_t first, std::int64_t count) {
    time_s_.push_back(time_s);
    first_.push_back(first);
    count_.push_back(count);
  }
  std::size_t size() const { return time_s_.size(); }

  fs::path finish() {
    write_points();
    write_steps();
    data_ = {};
    steps_ = {};
    root_ = {};
    file_.close("writing");
    rename_file(temporary_name(path_), path_);
    done_ = true;
    return path_;
  }

 private:
  void link_to(hid_t group, const std::string& dataset, const std::string& name) const {
    check(H5Lcreate_external(trajectory_.c_str(), ("/" + dataset).c_str(), group, name.c_str(), H5P_DEFAULT,
                             H5P_DEFAULT),
          name);
  }

  /// One cell per time holds all points; the numbers of the points are stored once, for the largest time.
  void write_points() const {
    const auto list = [](hid_t where, const char* name, const std::vector<std::int64_t>& values) {
      write_rows(where, {name, "1", "of VTKHDF"}, values.data(), values.size());
    };
    list(root_.get(), "NumberOfPoints", count_);
    const std::vector<std::int64_t> none(size(), 0);
    for (const char* const topology : topologies) {
      const Handle group = create_group(root_.get(), topology);
      std::vector<std::int64_t> cells = none, offset = none, number;
      if (topology == topologies[0]) {
        offset.clear();
        for (std::size_t k = 0; k < size(); ++k) {
          cells[k] = count_[k] > 0 ? 1 : 0;
          offset.push_back(0);
          if (count_[k] > 0) offset.push_back(count_[k]);
        }
        number.resize(static_cast<std::size_t>(count_.empty() ? 0 : *std::ranges::max_element(count_)));
        std::iota(number.begin(), number.end(), 0);
        list(group.get(), "NumberOfConnectivityIds", count_);
      } else {
        list(group.get(), "NumberOfConnectivityIds", none);
      }
      list(group.get(), "NumberOfCells", cells);
      list(group.get(), "Offsets", offset);
      Growing connectivity(group.get(), {"Connectivity", "1", "of VTKHDF"}, H5T_NATIVE_INT64,
                           Growing::Layout{{}, chunk});
      connectivity.append(number.data(), number.size());
    }
  }

  void write_steps() const {
    const hid_t g = steps_.get();
    write_attribute(g, "NSteps", static_cast<std::int64_t>(size()));
    write_rows(g, {"Values", "s", "[time]"}, time_s_.data(), size());
    std::vector<std::int64_t> number(size()), cells(4 * size(), 0);
    const std::vector<std::int64_t> one(size(), 1), none(4 * size(), 0);
    std::iota(number.begin(), number.end(), 0);
    for (std::size_t k = 1; k < size(); ++k) cells[4 * k] = cells[4 * (k - 1)] + (count_[k - 1] > 0 ? 1 : 0);
    write_rows(g, {"PartOffsets", "1", "[time]"}, number.data(), size());
    write_rows(g, {"NumberOfParts", "1", "[time]"}, one.data(), size());
    write_rows(g, {"PointOffsets", "1", "[time]"}, first_.data(), size());
    write_rows(g, {"CellOffsets", "1", "[time, 4]"}, cells.data(), size(), 4);
    write_rows(g, {"ConnectivityIdOffsets", "1", "[time, 4]"}, none.data(), size(), 4);
  }

  fs::path path_;
  std::string trajectory_;
  Handle file_, root_, steps_, data_;
  std::vector<double> time_s_;
  std::vector<std::int64_t> first_, count_;
  bool done_ = false;
};

/// Constants of all bodies of a run, written for one set of bodies after the other.
class BodyConstantsList {
 public:
  BodyConstantsList(const RecordedRun& run, hid_t group) {
    const Bodies& bodies = run.bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Vec3f radii = enclosing_ellipsoid(run.model.shapes, bodies.shape[i]).semi_axes.cast<float>();
      radii_.push_back({radii[0], radii[1], radii[2]});
      const Glyph shown = glyph(run.model.shapes, bodies.shape[i]);
      glyph_.push_back(shown.mesh);
      const Vec3f scale = shown.scale.cast<float>();
      scale_.push_back({scale[0], scale[1], scale[2]});
      material_.push_back(bodies.material[i].value);
      id_.push_back(bodies.id[i]);
    }
    const Growing::Layout scalar{{}, chunk}, vector{{3}, chunk};
    arrays_.emplace_back(group, Label{"id", "1", "[row] persistent number"}, H5T_NATIVE_INT64, scalar);
    arrays_.emplace_back(group, Label{"material", "1", "[row]"}, H5T_NATIVE_INT32, scalar);
    arrays_.emplace_back(group, Label{"radii", "m", "[row, 3] semi-axes"}, H5T_NATIVE_FLOAT, vector);
    if (run.model.shapes.only_ellipsoids()) return;
    arrays_.emplace_back(group, Label{"shape", "1", "[row] mesh that shows the body"}, H5T_NATIVE_INT32,
                         scalar);
    arrays_.emplace_back(group, Label{"scale", "m", "[row, 3] unit of length of that mesh"}, H5T_NATIVE_FLOAT,
                         vector);
  }

  /// The row at which the constants of these bodies begin.
  std::int64_t offset_of(const std::vector<std::int32_t>& rows) {
    if (rows == last_ && written_ > 0) return begin_;
    last_ = rows;
    begin_ = written_;
    written_ += static_cast<std::int64_t>(rows.size());
    append(arrays_[0], id_);
    append(arrays_[1], material_);
    append(arrays_[2], radii_);
    if (arrays_.size() > 3) append(arrays_[3], glyph_);
    if (arrays_.size() > 4) append(arrays_[4], scale_);
    return begin_;
  }
  static constexpr const char* names[] = {"id", "material", "radii", "shape", "scale"};
  std::size_t size() const { return arrays_.size(); }

 private:
  template <class T>
  void append(Growing& array, const std::vector<T>& of_body) const {
    std::vector<T> values;
    values.reserve(last_.size());
    for (const std::int32_t row : last_) values.push_back(of_body[row]);
    array.append(values.data(), values.size());
  }

  std::vector<std::int64_t> id_;
  std::vector<std::int32_t> material_, glyph_, last_;
  std::vector<std::array<float, 3>> radii_, scale_;
  std::vector<Growing> arrays_;
  std::int64_t begin_ = 0, written_ = 0;
};

/// The trajectory, read array by array.
class Source {
  template <class F>
  auto guarded(F&& f) const {
    try {
      return f();
    } catch (const Error& e) {
      throw ReadError(fmt::format("cannot read {}: {}", path_.string(), e.what()));
    }
  }

 public:
  explicit Source(const fs::path& path) : path_(path) {
    guarded([&] { file_ = File(path_); });
  }

  bool has(const std::string& path) const {
    return guarded([&] { return file_.has(path); });
  }

  /// [frame + 1] first rows of frames.
  std::vector<std::int64_t> offsets(const std::string& path, std::size_t frames) const {
    return guarded([&] {
      auto offset = file_.read<std::int64_t>(path, 0, frames + 1);
      expect_offsets(path, offset, frames, std::numeric_limits<std::int64_t>::max());
      return offset;
    });
  }
  std::uint64_t rows(const std::string& path) const {
    return guarded([&] { return file_.rows(path); });
  }
  /// Numbers of bodies, or -1.
  std::vector<std::int32_t> partners(const std::string& path, std::uint64_t first, std::uint64_t n,
                                     std::size_t bodies) const {
    return guarded([&] {
      auto partner = file_.read<std::int32_t>(path, first, n);
      expect_indices(path, partner, -1, bodies);
      return partner;
    });
  }

 private:
  fs::path path_;
  File file_;
};

fs::path write_bodies(const fs::path& path, const std::string& link, const Source& source,
                      const TrajectoryReader& reader, const std::vector<std::size_t>& frames,
                      const std::function<void(std::size_t)>& done) {
  LinkedPoints points(path, link, "frames/position");
  for (const char* const name : {"orientation", "velocity", "angular_velocity"})
    points.link(std::string("frames/") + name, name);
  for (const std::string& field : reader.run().fields) points.link("frames/" + field, field);
  const std::vector<std::int64_t> offset = source.offsets("frames/offset", reader.frames());
  std::vector<std::int64_t> constants_at;
  {
    BodyConstantsList constants(reader.run(), points.data());
    for (const std::size_t k : frames) {
      points.add(reader.time_s()[k], offset[k], offset[k + 1] - offset[k]);
      constants_at.push_back(constants.offset_of(reader.rows(k)));
      done(k);
    }
    for (std::size_t c = 0; c < constants.size(); ++c)
      points.set_offsets(BodyConstantsList::names[c], constants_at);
  }
  return points.finish();
}

/// The numbers of bodies in contacts are rows of /bodies; where these are the ids too, they are linked.
void add_partner(const LinkedPoints& points, const Source& source, const Bodies& bodies, const char* name) {
  bool same = true;
  for (std::size_t i = 0; i < bodies.size() && same; ++i) same = bodies.id[i] == static_cast<std::int64_t>(i);
  const std::string dataset = std::string("contacts/") + name;
  if (same) return points.link(dataset, name);
  Growing ids(points.data(), {name, "1", "[contact] id of the body, -1: none"}, H5T_NATIVE_INT64,
              Growing::Layout{{}, chunk});
  const std::uint64_t all = source.rows(dataset);
  for (std::uint64_t first = 0; first < all; first += chunk) {
    std::vector<std::int64_t> id;
    for (const std::int32_t row :
         source.partners(dataset, first, std::min<std::uint64_t>(chunk, all - first), bodies.size()))
      id.push_back(row >= 0 ? bodies.id[row] : -1);
    ids.append(id.data(), id.size());
  }
}

fs::path write_contacts(const fs::path& path, const std::string& link, const Source& source,
                        const TrajectoryReader& reader, const std::vector<std::size_t>& frames) {
  LinkedPoints points(path, link, "contacts/point");
  for (const char* const name : {"normal", "impulse", "gap", "boundary", "bond"}) {
    const std::string dataset = std::string("contacts/") + name;
    if (source.has(dataset)) points.link(dataset, name);  // files of early versions have no bonds
  }
  for (const char* const name : {"body_a", "body_b"}) add_partner(points, source, reader.run().bodies, name);
  const std::vector<std::int64_t> offset = source.offsets("contacts/offset", reader.frames());
  for (const std::size_t k : frames) {
    if (reader.has_contacts(k)) points.add(reader.time_s()[k], offset[k], offset[k + 1] - offset[k]);
  }
  return points.finish();
}

}  // namespace

std::vector<fs::path> write_vtk_hdf(const RunFolder& folder, const fs::path& trajectory,
                                    const TrajectoryReader& reader, const std::vector<std::size_t>& frames,
                                    const std::function<void(std::size_t)>& done) {
  const fs::path bodies = folder.bodies_hdf(), contacts = folder.contacts_hdf();
  std::error_code error;
  const fs::path relative = fs::relative(trajectory, folder.path, error);
  const std::string link = (error || relative.empty() ? fs::absolute(trajectory) : relative).string();
  std::vector<fs::path> written;
  try {
    print_no_errors();
    const Source source(trajectory);
    written.push_back(write_bodies(bodies, link, source, reader, frames, done));
    if (std::ranges::any_of(frames, [&](std::size_t k) { return reader.has_contacts(k); }))
      written.push_back(write_contacts(contacts, link, source, reader, frames));
    else
      fs::remove(contacts, error);  // of other frames
  } catch (const Error& e) {
    throw WriteError(
        fmt::format("cannot write {}: {}", (written.empty() ? bodies : contacts).string(), e.what()));
  }
  return written;
}

}  // namespace scree::io
