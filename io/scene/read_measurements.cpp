// Measurements of a scene or of `scree measure`.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "io/scene/faults.h"
#include "io/scene/grain_keys.h"
#include "io/scene/read_scene.h"
#include "io/scene/validate.h"

namespace scree::io {

namespace {

MeasureKind kind_of(const std::string& word) {
  return static_cast<MeasureKind>(std::ranges::find(measure_words, word) - measure_words.begin());
}

/// Does a measure look at bodies only at the ends of rows?
bool is_sampled(MeasureKind kind) {
  switch (kind) {
    case MeasureKind::bulk:
    case MeasureKind::surface:
    case MeasureKind::profile:
      return true;
    case MeasureKind::bodies:  // of a path, one phase may be wanted
    case MeasureKind::quantity:
    case MeasureKind::flow:
    case MeasureKind::mixing:
    case MeasureKind::residence:
    case MeasureKind::pair_correlation:
    case MeasureKind::screening:
      break;
  }
  return false;
}

class MeasurementReader {
 public:
  MeasurementReader(const Section& section, std::size_t number, const MeasuredWorld& world, Reading& reading)
      : section_(section), world_(world), reading_(reading) {
    plan_.kind = kind_of(section.text("measure"));
    plan_.name =
        section.has("name") ? section.text("name") : fmt::format("{}{}", section.text("measure"), number);
  }

  MeasurementPlan read() {
    require_name();
    read_times();
    plan_.rest_speed_m_s = reading_.scene.rest_speed_m_s;
    if (section_.has("region")) plan_.region = read_region(section_.child("region"), reading_);
    read_directions();
    switch (plan_.kind) {
      case MeasureKind::quantity:
        read_quantities();
        break;
      case MeasureKind::flow:
        read_flow();
        break;
      case MeasureKind::mixing:
        read_mixing();
        break;
      case MeasureKind::screening:
        if (!section_.has("plane")) reading_.faults.push_back(missing_key(section_, "plane"));
        plan_.aperture = section_.number("aperture");
        break;
      case MeasureKind::profile:
        check_profile();
        break;
      case MeasureKind::residence:
        require_region();
        break;
      case MeasureKind::pair_correlation:
        if (plan_.region && !std::holds_alternative<BoxRegion>(*plan_.region))
          refuse("region", "must be a box; in a periodic cell it can be omitted");
        // Without a volume there is no density to compare with.
        if (!world_.is_recorded && std::ranges::count(reading_.scene.model.cell.periodic, true) < 3)
          require_region();
        break;
      case MeasureKind::bodies:
        require_bodies();
        for (const double id : section_.numbers("bodies")) {
          if (!(id >= 0.0 && id == std::floor(id))) refuse("bodies", "must be whole numbers: ids of bodies");
          plan_.bodies.push_back(static_cast<BodyId>(id));
        }
        break;
      case MeasureKind::bulk:
      case MeasureKind::surface:
        break;
    }
    plan_.plane = read_plane("plane");
    plan_.over = read_plane("over");
    look_for_strobes();
    return std::move(plan_);
  }

 private:
  void refuse(std::string_view key, std::string problem, std::string suggestion = "") {
    reading_.faults.push_back(about(section_, key, std::move(problem)));
    if (!suggestion.empty()) reading_.faults.back().suggestion = std::move(suggestion);
  }

  void require_region() {
    if (section_.node()->find("region") == nullptr)
      reading_.faults.push_back(missing_key(section_, "region"));
  }

  void require_bodies() {
    const BodyId next = reading_.scene.initial.bodies.next_id;
    if (world_.is_recorded || !reading_.scene.model.inlets.empty() || !reading_.faults.empty()) return;
    for (const double id : section_.numbers("bodies"))
      if (static_cast<BodyId>(id) >= next)
        refuse("bodies", fmt::format("do not all exist: the scene has bodies 0 to {}", next - 1));
  }

  /// Warns if sums at the ends of rows always meet a wall that vibrates in the same phase.
  void look_for_strobes() {
    const double interval = plan_.interval_s > 0.0 ? plan_.interval_s : reading_.scene.output.interval_s;
    if (world_.is_recorded || !(interval > 0.0) || !is_sampled(plan_.kind)) return;
    for (const Part& part : reading_.scene.model.parts)
      for (const MotionStage& stage : part.motion.stages) {
        const double periods = interval * stage.law.frequency;
        if (stage.law.amplitude == 0.0 || periods < 0.5 ||
            std::abs(periods - std::round(periods)) > phase_share)
          continue;
        Fault warning = fault_at(
            *section_.node(), section_.path_of("interval"),
            fmt::format("is {:.3g} times the period of '{}', which vibrates with {:g} Hz: this measure "
                        "looks at the ends of rows, so it always meets the same phase",
                        periods, part.name, stage.law.frequency));
        warning.value = fmt::format("{:g}", interval);
        warning.unit = "s";
        warning.suggestion = fmt::format("interval = {:.3g} meets all phases", 0.31 / stage.law.frequency);
        reading_.scene.warnings.push_back(std::move(warning));
        return;
      }
  }

