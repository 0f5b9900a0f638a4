#include "io/results/trajectory.h"

#include <fmt/format.h>
#include <unordered_map>

#include "io/files/file_errors.h"
#include "io/files/journaled_file.h"
#include "io/files/text_file.h"
#include "io/results/body_fields.h"
#include "io/results/written_model.h"

namespace scree::io {

using namespace hdf5;

namespace {

// Rows per chunk of lists with a few numbers per frame. They are not compressed: a chunk that is rewritten
// with each frame stays in its place.
constexpr hsize_t short_chunk = 256;
// Contacts per chunk: 16 to 48 KiB before compression.
constexpr hsize_t contact_chunk = 4096;
// Bodies per chunk: the initial number of bodies, so that one frame is one chunk while bodies are neither
// inserted nor removed, but not fewer than this.
constexpr hsize_t least_body_chunk = 1024;

/// All bodies that were ever in the run, in the order of insertion.
class BodyArrays {
 public:
  BodyArrays(hid_t file, hsize_t chunk) {
    const Handle group = group_for(file, "bodies");
    const hid_t g = group.get();
    const Growing::Layout scalar{{}, chunk}, vector{{3}, chunk};
    id_ = Growing(g, {"id", "1", "[body] persistent number"}, H5T_NATIVE_INT64, scalar);
    std::string kinds = "[body] ";
    for (const ShapeKind kind : shape_kinds)
      kinds += fmt::format("{}{}: {}", kind == shape_kinds[0] ? "" : ", ", static_cast<int>(kind),
                           to_string(kind));
    kind_ = Growing(g, {"shape", "1", kinds}, H5T_NATIVE_INT32, scalar);
    for (const ShapeColumn& column : shape_columns) {
      columns_.emplace_back(
          g, Label{column.name, column.unit, fmt::format("[body, {}] {}", column.width, column.meaning)},
          H5T_NATIVE_DOUBLE, Growing::Layout{{column.width}, chunk});
    }
    mass_ = Growing(g, {"mass", "kg", "[body]"}, H5T_NATIVE_DOUBLE, scalar);
    inertia_ = Growing(g, {"inertia", "kg m^2", "[body, 3] principal moments about the body's own axes"},
                       H5T_NATIVE_DOUBLE, vector);
    material_ = Growing(g, {"material", "1", "[body] row of /materials"}, H5T_NATIVE_INT32, scalar);
  }

  /// Adds new bodies, and those which have another material than before. Returns the rows of all of them.
  const std::vector<std::int32_t>& rows_of(const std::shared_ptr<const BodyConstants>& bodies,
                                           RowBatch& batch) {
    if (bodies == last_) return rows_;
    last_ = bodies;
    rows_.clear();
    std::vector<std::size_t> fresh;
    for (std::size_t i = 0; i < bodies->id.size(); ++i) {
      const Known known{bodies->id[i], static_cast<std::int32_t>(bodies->material[i].value)};
      const auto [found, is_new] = row_of_.try_emplace(known, static_cast<std::int32_t>(row_of_.size()));
      if (is_new) fresh.push_back(rows_.size());
      rows_.push_back(found->second);
    }
    const auto append = [&](Growing& array, auto&& value_of) {
      std::vector<std::decay_t<decltype(value_of(std::size_t{}))>> values;
      values.reserve(fresh.size());
      for (const std::size_t i : fresh) values.push_back(value_of(i));
      array.append(values.data(), values.size(), batch);
    };
    append(kind_, [&](std::size_t i) { return static_cast<std::int32_t>(bodies->shape[i].kind); });
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      std::vector<double> values;
      for (const std::size_t i : fresh) {
        const double* from = bodies->shape[i].numbers.data() + shape_columns[c].first;
        values.insert(values.end(), from, from + shape_columns[c].width);
      }
      columns_[c].append(values.data(), fresh.size(), batch);
    }
    append(mass_, [&](std::size_t i) { return bodies->mass[i]; });
    append(inertia_, [&](std::size_t i) { return bodies->inertia[i]; });
    append(material_, [&](std::size_t i) { return bodies->material[i].value; });
    append(id_, [&](std::size_t i) { return bodies->id[i]; });
    return rows_;
  }

