// Methods of a run for Python.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <unistd.h>

#include "engine/bodies/bodies.h"
#include "engine/core/state_hash.h"
#include "engine/simulation/subsystems/population.h"
#include "engine/simulation/subsystems/sleep.h"
#include "io/files/archive.h"
#include "io/files/file_errors.h"
#include "io/results/checkpoint.h"
#include "python/module/run.h"
#include "python/module/view.h"

namespace scree::python {

namespace {

/// By the scene's key, or by the table if there is none: "steps" is the run itself.
ObservedKind kind_of(const std::string& noun) {
  for (const ObservedKindWords& words : observed_kinds())
    if (noun == (*words.key != '\0' ? words.key : words.table)) return words.kind;
  throw py::value_error(fmt::format("there is no kind of observables '{}'", noun));
}

py::list observables_of(const std::string& kind) {
  py::list list;
  for (const Observable& quantity : observables(kind_of(kind)))
    list.append(py::make_tuple(quantity.name, quantity.unit, to_string(quantity.over), quantity.description));
  return list;
}

double observe(const SteppedRun& run, const std::string& kind, const std::string& name, std::int64_t part) {
  const ObservedKind k = kind_of(kind);
  const Observable* const quantity = find_observable(k, name);
  if (quantity == nullptr) throw py::key_error(name);
  const Observed now = run.observed();
  if (k != ObservedKind::run && k != ObservedKind::region && k != ObservedKind::body) {
    const auto parts = static_cast<std::int64_t>(part_names(k, now.model).size());
    if (part < 0 || part >= parts) throw py::index_error(fmt::format("{} {} of {}", kind, part, parts));
  }
  if (!quantity->is_known_of(now.model, part)) throw py::key_error(name);
  return value(*quantity, now, part);
}

py::list shapes_of(const SteppedRun& run) {
  const Shapes& shapes = run.scene().model.shapes;
  py::list list;
  for (std::int32_t k = 0; static_cast<std::size_t>(k) < shapes.size(); ++k) {
    const ShapeIndex s{k};
    py::dict d;
    const ShapeDescription what = description(shapes, s);
    d["kind"] = what.kind == ShapeKind::implicit ? "function" : to_string(what.kind);
    d["volume"] = volume(shapes, s);
    d["bounding_radius"] = shapes.bounding_radius(s);
    const Vec3 axes = enclosing_ellipsoid(shapes, s).semi_axes;
    d["semi_axes"] = py::make_tuple(axes[0], axes[1], axes[2]);
    if (what.kind != ShapeKind::ellipsoid) {
      const auto number = static_cast<std::size_t>(what.numbers[3]);
      d["name"] =
          what.kind == ShapeKind::clump ? shapes.clumps()[number].name : shapes.functions()[number].name;
      d["size"] = what.numbers[4];
    }
    list.append(d);
  }
  return list;
}

std::vector<std::string> materials_of(const SteppedRun& run) {
  const Materials& materials = run.scene().model.materials;
  std::vector<std::string> names;
  for (std::int32_t m = 0; static_cast<std::size_t>(m) < materials.size(); ++m)
    names.push_back(materials.name(MaterialIndex{m}));
  return names;
}

MaterialIndex material_of(const SteppedRun& run, const py::object& given) {
  const std::vector<std::string> names = materials_of(run);
  if (given.is_none()) {
    if (names.size() == 1) return MaterialIndex{0};
    throw py::value_error(fmt::format("material: one of {}", fmt::join(names, ", ")));
  }
  if (py::isinstance<py::str>(given)) {
    const auto found = std::ranges::find(names, given.cast<std::string>());
    if (found != names.end()) return MaterialIndex{static_cast<std::int32_t>(found - names.begin())};
  } else if (py::isinstance<py::int_>(given)) {
    const auto number = given.cast<std::int64_t>();
    if (number >= 0 && number < static_cast<std::int64_t>(names.size()))
      return MaterialIndex{static_cast<std::int32_t>(number)};
  }
  throw py::value_error(fmt::format("material: must be one of {} (value {})", fmt::join(names, ", "),
                                    py::repr(given).cast<std::string>()));
}

Vec3 three(const std::vector<double>& numbers, std::size_t k) {
  return {numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]};
}

Quat unit_quaternion(const std::vector<double>& numbers, std::size_t k) {
  const Quat q(numbers[4 * k], numbers[4 * k + 1], numbers[4 * k + 2], numbers[4 * k + 3]);
  if (!(std::abs(q.norm() - 1.0) <= 1e-3))
    throw py::value_error(fmt::format(
        "orientation: must have norm 1 within 0.001 (value of norm {:g} of body {})", q.norm(), k));
  return q.normalized();
}

/// Ids from the user: a number, a list, or a mask over all bodies in the order of ids; each body once.
std::vector<BodyId> ids_of(const SteppedRun& run, const py::object& given) {
  const py::array array = py::array::ensure(given);
  const char kind = array ? array.dtype().kind() : '?';
  if (!array || array.ndim() > 1 || (array.size() > 0 && kind != 'i' && kind != 'u' && kind != 'b')) {
    PyErr_Clear();
    throw py::type_error("id: must be a whole number, a list of them, or a mask of all bodies");
  }
  const IdArray numbers = IdArray::ensure(array);
  std::vector<BodyId> ids(numbers.data(), numbers.data() + numbers.size());
  if (kind == 'b') {
    const std::vector<std::int32_t>& slots = run.slots_by_id();
    if (ids.size() != slots.size())
      throw py::value_error(
          fmt::format("id: a mask must have {} values, one a body (value: {})", slots.size(), ids.size()));
    std::vector<BodyId> chosen;
    for (std::size_t k = 0; k < ids.size(); ++k)
      if (ids[k] != 0) chosen.push_back(run.state().bodies.id[static_cast<std::size_t>(slots[k])]);
    return chosen;
  }
  std::vector<BodyId> sorted = ids;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw py::value_error(fmt::format("id: body {} is named twice", *twice));
  return ids;
}

struct SetValues {
  py::object position, orientation, velocity, angular_velocity, material;
};

void set_bodies(SteppedRun& run, const py::object& id, const SetValues& given) {
  const std::vector<BodyId> ids = ids_of(run, id);
  const std::size_t n = ids.size();
  State& state = run.to_change();
  const std::vector<double> position = numbers_for("position", given.position, n, 3),
                            orientation = numbers_for("orientation", given.orientation, n, 4),
                            velocity = numbers_for("velocity", given.velocity, n, 3),
                            spin = numbers_for("angular_velocity", given.angular_velocity, n, 3);
  const bool changes_material = !given.material.is_none();
  const MaterialIndex material = changes_material ? material_of(run, given.material) : MaterialIndex{};
  Bodies& bodies = state.bodies;
  const std::vector<std::int32_t> slots = run.slots_of(ids);
  std::vector<Quat> turned;
  const Materials& materials = run.scene().model.materials;
  for (std::size_t k = 0; k < n; ++k) {
    const std::int32_t i = slots[k];
    if (bodies.is_carried(static_cast<std::size_t>(i)))
      throw py::value_error(
          fmt::format("body {} is carried by part '{}', which moves it", ids[k],
                      run.scene().model.parts[static_cast<std::size_t>(bodies.part[i])].name));
    if (changes_material && materials.density(material) != materials.density(bodies.material[i]))
      throw py::value_error(
          fmt::format("material: must have the density of the body's own (body {})", ids[k]));
    if (!orientation.empty()) turned.push_back(unit_quaternion(orientation, k));
  }
  // All values are valid: now apply them.
  std::vector<std::uint8_t> touched(bodies.size(), 0);
  for (std::size_t k = 0; k < n; ++k) touched[static_cast<std::size_t>(slots[k])] = 1;
  wake_neighbours(touched, state);
  for (std::size_t k = 0; k < n; ++k) {
    const auto i = static_cast<std::size_t>(slots[k]);
    if (!position.empty()) bodies.position[i] = three(position, k);
    if (!orientation.empty()) bodies.orientation[i] = turned[k];
    if (!velocity.empty()) bodies.linear_velocity[i] = three(velocity, k);
    if (!spin.empty()) bodies.angular_velocity[i] = three(spin, k);
    if (changes_material) bodies.material[i] = material;
    if (bodies.is_resting(i)) bodies.resting[i] = 0;
  }
  state.cached_normals.stamp = 0;  // no longer those of the last detection
}

struct NewValues {
  py::object position, orientation, velocity, angular_velocity, semi_axes, radius, shape, size, material;
  bool check;
};

/// [n] shapes of new bodies.
std::vector<ShapeIndex> shapes_for(SteppedRun& run, const NewValues& given, std::size_t n) {
  const int ways = !given.semi_axes.is_none() + !given.radius.is_none() + !given.shape.is_none();
  if (ways != 1) throw py::value_error("a new body has semi_axes, or a radius, or a shape (and its size)");
  std::vector<ShapeDescription> wanted(n);
  const auto positive = [](const char* name, double value) {
    if (!(value > 0.0)) throw py::value_error(fmt::format("{}: must be positive (value {} m)", name, value));
    return value;
  };
  if (!given.shape.is_none()) {
    bool is_clump = false;
    const std::int32_t number = run.function_named(given.shape.cast<std::string>(), is_clump);
    const std::vector<double> size = numbers_for("size", given.size, n, 1);
    for (std::size_t k = 0; k < n; ++k) {
      wanted[k].kind = is_clump ? ShapeKind::clump : ShapeKind::implicit;
      wanted[k].numbers[3] = number;
      wanted[k].numbers[4] = size.empty() ? 1.0 : positive("size", size[k]);
    }
  } else if (!given.radius.is_none()) {
    const std::vector<double> radius = numbers_for("radius", given.radius, n, 1);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t c = 0; c < 3; ++c) wanted[k].numbers[c] = positive("radius", radius[k]);
  } else {
    const std::vector<double> axes = numbers_for("semi_axes", given.semi_axes, n, 3);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t c = 0; c < 3; ++c) wanted[k].numbers[c] = positive("semi_axes", axes[3 * k + c]);
  }
  std::map<ShapeDescription, ShapeIndex> known;
  std::vector<ShapeIndex> shapes;
  for (const ShapeDescription& w : wanted) {
    auto found = known.find(w);
    if (found == known.end()) found = known.emplace(w, run.shape_of(w)).first;
    shapes.push_back(found->second);
  }
  return shapes;
}