  /// Checks the name, because it becomes a file name.
  void require_name() {
    const bool plain = !plan_.name.empty() && std::ranges::all_of(plan_.name, [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '-';
    });
    if (!plain) refuse("name", "must have only letters, digits, - and _: the table has this name");
  }

  void read_times() {
    if (section_.has("from")) plan_.from_s = section_.number("from");
    if (!world_.is_recorded && plan_.from_s >= reading_.scene.end_time_s)
      reading_.scene.warnings.push_back(
          about(section_, "from",
                fmt::format("is not before the end of the run, {} s: nothing is measured",
                            reading_.scene.end_time_s)));
    if (section_.has("until")) plan_.until_s = section_.number("until");
    if (!(plan_.until_s > plan_.from_s)) refuse("until", "must be after from");
    if (section_.has("interval")) plan_.interval_s = section_.number("interval");
    if (section_.has("rattlers_below"))
      plan_.rattlers_below = static_cast<int>(section_.integer("rattlers_below"));
    if (section_.has("cell")) plan_.cell = section_.number("cell");
    if (section_.has("radius")) plan_.radius = section_.number("radius");
    if (section_.has("centre")) plan_.centre = section_.vector("centre");
    if (section_.has("fit_from")) plan_.fit[0] = section_.number("fit_from");
    if (section_.has("fit_to")) plan_.fit[1] = section_.number("fit_to");
    if (!(plan_.fit[0] < plan_.fit[1]))
      refuse(section_.has("fit_to") ? "fit_to" : "fit_from", "must satisfy fit_from < fit_to");
  }

  /// From the first flow of the cell that shears: dv_i/dx_j is along i, and j is up.
  void take_axes_of_shear() {
    for (const CellFlow& flow : reading_.scene.model.cell.flow) {
      Mat3 shear = flow.rate.cwiseAbs();
      shear.diagonal().setZero();
      Eigen::Index along = 0, up = 0;
      if (!(shear.maxCoeff(&along, &up) > 0.0)) continue;
      plan_.along = Vec3::Unit(along);
      plan_.up = Vec3::Unit(up);
      return;
    }
  }

  void read_directions() {
    const Vec3& gravity = reading_.scene.model.settings.gravity;
    if (!gravity.isZero(0.0))
      plan_.up = -gravity.normalized();
    else if (plan_.kind == MeasureKind::bulk)
      take_axes_of_shear();
    if (section_.has("up")) plan_.up = read_direction(section_, "up", reading_).value_or(plan_.up);
    if (section_.has("along")) {
      plan_.along = read_direction(section_, "along", reading_).value_or(plan_.along);
    } else if (plan_.up.cross(plan_.along).norm() < parallel) {
      plan_.along = Vec3::UnitZ();  // if x points upwards
    }
    const bool both = plan_.kind == MeasureKind::bulk || plan_.kind == MeasureKind::surface;
    if (both && plan_.up.cross(plan_.along).norm() < parallel)
      refuse(section_.has("along") ? "along" : "up", "must not be parallel to the upward direction");
  }

  std::optional<MeasuringPlane> read_plane(std::string_view key) {
    if (!section_.has(key)) return std::nullopt;
    const Section plane = section_.child(key);
    MeasuringPlane read;
    read.point = plane.vector("point");
    read.normal = read_direction(plane, "normal", reading_).value_or(read.normal);
    if (plane.has("radius")) read.radius = plane.number("radius");
    return read;
  }

  void read_flow() {
    const bool plane = section_.node()->find("plane") != nullptr,
               opening = section_.node()->find("opening") != nullptr;
    if (plane == opening) {
      Fault fault = plane ? about(section_, "opening", "cannot be combined with plane; remove one of them")
                          : missing_key(section_, "plane");
      if (!plane) fault.problem = "is missing (plane or opening is needed)";
      reading_.faults.push_back(std::move(fault));
    }
    if (opening) {
      plan_.opening = find_name(world_.names(ObservedKind::opening), "of an inlet or outlet", section_,
                                "opening", reading_);
      if (section_.has("by"))
        refuse("by", "cannot be combined with opening, which counts all bodies together",
               "measure the flow through a plane at the opening");
      return;
    }
    read_classes();
  }