  /// Reads which bodies are in the file already.
  void read_rows(hid_t file) {
    row_of_.clear();
    const auto id = hdf5::read_rows<BodyId>(file, "bodies/id", H5T_NATIVE_INT64);
    const auto material = hdf5::read_rows<std::int32_t>(file, "bodies/material", H5T_NATIVE_INT32);
    for (std::size_t row = 0; row < id.size(); ++row)
      row_of_.emplace(Known{id[row], material[row]}, static_cast<std::int32_t>(row));
  }

  template <class F>
  void each(F&& f) {
    for (Growing* array : {&id_, &kind_, &mass_, &inertia_, &material_}) f(*array);
    for (Growing& column : columns_) f(column);
  }

 private:
  /// Events may give a body another material: it has a row for each.
  struct Known {
    BodyId id;
    std::int32_t material;
    bool operator==(const Known&) const = default;
  };
  struct KnownHash {
    std::size_t operator()(const Known& known) const {
      return std::hash<BodyId>{}(known.id) + std::hash<BodyId>{}(BodyId{known.material} << 40);
    }
  };

  Growing id_, kind_, mass_, inertia_, material_;
  std::vector<Growing> columns_;
  std::unordered_map<Known, std::int32_t, KnownHash> row_of_;
  std::shared_ptr<const BodyConstants> last_;
  std::vector<std::int32_t> rows_;  // of `last_`
};

/// Appends the end of a frame's rows to a list of ragged arrays.
void append_end(Growing& offset, const Growing& rows, RowBatch& batch) {
  const auto end = static_cast<std::int64_t>(rows.rows());
  offset.append(&end, 1, batch);
}

/// Its first entry, in a new file.
void begin(Growing& offset) {
  constexpr std::int64_t first = 0;
  if (offset.rows() == 0) offset.append(&first, 1);
}

/// Ragged: the bodies of frame k are rows offset[k] to offset[k + 1] of each array.
struct FrameArrays {
  Growing time, step, offset, body, position, orientation, velocity, angular_velocity;
  std::vector<Growing> fields;
  std::optional<Growing> boundary_position, boundary_orientation;  // if any boundary moves
  std::optional<Growing> boundary_removed;                         // if events change boundaries
  std::optional<Growing> lattice, velocity_gradient, image_shift;  // of a periodic cell

  FrameArrays(hid_t file, hsize_t chunk, const Scene& scene) {
    const std::vector<std::string>& field_names = scene.output.fields;
    const Boundaries& boundaries = scene.model.boundaries;
    const bool boundaries_change = !scene.initial.overrides.removed.empty();
    const Handle group = group_for(file, "frames");
    const hid_t g = group.get();
    const Growing::Layout moment{{}, short_chunk, false}, scalar{{}, chunk}, vector{{3}, chunk},
        quaternion{{4}, chunk};
    time = Growing(g, {"time", "s", "[frame] simulated time"}, H5T_NATIVE_DOUBLE, moment);
    step = Growing(g, {"step", "1", "[frame] steps done"}, H5T_NATIVE_INT64, moment);
    offset = Growing(g, {"offset", "1", "[frame + 1] bodies of frame k are rows offset[k] to offset[k + 1]"},
                     H5T_NATIVE_INT64, moment);
    body = Growing(g, {"body", "1", "[row] whose it is: row of /bodies"}, H5T_NATIVE_INT32, scalar);
    position = Growing(g, {"position", "m", "[row, 3] centre of mass"}, H5T_NATIVE_FLOAT, vector);
    orientation = Growing(g, {"orientation", "1", "[row, 4] unit quaternion w x y z, body axes to world"},
                          H5T_NATIVE_FLOAT, quaternion);
    velocity = Growing(g, {"velocity", "m/s", "[row, 3] of the centre of mass"}, H5T_NATIVE_FLOAT, vector);
    angular_velocity =
        Growing(g, {"angular_velocity", "rad/s", "[row, 3] world axes"}, H5T_NATIVE_FLOAT, vector);
    for (const std::string& name : field_names) {
      const BodyField& field = *body_field(name);
      fields.emplace_back(g, Label{name, std::string(field.unit), "[row] " + std::string(field.meaning)},
                          H5T_NATIVE_FLOAT, scalar);
    }
    if (scene.model.any_boundary_moves()) {
      const hsize_t n = boundaries.size();
      boundary_position = Growing(
          g, {"boundary_position", "m", "[frame, boundary, 3] x at rest is at orientation x + position"},
          H5T_NATIVE_DOUBLE, {{n, 3}, 1});
      boundary_orientation =
          Growing(g, {"boundary_orientation", "1", "[frame, boundary, 4] unit quaternion w x y z"},
                  H5T_NATIVE_DOUBLE, {{n, 4}, 1});
    }
    if (boundaries_change) {
      boundary_removed =
          Growing(g, {"boundary_removed", "1", "[frame, boundary] 1 where it is not there any more"},
                  H5T_NATIVE_INT32, {{boundaries.size()}, 1});
    }
    if (scene.model.cell.is_periodic()) {
      lattice = Growing(g, {"lattice", "m", "[frame, vector, 3] of the periodic cell"}, H5T_NATIVE_DOUBLE,
                        {{3, 3}, short_chunk, false});
      velocity_gradient =
          Growing(g, {"velocity_gradient", "1/s", "[frame, 3, 3] dv_i/dx_j of the periodic cell"},
                  H5T_NATIVE_DOUBLE, {{3, 3}, short_chunk, false});
      image_shift = Growing(
          g, {"image_shift", "m", "[row, 3] position is that of the image at this shift from the body"},
          H5T_NATIVE_FLOAT, vector);
    }
    begin(offset);
  }