py::array insert_bodies(SteppedRun& run, const NewValues& given) {
  const DoubleArray places = DoubleArray::ensure(given.position);
  if (!places || places.ndim() < 1 || places.ndim() > 2) {
    PyErr_Clear();
    throw py::value_error("position: must be an array of shape (3) or (n, 3)");
  }
  const std::size_t n = places.ndim() == 2 ? static_cast<std::size_t>(places.shape(0)) : 1;
  const std::vector<double> position = numbers_for("position", given.position, n, 3),
                            orientation = numbers_for("orientation", given.orientation, n, 4),
                            velocity = numbers_for("velocity", given.velocity, n, 3),
                            spin = numbers_for("angular_velocity", given.angular_velocity, n, 3);
  const MaterialIndex material = material_of(run, given.material);
  run.to_change();  // before shapes are added
  const std::vector<ShapeIndex> shapes = shapes_for(run, given, n);
  std::vector<NewBody> bodies;
  for (std::size_t k = 0; k < n; ++k) {
    NewBody body{shapes[k], material, {}, {}};
    body.pose.position = three(position, k);
    body.pose.orientation = orientation.empty() ? Quat::Identity() : unit_quaternion(orientation, k);
    body.twist.linear = velocity.empty() ? Vec3::Zero() : three(velocity, k);
    body.twist.angular = spin.empty() ? Vec3::Zero() : three(spin, k);
    bodies.push_back(body);
  }
  const std::vector<BodyId> ids = run.insert(bodies, given.check);
  return column<std::int64_t>(ids.size(), [&](std::size_t k) { return ids[k]; });
}

