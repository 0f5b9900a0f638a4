// Measurements: time series and profiles that users request, from steps of a run or from its recorded frames.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/measurements/classes.h"
#include "engine/measurements/moment.h"

namespace scree {

/// A quantity of a measurement: a column of its table.
struct MeasuredColumn {
  std::string name;       // with its unit
  std::string unit;       // SI, degrees for angles; "1" if dimensionless
  bool is_total = false;  // since the beginning of the measurement: its last value counts, not its mean
};

/// A table at the end of a measurement, such as a distribution. All rows are [column].
struct MeasuredTable {
  std::vector<MeasuredColumn> columns;
  std::vector<std::vector<double>> rows;
};

/// A half space, whose border is seen from the side to which the normal points.
struct MeasuringPlane {
  Vec3 point = Vec3::Zero(), normal = Vec3::UnitZ();  // m, unit
  double radius = infinity;                           // m, radius of the disc about the point that counts
};

/// The kind of a measurement.
enum class MeasureKind : std::uint8_t {
  quantity,
  flow,
  bulk,
  surface,
  mixing,
  residence,
  pair_correlation,
  profile,
  bodies,
  screening
};

/// Their names in scenes, in this order.
inline constexpr std::array measure_words{
    "quantity",         "flow",    "bulk",   "surface",  "mixing", "residence",
    "pair_correlation", "profile", "bodies", "screening"};
inline const char* to_string(MeasureKind kind) { return measure_words[static_cast<std::size_t>(kind)]; }

/// A measurement as a scene describes it (docs/scene_reference.md, [[measurements]]).
struct MeasurementPlan {
  std::string name;
  MeasureKind kind = MeasureKind::bulk;
  double from_s = -infinity, until_s = infinity;  // simulated time
  double interval_s = 0.0;                        // between rows; 0: as between frames
  std::optional<Region> region;
  Classes classes;
  // For quantities: the parts whose sum is measured.
  ObservedKind observed = ObservedKind::run;
  std::vector<const Observable*> quantities;
  std::vector<std::int64_t> parts;
  std::vector<std::string> units;  // [quantity]
  std::string part_key, part;      // names in the scene: "boundary", "floor"; empty for quantities of the run
  double rest_speed_m_s = 0.0;
  // For flow and screening.
  std::optional<MeasuringPlane> plane, over;
  std::optional<std::size_t> opening;
  double aperture = 0.0;  // m
  // For other kinds.
  Vec3 along = Vec3::UnitX(), up = Vec3::UnitZ();  // unit
  std::optional<Vec3> centre;                      // m, of a heap whose height is a function of the radius
  Vec2 fit{0.1, 0.9};                              // share of the material to which the slope is fitted
  double cell = 0.0;       // m, width of bins, layers or cells; 0: from the bodies' size
  double radius = 0.0;     // m, of pairs; 0: from the bodies' size
  int rattlers_below = 4;  // contacts
  std::vector<BodyId> bodies;
  bool by_place = false;  // of mixing: the classes are the halves along `along` at the start
};

/// A measurement sees the moments of a run in order, from its `from_s` on.
class Measurement {
 public:
  virtual ~Measurement() = default;
  virtual std::vector<MeasuredColumn> columns() const = 0;
  /// Names of the columns that a summary in one line shows; empty: the first ones.
  virtual std::vector<std::string> headlines() const { return {}; }
  /// Must it see each step, or only those that end a row?
  virtual bool needs_every_step() const { return false; }
  virtual bool needs_contacts() const { return false; }
  /// Or are the reports of steps enough?
  virtual bool needs_bodies() const { return true; }
  /// The moment at which it starts.
  virtual void begin(const MeasuredMoment&) {}
  /// A later moment. If it does not need each step, the moment ends a row.
  virtual void see(const MeasuredMoment&) {}
  /// [column] values since the last row, or at this moment, which it has seen. `elapsed_s` > 0: time since
  /// the last row.
  virtual std::vector<double> row(const MeasuredMoment& moment, double elapsed_s) = 0;
  /// The table of all moments so far, if there is one.
  virtual std::optional<MeasuredTable> table() const { return std::nullopt; }
  /// All state between two moments, as numbers; remember() restores it.
  virtual std::vector<double> memory() const { return {}; }
  virtual void remember(std::vector<double>) {}

 protected:
  Measurement() = default;
  Measurement(const Measurement&) = default;
  Measurement& operator=(const Measurement&) = default;
};

std::unique_ptr<Measurement> make_measurement(const MeasurementPlan& plan);

/// Decides when rows end: at the moment nearest to begin + k interval; `slack_s`: half the time between
/// moments.
class MeasurementClock {
 public:
  MeasurementClock(double begin_s, double interval_s, double slack_s)
      : begin_(begin_s), interval_(interval_s), slack_(slack_s) {}
  bool is_due(double time_s) const { return time_s + slack_ >= begin_ + next_ * interval_; }
  void end_row(double time_s);
  double begin_s() const { return begin_; }
  double next() const { return next_; }
  void go_on(double begin_s, double next) {
    begin_ = begin_s;
    next_ = next;
  }

 private:
  double begin_, interval_, slack_;
  double next_ = 1.0;  // number of the interval with which the next row ends
};

/// A measurement with its clock, which selects the moments that it sees and when rows end.
class Measuring {
 public:
  Measuring(const MeasurementPlan& plan, double interval_s, double slack_s);

  const MeasurementPlan& plan() const { return plan_; }
  const Measurement& measurement() const { return *measurement_; }
  /// Does it need a moment at this time, and its contacts?
  bool wants(double time_s) const;
  bool wants_bodies(double time_s) const { return measurement_->needs_bodies() && wants(time_s); }
  bool wants_contacts(double time_s) const { return measurement_->needs_contacts() && is_due(time_s); }
  /// [column] if the moment ends a row.
  std::optional<std::vector<double>> see(const MeasuredMoment& moment);

  std::vector<double> memory() const;
  void remember(std::vector<double> numbers);

 private:
  bool is_due(double time_s) const { return begun_ && clock_.is_due(time_s); }
  MeasurementPlan plan_;
  double interval_, slack_;
  std::unique_ptr<Measurement> measurement_;
  MeasurementClock clock_;
  bool begun_ = false;
  double last_row_ = 0.0;  // s
};

}  // namespace scree