  void read_mixing() {
    if (!section_.has("by")) {
      reading_.faults.push_back(missing_key(section_, "by"));
      return;
    }
    plan_.by_place = section_.text("by") == "place";
    read_classes();
    if (!plan_.by_place && plan_.classes.names().size() < 2)
      refuse("by", "needs more than one material", "write by = \"place\"");
  }

  void read_classes() {
    const std::string by = section_.has("by") ? section_.text("by") : "";
    if (by == "place" && plan_.kind == MeasureKind::flow) refuse("by", "must be material or size for a flow");
    if (by == "material") {
      plan_.classes.by = Classes::By::material;
      const Materials& materials = reading_.scene.model.materials;
      for (std::size_t m = 0; m < materials.size(); ++m)
        plan_.classes.materials.push_back(materials.name(MaterialIndex(static_cast<std::int64_t>(m))));
    }
    if (section_.has("sizes") != (by == "size")) {
      if (by == "size")
        reading_.faults.push_back(missing_key(section_, "sizes"));
      else
        refuse("sizes", "has no effect without by = \"size\"");
    } else if (by == "size") {
      plan_.classes.sizes = section_.numbers("sizes");
      const auto& sizes = plan_.classes.sizes;
      if (std::ranges::adjacent_find(sizes, std::greater_equal<>{}) != sizes.end())
        refuse("sizes", "must increase");
      plan_.classes.by = Classes::By::size;
    }
  }

  void check_profile() {
    require_region();
    if (!plan_.region) return;
    if (std::holds_alternative<MeshRegion>(*plan_.region)) refuse("region", "must be a box or a cylinder");
    const bool is_box = std::holds_alternative<BoxRegion>(*plan_.region);
    if (is_box && plan_.along.cwiseAbs().maxCoeff() < 1.0)
      refuse("along", "must be an axis of the box: x, y or z");
    if (!is_box && section_.has("along"))
      refuse("along", "cannot be used for a cylinder, whose layers are perpendicular to its axis");
  }

  /// Reads quantities of the part whose key is given, or else of the run, of bodies, of the cell or of the
  /// machine.
  void read_quantities() {
    std::vector<const ObservedKindWords*> given;
    for (const ObservedKindWords& of : observed_kinds())
      if (*of.key != '\0' && of.kind != ObservedKind::region && of.kind != ObservedKind::body &&
          section_.has(of.key))
        given.push_back(&of);
    if (given.size() > 1)
      return refuse(given[1]->key,
                    fmt::format("cannot be combined with {}: quantities belong to one part", given[0]->key));
    std::vector<ObservedKind> kinds;
    if (given.empty())
      kinds = {ObservedKind::region, ObservedKind::run, ObservedKind::cell, ObservedKind::machine};
    else
      kinds = {given[0]->kind};
    const std::vector<std::string> names = section_.texts("quantities");
    for (std::size_t k = 0; k < names.size(); ++k) read_quantity(names[k], k, kinds);
    if (plan_.quantities.size() != names.size()) return;
    if (section_.has("region") && plan_.observed != ObservedKind::region)
      return refuse("region", "cannot be combined with these quantities, which do not use a region");
    if (given.empty()) {
      plan_.parts = {0};
    } else {
      plan_.part_key = given[0]->key;
      plan_.part = section_.text(given[0]->key);
    }
    find_parts(given.empty() ? nullptr : given[0]);
  }

  void read_quantity(const std::string& name, std::size_t k, const std::vector<ObservedKind>& kinds) {
    std::vector<std::string> known;
    for (const ObservedKind kind : kinds) {
      const std::string before = kind == ObservedKind::machine ? "machine." : "";
      for (const Observable& quantity : observables(kind)) {
        known.push_back(before + quantity.name);
        if (known.back() != name) continue;
        if (!plan_.quantities.empty() && plan_.observed != kind) {
          refuse("quantities",
                 fmt::format("must be of one kind: '{}' and '{}' are of different kinds",
                             section_.texts("quantities").front(), name),
                 "write two [[measurements]]");
          return;
        }
        plan_.observed = kind;
        plan_.quantities.push_back(&quantity);
        plan_.units.emplace_back(quantity.unit);
        if (const std::size_t bar = plan_.units.back().find('|');
            world_.is_recorded && bar != std::string::npos)
          plan_.units.back().replace(bar, 1, " or ");  // tables do not say which
        return;
      }
    }
    const Node& node = section_.given("quantities").items[k];
    Fault fault = fault_at(node, fmt::format("{}[{}]", section_.path_of("quantities"), k),
                           "is not the name of a quantity");
    fault.suggestion = did_you_mean(name, known);
    for (const ObservedKindWords& of : observed_kinds())
      if (fault.suggestion.empty() && *of.key != '\0' && find_observable(of.kind, name) != nullptr)
        fault.suggestion = fmt::format("it belongs to {}: write `{}`", of.noun, of.key);
    reading_.faults.push_back(std::move(fault));
  }