  template <class F>
  void each(F&& f) {
    for (Growing* array :
         {&time, &step, &offset, &body, &position, &orientation, &velocity, &angular_velocity})
      f(*array);
    for (Growing& field : fields) f(field);
    for (std::optional<Growing>* array : {&boundary_position, &boundary_orientation, &boundary_removed,
                                          &lattice, &velocity_gradient, &image_shift})
      if (*array) f(**array);
  }

  void append_motion(const std::vector<Pose>& motion, RowBatch& batch) {
    std::vector<double> at, turn;
    for (const Pose& pose : motion) {
      const Quat& q = pose.orientation;
      at.insert(at.end(), pose.position.begin(), pose.position.end());
      turn.insert(turn.end(), {q.w(), q.x(), q.y(), q.z()});
    }
    boundary_position->append(at.data(), 1, batch);
    boundary_orientation->append(turn.data(), 1, batch);
  }

  void append(const Frame& frame, const std::vector<std::int32_t>& row_of_body, RowBatch& batch) {
    const hsize_t n = row_of_body.size();
    body.append(row_of_body.data(), n, batch);
    position.append(frame.position.data(), n, batch);
    orientation.append(frame.orientation.data(), n, batch);
    velocity.append(frame.velocity.data(), n, batch);
    angular_velocity.append(frame.angular_velocity.data(), n, batch);
    for (std::size_t f = 0; f < fields.size(); ++f) fields[f].append(frame.fields[f].data(), n, batch);
    if (boundary_position) append_motion(frame.boundary_motion, batch);
    if (boundary_removed) boundary_removed->append(frame.boundary_removed.data(), 1, batch);
    if (lattice) lattice->append(frame.lattice.data(), 1, batch);
    if (velocity_gradient) velocity_gradient->append(frame.velocity_gradient.data(), 1, batch);
    if (image_shift) image_shift->append(frame.image_shift.data(), n, batch);
    append_end(offset, body, batch);
    step.append(&frame.step, 1, batch);
    time.append(&frame.time_s, 1, batch);
  }
};

/// Wall data, one row per moment.
struct WallCellArrays {
  std::vector<Growing> arrays;  // [quantity], then time

