#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "engine/core/parallel.h"
#include "engine/detection/broad_phase.h"
#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/ellipsoid_plane.h"
#include "engine/geometry/ellipsoid_tube.h"
#include "io/scene/reading.h"

namespace scree::io {

namespace {

/// A body that covers more of its smallest length than this in one step may pass through another one unseen.
constexpr double longest_travel = 0.5;

/// Overlaps of one kind: how many, and the deepest.
struct Overlaps {
  std::int64_t count = 0;
  double depth_m = 0.0;
  double relative = 0.0;  // depth over the smaller body's smallest length
  std::size_t a = 0, b = 0;

  void add(const Overlaps& other) {
    count += other.count;
    if (other.relative <= relative) return;
    relative = other.relative;
    depth_m = other.depth_m;
    a = other.a;
    b = other.b;
  }
};

/// A body against a boundary.
struct Clearance {
  double distance = infinity;  // m, negative where they overlap
  std::string problem;         // set if it is worse than an overlap
};

class Checker {
 public:
  Checker(double limit, Reading& reading)
      : limit_(limit), reading_(reading), model_(reading.scene.model), bodies_(reading.scene.initial.bodies) {
    placed_.reserve(bodies_.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) placed_.push_back(place(shape(i), bodies_.pose(i)));
  }

  void pairs() {
    std::vector<Box> boxes(bodies_.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      boxes[i] = {bodies_.position[i], placed_[i].matrix.diagonal().cwiseSqrt()};
    }
    BroadPhaseWorkspace workspace;
    CandidatePairs candidates;
    find_candidate_pairs(boxes, workspace, candidates);
    const Overlaps worst = reduce_blocks(
        bodies_.size(), grain_heavy, Overlaps{},
        [&](const Block& block) {
          Overlaps found;
          for (std::size_t a = block.begin; a < block.end; ++a) {
            for (auto p = candidates.row[a]; p < candidates.row[a + 1]; ++p) {
              pair(a, static_cast<std::size_t>(candidates.b[static_cast<std::size_t>(p)]), found);
            }
          }
          return found;
        },
        [](Overlaps sum, const Overlaps& part) {
          sum.add(part);
          return sum;
        });
    if (worst.count == 0) return;
    Fault fault = overlap_fault(worst, worst.b, description(worst.a));
    if (worst.count > 1)
      fault.suggestion = fmt::format("the deepest of {} pairs that overlap too deeply", worst.count);
    reading_.faults.push_back(fault);
  }

  /// For every heading and every boundary the worst body is told, with the number of bodies like it.
  void boundaries() {
    for (const BodyGroup& group : reading_.groups) {
      for (const Boundary& boundary : model_.boundaries) against_boundary(group, boundary);
    }
  }

  void time_step() {
    const double dt = model_.settings.time_step_s, g = model_.settings.gravity.norm();
    std::size_t worst = 0;
    double travel = 0.0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const double speed = bodies_.linear_velocity[i].norm() + g * dt;
      const double relative = speed * dt / model_.shapes.smallest_length(bodies_.shape[i]);
      if (relative <= travel) continue;
      travel = relative;
      worst = i;
    }
    if (travel <= longest_travel) return;
    Fault warning;
    warning.where = location(worst);
    warning.key_path = name(worst);
    warning.problem = fmt::format(
        "moves by {:.2g} of its smallest semi-axis in the first time_step of {} s and may pass through "
        "others",
        travel, dt);
    warning.suggestion = fmt::format("time_step = {:.1g} would be safe", dt * longest_travel / travel);
    reading_.scene.warnings.push_back(warning);
  }

 private:
  const Ellipsoid& shape(std::size_t i) const { return model_.shapes.ellipsoid(bodies_.shape[i]); }

  void pair(std::size_t a, std::size_t b, Overlaps& found) const {
    const double reach = shape(a).semi_axes.maxCoeff() + shape(b).semi_axes.maxCoeff();
    if ((bodies_.position[a] - bodies_.position[b]).squaredNorm() >= reach * reach) return;
    const double depth = -gap(placed_[a], placed_[b]).distance;
    const double length = std::min(shape(a).semi_axes.minCoeff(), shape(b).semi_axes.minCoeff());
    if (depth > limit_ * length) found.add({1, depth, depth / length, a, b});
  }

  Clearance clearance(std::size_t i, const Plane& plane) const {
    Clearance result;
    result.distance = gap(placed_[i], plane).distance;
    if ((bodies_.position[i] - plane.point).dot(plane.normal) < 0.0)
      result.problem = "its centre lies behind";
    return result;
  }