void remove_bodies(SteppedRun& run, const py::object& id) {
  const std::vector<BodyId> ids = ids_of(run, id);
  State& state = run.to_change();
  run.slots_of(ids);  // checks that all of them exist
  remove(state, ids);
}

/// The run of a Python object; null before its construction.
SteppedRun* made(PyObject* self) {
  const bool is_made =
      reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder().holder_constructed();
  return is_made ? &py::cast<SteppedRun&>(py::handle(self)) : nullptr;
}

// Kept states in files, as used for pickling.
const io::ArchiveKind kept_kind{"scree state", io::checkpoint_kind.version};

void visit_kept(io::Archive& io, KeptState& kept) {
  io("scene", kept.scene);
  io("inputs", kept.inputs);
  std::vector<std::int64_t> kinds;
  std::vector<double> numbers;
  for (const ShapeDescription& d : kept.new_shapes) {
    kinds.push_back(static_cast<std::int64_t>(d.kind));
    numbers.insert(numbers.end(), d.numbers.begin(), d.numbers.end());
  }
  io("shape_kinds", kinds);
  io("shape_numbers", numbers);
  if (io.reads()) {
    kept.new_shapes.resize(kinds.size());
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      kept.new_shapes[k].kind = static_cast<ShapeKind>(kinds[k]);
      for (std::size_t c = 0; c < 5; ++c) kept.new_shapes[k].numbers[c] = numbers.at(5 * k + c);
    }
  }
  io.group("state", [&] { io::visit(io, kept.state); });
}