  WallCellArrays(hid_t file, const Scene& scene) {
    const std::size_t cells = cell_count(scene.model.wall_cells);
    if (cells == 0) return;
    const Handle group = group_for(file, "wall_cells");
    for (const WallQuantity& q : wall_quantities())
      arrays.emplace_back(
          group.get(),
          Label{std::string(q.name), std::string(q.unit),
                fmt::format("[moment, cell] {}{}", q.is_sum ? "since the start: " : "", q.meaning)},
          H5T_NATIVE_DOUBLE, Growing::Layout{{cells}, 1});
    arrays.emplace_back(group.get(), Label{"time", "s", "[moment] simulated time"}, H5T_NATIVE_DOUBLE,
                        Growing::Layout{{}, short_chunk, false});
  }
  template <class F>
  void each(F&& f) {
    for (Growing& array : arrays) f(array);
  }
  void append(const Frame& frame, RowBatch& batch) {
    if (frame.walls.empty()) return;
    for (std::size_t k = 0; k < frame.walls.size(); ++k) arrays[k].append(frame.walls[k].data(), 1, batch);
    arrays.back().append(&frame.time_s, 1, batch);
  }
};

/// Balances, one row per frame.
struct LedgerArrays {
  /// Name of an entry of the ledger; units are attributes here.
  static std::string name_of(const LedgerEntry& entry) {
    const std::string name = entry.name;
    return name.substr(0, name.rfind("_J"));
  }
  struct Vector {
    const char* name;
    const char* unit;
    const char* meaning;
    Vec3 FrameBalances::*value;
  };
  static constexpr Vector vectors[] = {
      {"linear_momentum", "kg m/s", "[frame, 3]", &FrameBalances::linear_momentum},
      {"angular_momentum", "kg m^2/s", "[frame, 3] about the origin", &FrameBalances::angular_momentum},
      {"boundary_impulse", "N s", "[frame, 3] on the bodies since the start",
       &FrameBalances::boundary_impulse},
      {"boundary_angular_impulse", "N m s", "[frame, 3] on the bodies since the start, about the origin",
       &FrameBalances::boundary_angular_impulse},
      {"sleep_impulse", "N s", "[frame, 3] on the bodies, what sleep took or gave since the start",
       &FrameBalances::sleep_impulse},
      {"sleep_angular_impulse", "N m s", "[frame, 3] as sleep_impulse, about the origin",
       &FrameBalances::sleep_angular_impulse},
      {"exchanged_momentum", "kg m/s",
       "[frame, 3] of bodies that came, less that of those that left, since the start",
       &FrameBalances::exchanged_momentum},
      {"exchanged_angular_momentum", "kg m^2/s", "[frame, 3] as exchanged_momentum, about the origin",
       &FrameBalances::exchanged_angular_momentum},
  };
  std::vector<Growing> arrays;  // entries of the ledger, then vectors

  explicit LedgerArrays(hid_t file) {
    const Handle group = group_for(file, "ledger");
    const hid_t g = group.get();
    for (const LedgerEntry& e : ledger_entries) {
      const std::string name = name_of(e), meaning = std::string("[frame] ") +
                                                     (e.is_flow ? "since the start: " : "") + e.description;
      arrays.emplace_back(g, Label{name.c_str(), "J", meaning.c_str()}, H5T_NATIVE_DOUBLE,
                          Growing::Layout{{}, short_chunk, false});
    }
    for (const Vector& v : vectors)
      arrays.emplace_back(g, Label{v.name, v.unit, v.meaning}, H5T_NATIVE_DOUBLE,
                          Growing::Layout{{3}, short_chunk, false});
  }
  template <class F>
  void each(F&& f) {
    for (Growing& array : arrays) f(array);
  }

  void append(const FrameBalances& b, RowBatch& batch) {
    std::size_t k = 0;
    for (const LedgerEntry& e : ledger_entries) arrays[k++].append(&(b.energy.*e.value), 1, batch);
    for (const Vector& v : vectors) arrays[k++].append((b.*v.value).data(), 1, batch);
  }
};

/// Ragged: the contacts of frame k are rows offset[k] to offset[k + 1] of each array.
struct ContactArrays {
  Growing offset, recorded, point, normal, impulse, gap, body_a, body_b, boundary, bond;