  Clearance clearance(std::size_t i, const Tube& tube) const {
    Clearance result;
    const Vec3 along = (tube.end - tube.start).normalized();
    const Vec3 r = bodies_.position[i] - tube.start;
    const double height = r.dot(along), radial = (r - height * along).norm();
    if (height >= 0.0 && height <= (tube.end - tube.start).norm()) {
      if (radial < tube.inner_radius) {
        const double width = width_across(placed_[i], along);
        if (width > 2.0 * tube.inner_radius) {
          result.problem = fmt::format("is {:.4g} m wide and cannot lie in the bore of {:.4g} m of", width,
                                       2.0 * tube.inner_radius);
        }
      } else if (radial < tube.outer_radius()) {
        result.problem = "its centre lies in the wall of";
      }
    }
    Gap found[max_tube_contacts];
    const int count = gaps(shape(i), bodies_.pose(i), tube, 0.0, found);
    for (int k = 0; k < count; ++k) result.distance = std::min(result.distance, found[k].distance);
    return result;
  }

  /// Largest width of the ellipsoid's shadow along `axis`, m.
  static double width_across(const PlacedEllipsoid& ellipsoid, const Vec3& axis) {
    Eigen::Matrix<double, 3, 2> across;
    across.col(0) = axis.unitOrthogonal();
    across.col(1) = axis.cross(across.col(0));
    Eigen::SelfAdjointEigenSolver<Mat2> solver;
    solver.computeDirect(across.transpose() * ellipsoid.matrix * across, Eigen::EigenvaluesOnly);
    return 2.0 * std::sqrt(solver.eigenvalues()[1]);
  }

  void against_boundary(const BodyGroup& group, const Boundary& boundary) {
    Overlaps worst;
    std::string problem;
    for (std::size_t i = group.begin; i < group.end; ++i) {
      const Clearance found =
          std::visit([&](const auto& surface) { return clearance(i, surface); }, boundary.surface);
      const double length = shape(i).semi_axes.minCoeff(), depth = -found.distance;
      if (found.problem.empty() && depth <= limit_ * length) continue;
      const double before = worst.relative;
      worst.add({1, depth, depth / length, i, i});
      if (worst.relative > before || worst.count == 1) problem = found.problem;
    }
    if (worst.count == 0) return;
    const std::string title = "the boundary '" + boundary.name + "'";
    Fault fault = overlap_fault(worst, worst.a, title);
    if (!problem.empty()) {
      fault.problem = problem + ' ' + title;
      fault.value = fault.unit = fault.allowed = "";
    }
    if (worst.count > 1) fault.suggestion = fmt::format("the worst of {} such bodies", worst.count);
    reading_.faults.push_back(fault);
  }

  Fault overlap_fault(const Overlaps& worst, std::size_t body, const std::string& other) const {
    Fault fault;
    fault.where = location(body);
    fault.key_path = name(body);
    fault.problem = fmt::format("overlaps {} by {:.3g} m", other, worst.depth_m);
    fault.value = fmt::format("{:.3g}", worst.relative);
    fault.unit = "of the smallest semi-axis";
    fault.allowed = fmt::format("<= {}", limit_);
    return fault;
  }

  const BodyGroup& group_of(std::size_t body) const {
    return *std::find_if(reading_.groups.begin(), reading_.groups.end(),
                         [&](const BodyGroup& group) { return body >= group.begin && body < group.end; });
  }

  SourceLocation location(std::size_t body) const {
    const BodyGroup& group = group_of(body);
    if (group.table.empty()) return group.where;
    return {group.table, group.lines.empty() ? 0 : group.lines[body - group.begin], 1};
  }

  /// "bodies[2]", or "bodies[2] number 17" for one of many.
  std::string name(std::size_t body) const {
    const BodyGroup& group = group_of(body);
    return group.form == "single" ? group.path : fmt::format("{} number {}", group.path, body - group.begin);
  }

  /// Name and place.
  std::string description(std::size_t body) const {
    const SourceLocation place = location(body);
    std::string text = name(body) + " (" + place.file;
    if (place.line > 0) text += fmt::format(":{}:{}", place.line, place.column);
    return text + ')';
  }

  double limit_;  // of the smaller body's smallest length
  Reading& reading_;
  const Model& model_;
  const Bodies& bodies_;
  std::vector<PlacedEllipsoid> placed_;  // [body]
};

}  // namespace

void check_initial_state(double max_initial_overlap, Reading& reading) {
  Checker checker(max_initial_overlap, reading);
  checker.boundaries();
  checker.pairs();
  checker.time_step();
}

}  // namespace scree::io