void save(KeptState& kept, const std::filesystem::path& file) {
  const py::gil_scoped_release release;
  io::Archive archive = io::Archive::to_write(file, kept_kind);
  visit_kept(archive, kept);
  archive.finish();
}

std::shared_ptr<KeptState> read_state(const std::filesystem::path& file) {
  const py::gil_scoped_release release;
  io::Archive archive = io::Archive::to_read(file, kept_kind);
  auto kept = std::make_shared<KeptState>();
  visit_kept(archive, *kept);
  return kept;
}

/// A temporary file with the lifetime of this object.
class PassingFile {
 public:
  PassingFile() : path_((std::filesystem::temp_directory_path() / "scree_state_XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file < 0) throw io::WriteError(fmt::format("cannot write {}", path_));
    close(file);
  }
  ~PassingFile() { std::remove(path_.c_str()); }
  PassingFile(const PassingFile&) = delete;
  PassingFile& operator=(const PassingFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

py::bytes pickled(const std::shared_ptr<KeptState>& kept) {
  const PassingFile file;
  save(*kept, file.path());
  std::ifstream stream(file.path(), std::ios::binary);
  return {std::string(std::istreambuf_iterator<char>(stream), {})};
}

std::shared_ptr<KeptState> unpickled(const py::bytes& bytes) {
  const PassingFile file;
  std::ofstream(file.path(), std::ios::binary) << std::string(bytes);
  return read_state(file.path());
}

}  // namespace

void add_run(py::module_& m) {
  py::class_<KeptState, std::shared_ptr<KeptState>>(
      m, "State",
      "Where a run stood: Run.restore() goes on from it with the "
      "same bits. It can be pickled, and kept in a file.")
      .def_property_readonly(
          "time", [](const KeptState& k) { return k.state.time_s; }, "Simulated, s.")
      .def_property_readonly(
          "step", [](const KeptState& k) { return k.state.step; }, "Steps done.")
      .def_property_readonly("hash", [](const KeptState& k) { return hash_text(state_hash(k.state.bodies)); })
      .def("save", &save, py::arg("file"), "Writes it to a file (HDF5), for State.load().")
      .def(py::pickle(&pickled, &unpickled))
      .def_static("load", &read_state, py::arg("file"), "Reads what save() wrote.");

  // A function of forces may refer to the run, which refers to it: the cycle collector must see this.
  py::class_<SteppedRun, std::shared_ptr<SteppedRun>> run(
      m, "SteppedRun", py::custom_type_setup([](PyHeapTypeObject* heap) {
        PyTypeObject* const type = &heap->ht_type;
        type->tp_flags |= Py_TPFLAGS_HAVE_GC;
        type->tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
          Py_VISIT(Py_TYPE(self));
          if (const SteppedRun* const stepped = made(self)) Py_VISIT(stepped->forces().ptr());
          return 0;
        };
        type->tp_clear = [](PyObject* self) {
          if (SteppedRun* const stepped = made(self)) stepped->drop_forces();
          return 0;
        };
      }));
  run.def(py::init([](const io::Scene& scene, const std::string& identity, int threads,
                      const std::string& folder, bool overwrite) {
            return std::make_shared<SteppedRun>(scene, identity, threads, folder, overwrite);
          }),
          py::arg("scene"), py::arg("identity"), py::arg("threads"), py::arg("folder"), py::arg("overwrite"))
      .def("_advance", &SteppedRun::advance, py::arg("steps"), py::arg("end"))
      .def("_finish", &SteppedRun::finish)
      .def("_stopped", &SteppedRun::stopped)
      .def("_happened", &SteppedRun::take_happened)
      .def_property_readonly(
          "time", [](const SteppedRun& r) { return r.state().time_s; }, "Simulated, s.")
      .def_property_readonly(
          "step_number", [](const SteppedRun& r) { return r.state().step; }, "Steps done.")
      .def_property_readonly(
          "end_time", [](const SteppedRun& r) { return r.scene().end_time_s; }, "Of the scene, s.")
      .def_property_readonly(
          "time_step", [](const SteppedRun& r) { return r.scene().model.settings.time_step_s; },
          "Of the scene, s; the longest one where steps are adaptive.")
      .def_property_readonly(
          "state_hash", [](const SteppedRun& r) { return hash_text(state_hash(r.state().bodies)); },
          "16 digits: two states are the same bits where it is the same.")
      .def("__len__", [](const SteppedRun& r) { return r.state().bodies.size(); })
      .def_property_readonly(
          "bodies",
          [](const SteppedRun& r) {
            const State& state = r.state();
            return std::make_shared<BodyArrays>(r.scene().model, state.bodies, r.slots_by_id());
          },
          "A copy of all bodies now, as arrays in the order of their ids.")
      .def_property("forces", &SteppedRun::forces, &SteppedRun::set_forces,
                    "A function of bodies that gives their forces, or None. See Run.")
      .def("_report", &SteppedRun::report)
      .def("_observe", &observe, py::arg("kind"), py::arg("name"), py::arg("part"))
      .def("_part_names", [](const SteppedRun& r,
                             const std::string& kind) { return part_names(kind_of(kind), r.scene().model); })
      .def_property_readonly("shapes", &shapes_of, "list of dict: kind, semi_axes (m), volume (m^3), ...")
      .def_property_readonly("materials", &materials_of, "Names of materials, by their numbers.")
      .def("_set",
           [](SteppedRun& r, const py::object& id, py::object position, py::object orientation,
              py::object velocity, py::object angular_velocity, py::object material) {
             set_bodies(r, id,
                        {std::move(position), std::move(orientation), std::move(velocity),
                         std::move(angular_velocity), std::move(material)});
           })
      .def("_insert",
           [](SteppedRun& r, py::object position, py::object orientation, py::object velocity,
              py::object angular_velocity, py::object semi_axes, py::object radius, py::object shape,
              py::object size, py::object material, bool check) {
             return insert_bodies(r, {std::move(position), std::move(orientation), std::move(velocity),
                                      std::move(angular_velocity), std::move(semi_axes), std::move(radius),
                                      std::move(shape), std::move(size), std::move(material), check});
           })
      .def("_remove", &remove_bodies)
      .def(
          "state", [](const SteppedRun& r) { return std::make_shared<KeptState>(r.keep()); },
          "Where the run stands, to come back to by restore().")
      .def(
          "restore", [](SteppedRun& r, const KeptState& kept) { r.restore(kept); }, py::arg("state"),
          "Goes on from a state of a run of the same scene, with the same bits.");
  m.def("observables", &observables_of, py::arg("kind"));
  m.def(
      "expect_run_folder",
      [](const std::string& folder, bool overwrite) { io::expect_run_folder(folder, overwrite); },
      py::arg("folder"), py::arg("overwrite"));
  add_contacts(run);
  add_machines(run);
  add_view(m, run);
}

}  // namespace scree::python