  explicit ContactArrays(hid_t file, double impulse_time_s) {
    const Handle group = group_for(file, "contacts");
    const hid_t g = group.get();
    write_attribute(g, "impulse_time_s", impulse_time_s);
    const Growing::Layout scalar{{}, contact_chunk}, vector{{3}, contact_chunk};
    offset =
        Growing(g, {"offset", "1", "[frame + 1] contacts of frame k are rows offset[k] to offset[k + 1]"},
                H5T_NATIVE_INT64, {{}, short_chunk, false});
    recorded = Growing(g, {"recorded", "1", "[frame] 1 where contacts were written with the frame, else 0"},
                       H5T_NATIVE_INT32, {{}, short_chunk, false});
    point = Growing(g, {"point", "m", "[contact, 3] midway between the surfaces"}, H5T_NATIVE_FLOAT, vector);
    normal = Growing(g, {"normal", "1", "[contact, 3] unit, from b to a"}, H5T_NATIVE_FLOAT, vector);
    impulse =
        Growing(g,
                {"impulse", "N s",
                 "[contact, 3] on body a, world axes: mean force of the last substep, times impulse_time_s"},
                H5T_NATIVE_FLOAT, vector);
    gap = Growing(g, {"gap", "m", "[contact] negative where surfaces overlap"}, H5T_NATIVE_FLOAT, scalar);
    body_a = Growing(g, {"body_a", "1", "[contact] row of /bodies"}, H5T_NATIVE_INT32, scalar);
    body_b = Growing(g, {"body_b", "1", "[contact] row of /bodies, -1 against a boundary"}, H5T_NATIVE_INT32,
                     scalar);
    boundary = Growing(g, {"boundary", "1", "[contact] row of /boundaries, -1 against a body"},
                       H5T_NATIVE_INT32, scalar);
    bond =
        Growing(g, {"bond", "1", "[contact] kind of bonds, -1 where it is none"}, H5T_NATIVE_INT32, scalar);
    begin(offset);
  }

  template <class F>
  void each(F&& f) {
    for (Growing* array :
         {&offset, &recorded, &point, &normal, &impulse, &gap, &body_a, &body_b, &boundary, &bond})
      f(*array);
  }

  void append(const Frame& frame, const std::vector<std::int32_t>& row_of_body, RowBatch& batch) {
    const FrameContacts& contacts = frame.contacts;
    const auto rows_of = [&](std::vector<std::int32_t> bodies) {
      for (std::int32_t& i : bodies) i = i >= 0 ? row_of_body[i] : i;
      return bodies;
    };
    const std::int32_t asked_for = frame.has_contacts ? 1 : 0;
    const hsize_t n = contacts.gap.size();
    point.append(contacts.point.data(), n, batch);
    normal.append(contacts.normal.data(), n, batch);
    impulse.append(contacts.impulse.data(), n, batch);
    gap.append(contacts.gap.data(), n, batch);
    body_a.append(rows_of(contacts.body_a).data(), n, batch);
    body_b.append(rows_of(contacts.body_b).data(), n, batch);
    boundary.append(contacts.boundary.data(), n, batch);
    bond.append(contacts.bond.data(), n, batch);
    recorded.append(&asked_for, 1, batch);
    append_end(offset, gap, batch);
  }
};

}  // namespace

std::vector<std::string> ledger_names() {
  std::vector<std::string> names;
  for (const LedgerEntry& e : ledger_entries) names.push_back("ledger/" + LedgerArrays::name_of(e));
  for (const auto& v : LedgerArrays::vectors) names.push_back(std::string("ledger/") + v.name);
  return names;
}

struct Trajectory::Parts {
  std::string path;
  // The file is declared before the datasets: they are closed first.
  Handle file;
  std::unique_ptr<BodyArrays> bodies;
  std::unique_ptr<FrameArrays> frames;
  std::unique_ptr<LedgerArrays> ledger;
  std::unique_ptr<WallCellArrays> wall_cells;
  std::unique_ptr<ContactArrays> contacts;

  template <class F>
  void each(F&& f) {
    bodies->each(f);
    frames->each(f);
    ledger->each(f);
    wall_cells->each(f);
    if (contacts) contacts->each(f);
  }

  void add(const Frame& frame, RowBatch& batch) {
    wall_cells->append(frame, batch);
    if (frame.is_walls_alone) return;
    const std::vector<std::int32_t>& row_of_body = bodies->rows_of(frame.constants, batch);
    ledger->append(frame.balances, batch);
    if (contacts) contacts->append(frame, row_of_body, batch);
    frames->append(frame, row_of_body, batch);
  }
};

namespace {

/// Runs code that writes to HDF5; adds the file's name to its errors.
template <class F>
void guarded(const std::string& path, F&& write) {
  print_no_errors();
  try {
    write();
  } catch (const Error& error) {
    throw WriteError(fmt::format("cannot write {}: {}", path, error.what()));
  }
}

}  // namespace

void leave_out_hdf5_exit_handler() { H5dont_atexit(); }