  void find_parts(const ObservedKindWords* of) {
    const Model& model = reading_.scene.model;
    if (of == nullptr) {
      if (world_.is_recorded) return;
      if (plan_.observed == ObservedKind::cell && !model.cell.is_periodic())
        refuse("quantities", "belong to a periodic cell, but the scene has none");
      if (plan_.observed == ObservedKind::machine && model.joints.empty())
        refuse("quantities", "belong to joints and free parts, but the scene has no joints");
      return;
    }
    if (world_.is_recorded && *of->table == '\0') return;  // no run records them
    const std::vector<std::string> names = world_.names(of->kind);
    if (of->kind == ObservedKind::boundary) {
      for (const std::size_t b : find_boundaries(names, section_, of->key, reading_))
        plan_.parts.push_back(static_cast<std::int64_t>(b));
    } else if (const auto found =
                   find_name(names, fmt::format("of {}", of->noun).c_str(), section_, of->key, reading_)) {
      plan_.parts = {static_cast<std::int64_t>(*found)};
      for (std::size_t k = 0; k < plan_.quantities.size() && !world_.is_recorded; ++k)
        plan_.units[k] = unit_of(*plan_.quantities[k], of->kind, model, plan_.parts[0]);
      for (const Observable* q : plan_.quantities)
        if (!world_.is_recorded && !q->is_known_of(model, plan_.parts[0]))
          refuse("quantities", fmt::format("cannot all be measured: {} has no {}", plan_.part, q->name));
    }
  }

  static constexpr double parallel = 1e-6;
  static constexpr double phase_share = 0.02;  // of a period
  const Section& section_;
  const MeasuredWorld& world_;
  Reading& reading_;
  MeasurementPlan plan_;
};

}  // namespace

std::vector<MeasurementPlan> read_measurements(const Section& top, const MeasuredWorld& world,
                                               Reading& reading) {
  std::vector<MeasurementPlan> plans;
  std::set<std::string> names;
  const std::vector<Section> sections = elements(top, "measurements");
  for (std::size_t k = 0; k < sections.size(); ++k) {
    if (sections[k].node()->faulty) continue;
    MeasurementPlan plan = MeasurementReader(sections[k], k, world, reading).read();
    if (!names.insert(plan.name).second) {
      Fault fault = fault_at(*sections[k].node(), sections[k].path_of("name"),
                             fmt::format("is already in use: '{}'", plan.name));
      reading.faults.push_back(std::move(fault));
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

std::vector<MeasurementPlan> read_recorded_measurements(const std::string& text,
                                                        const std::filesystem::path& file,
                                                        const std::vector<Override>& overrides,
                                                        const RecordedWorld& world) {
  Reading reading;
  reading.scene.file = file;
  reading.scene.model.settings.gravity = world.model.settings.gravity;
  reading.scene.model.materials = world.model.materials;
  reading.scene.model.cell.flow = world.cell_flow;
  reading.scene.rest_speed_m_s = world.rest_speed_m_s;
  Node root = parse_document(text, file.string());
  for (const Override& override : overrides) apply_override(root, override, reading.faults);
  evaluate_expressions(root, reading.faults);
  std::erase_if(root.items, [](const Node& item) { return item.key != "measurements"; });
  Node* const list = root.find("measurements");
  if (list == nullptr) return {};
  reading.faults.clear();  // ignore faults of the rest of the scene
  for (std::size_t k = 0; k < list->items.size(); ++k)
    validate(list->items[k], "measurements", fmt::format("measurements[{}]", k), reading.faults);
  std::vector<MeasurementPlan> plans =
      read_measurements(Section(&root, "", ""), {world.names, true}, reading);
  if (reading.faults.empty()) return plans;
  sort_by_place(reading.faults);
  throw InputError(std::move(reading.faults));
}

namespace {

Node recorded_root(const std::string& scene, const std::vector<Override>& overrides) {
  std::vector<Fault> faults;
  Node root = parse_document(scene, "");
  for (const Override& override : overrides) apply_override(root, override, faults);
  evaluate_expressions(root, faults);
  return root;
}

}  // namespace

std::vector<CellFlow> recorded_flow(const std::string& scene, const std::vector<Override>& overrides) {
  Node root = recorded_root(scene, overrides);
  Reading reading;
  read_cell(Section(&root, "", ""), reading);
  return reading.scene.model.cell.flow;
}

double recorded_rest_speed(const std::string& scene, const std::vector<Override>& overrides,
                           const Settings& settings) {
  const Node root = recorded_root(scene, overrides);
  const Node* const given = root.find("rest_speed");
  return given != nullptr && given->is_number() ? given->number : usual_rest_speed(settings);
}

}  // namespace scree::io