Trajectory::Trajectory(const std::filesystem::path& path, const Scene& scene)
    : parts_(std::make_unique<Parts>()) {
  parts_->path = path.string();
  // It gets its name when a reader can open it.
  const std::filesystem::path temporary = temporary_name(path);
  guarded(parts_->path, [&] {
    parts_->file = create_journaled_file(temporary);
    const hid_t file = parts_->file.get();
    write_model(file, scene);
    open_arrays(scene);
    RowBatch batch(false);
    parts_->bodies->rows_of(make_frame(scene.model, scene.initial, {}, false).constants, batch);
  });
  close();
  give_name(temporary, path);
  guarded(parts_->path, [&] { reopen(scene); });
}

Trajectory::Trajectory(const std::filesystem::path& path, const Scene& scene,
                       const std::vector<std::int64_t>& position)
    : parts_(std::make_unique<Parts>()) {
  parts_->path = path.string();
  guarded(parts_->path, [&] {
    reopen(scene);
    write_end_time(parts_->file.get(), scene);
    std::size_t k = 0;
    parts_->each([&](Growing& array) { array.cut(static_cast<hsize_t>(position.at(k++))); });
    parts_->bodies->read_rows(parts_->file.get());
    hdf5::commit(parts_->file);
  });
}

void Trajectory::reopen(const Scene& scene) {
  parts_->file = open_journaled_file(parts_->path);
  open_arrays(scene);
  parts_->bodies->read_rows(parts_->file.get());
}

/// Creates them, or opens those in the file.
void Trajectory::open_arrays(const Scene& scene) {
  const hid_t file = parts_->file.get();
  const hsize_t chunk = std::max<hsize_t>(scene.initial.bodies.size(), least_body_chunk);
  parts_->bodies = std::make_unique<BodyArrays>(file, chunk);
  parts_->frames = std::make_unique<FrameArrays>(file, chunk, scene);
  parts_->ledger = std::make_unique<LedgerArrays>(file);
  parts_->wall_cells = std::make_unique<WallCellArrays>(file, scene);
  if (scene.output.contacts) {
    const Settings& settings = scene.model.settings;
    parts_->contacts = std::make_unique<ContactArrays>(file, settings.time_step_s / settings.substeps);
  }
}

Trajectory::~Trajectory() = default;
Trajectory::Trajectory(Trajectory&&) noexcept = default;

struct TrajectoryRows::Parts {
  RowBatch batch;
};

TrajectoryRows::TrajectoryRows() : parts_(std::make_unique<Parts>()) {}
TrajectoryRows::~TrajectoryRows() = default;
TrajectoryRows::TrajectoryRows(TrajectoryRows&&) noexcept = default;
std::vector<Piece*> TrajectoryRows::pieces() { return parts_->batch.pieces(); }

TrajectoryRows Trajectory::rows_of(const Frame& frame) {
  TrajectoryRows rows;
  parts_->add(frame, rows.parts_->batch);
  return rows;
}

void Trajectory::write(TrajectoryRows rows) {
  guarded(parts_->path, [&] {
    std::size_t bytes = 0;
    for (const Piece* piece : rows.pieces()) bytes += piece->bytes.size();
    require_memory(bytes);
    rows.parts_->batch.write();
    check(H5Fflush(parts_->file.get(), H5F_SCOPE_LOCAL), "flush");
  });
}

void Trajectory::append(const Frame& frame) {
  guarded(parts_->path, [&] {
    constexpr std::size_t most_of_a_row = 64;  // an unpacked and a packed chunk
    require_memory(most_of_a_row * (frame.position.size() + frame.contacts.gap.size()));
    RowBatch batch(false);
    parts_->add(frame, batch);
    check(H5Fflush(parts_->file.get(), H5F_SCOPE_LOCAL), "flush");
  });
}

void Trajectory::commit() {
  guarded(parts_->path, [&] {
    require_memory();
    hdf5::commit(parts_->file);
  });
}

bool Trajectory::is_on_disk() const { return hdf5::is_on_disk(parts_->file); }

std::vector<std::int64_t> Trajectory::position() {
  std::vector<std::int64_t> rows;
  parts_->each([&](const Growing& array) { rows.push_back(static_cast<std::int64_t>(array.rows())); });
  return rows;
}

void Trajectory::close() {
  guarded(parts_->path, [&] {
    parts_->contacts.reset();
    parts_->wall_cells.reset();
    parts_->ledger.reset();
    parts_->frames.reset();
    parts_->bodies.reset();
    parts_->file.close("closing");
  });
}

}  // namespace scree::io
