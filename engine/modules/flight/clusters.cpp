#include "engine/modules/flight/clusters.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>
#include <tuple>

#include "engine/core/parallel.h"

namespace scree {

namespace {

using Cluster = FlightWorkspace::Cluster;

constexpr double wanted_candidates = 4.0;  // per body; measured (docs/piecewise.md)
constexpr double least_skin = 0.3;         // of the mean diameter
constexpr double usual_excess = 1.8;       // of the root mean square of speeds: very few are faster
constexpr double own_excess = 1.25;        // of a body's own speed
constexpr std::size_t few = 32;            // this number of bodies are all candidates of each other
constexpr double most_of_cell = 0.24;      // of its least width: for balls
constexpr double same_instant = 1e-12;     // of the round: impacts at the same time
constexpr double touching = 1e-9;    // of the smallest semi-axis: all places of a wall that collide at once
constexpr double at_the_rim = 1e-6;  // of its radius: there a body has left its ball
constexpr double no_bounce = 1e-10;  // departure over approach: then they stay together
constexpr double slow = 1e-12;       // of the speed: a negligible departure
constexpr double sticking = 1e6;     // friction: more has no effect, and exceeds the range of numbers
constexpr std::uint32_t most_impacts = 20000;  // of a body in a round: then they accumulate

std::int32_t number(std::size_t i) { return static_cast<std::int32_t>(i); }

/// The next event of a body, or of two.
struct Event {
  enum class Kind : std::uint8_t { touch, look_again, renewal, leaving };
  double time;
  Kind kind;
  std::int32_t a, b;
  std::uint32_t changes_a, changes_b;
  auto order() const { return std::tuple(time, kind, a, partner_order(b)); }
  bool operator<(const Event& o) const { return order() > o.order(); }  // the earliest on top
};

/// A round: the interval between two times, `span` (s) apart, in which the balls are valid.
struct Round {
  const BallisticScene& sky;
  const Resting& resting;
  const Bodies& bodies;
  double epoch_s;
  FlightWorkspace& w;

  bool rests(std::int32_t i) const { return !resting.is_resting.empty() && resting.is_resting[i] != 0; }
};

/// Processes one cluster through a round.
class Clockwork {
 public:
  Clockwork(const Round& round, Cluster& cluster, double span)
      : round_(round), w_(round.w), cluster_(cluster), span_(span), end_(span) {}

  void run() {
    cluster_.stop = infinity;
    cluster_.last = -infinity;
    cluster_.left = false;
    cluster_.searches = 0;
    cluster_.resting.clear();
    cluster_.caught.clear();
    cluster_.impacts.clear();
    for (std::size_t k = cluster_.begin; k < cluster_.end; ++k) {
      const std::size_t i = w_.members[k];
      w_.changes[i] = w_.impacts[i] = 0;
      const Bodies& bodies = round_.bodies;
      begin_flight(i, 0.0, bodies.pose(i), {bodies.linear_velocity[i], bodies.angular_velocity[i]});
    }
    for (std::size_t k = cluster_.begin; k < cluster_.end; ++k) {
      const std::int32_t i = w_.members[k];  // of two flying bodies the lower one searches
      search_all(i, 0.0, [&](std::int32_t other) { return other > i || round_.rests(other); });
    }
    while (!queue_.empty() && cluster_.stop == infinity) {
      const Event event = queue_.top();
      queue_.pop();
      if (!is_valid(event)) continue;
      switch (event.kind) {
        case Event::Kind::touch:
          collision_impulse(event);
          break;
        case Event::Kind::look_again:
          search(event.a, event.b, event.time);
          break;
        case Event::Kind::renewal:
          renew(event.a, event.time);
          break;
        case Event::Kind::leaving:
          look_at_ball(event.a, event.time);
          break;
      }
    }
  }

 private:
  bool is_valid(const Event& e) const {
    return e.changes_a == w_.changes[e.a] &&
           (is_boundary(e.b) || e.b == e.a || e.changes_b == w_.changes[e.b]);
  }
  void push(double time, Event::Kind kind, std::int32_t a, std::int32_t b) {
    queue_.push({time, kind, a, b, w_.changes[a], is_boundary(b) ? 0 : w_.changes[b]});
  }

  Pose pose_at(std::size_t i, double t) const {
    return {w_.flights[i].position(t), w_.flights[i].orientation(t)};
  }
  Twist twist_at(std::size_t i, double t, const Quat& q) const {
    return {w_.flights[i].velocity(t), w_.flights[i].angular_velocity(q)};
  }

  void begin_flight(std::size_t i, double t, const Pose& pose, const Twist& twist) {
    w_.flights[i] =
        Flight({i, round_.bodies.inertia[i], pose, twist}, round_.sky.acting, round_.epoch_s, t, end_);
    ++w_.changes[i];
    if (w_.flights[i].until() < end_) push(w_.flights[i].until(), Event::Kind::renewal, number(i), number(i));
    look_at_ball(number(i), t);
  }

  /// Stops if a body has left its ball; else checks again when it may have left.
  void look_at_ball(std::int32_t i, double t) {
    const FlightWorkspace::Ball& ball = w_.balls[i];
    const Flight& flight = w_.flights[i];
    const double left = ball.radius - (flight.position(t) - ball.centre).norm();
    if (left <= at_the_rim * ball.radius && t > 0.0) {
      cluster_.stop = t;
      cluster_.left = true;
      return;
    }
    const double speed = flight.most_speed(t, end_), later = t + left / speed;
    if (later <= t) {  // exceeds all bounds: no time step is short enough
      cluster_.stop = t;
      cluster_.left = true;
      return;
    }
    if (later < end_) push(later, Event::Kind::leaving, i, i);
  }

  void renew(std::int32_t i, double t) {
    const Pose pose = pose_at(i, t);
    begin_flight(i, t, pose, twist_at(i, t, pose.orientation));
    search_all(i, t, [](std::int32_t) { return true; });
  }

  /// Searches contacts of a body with selected neighbours, and with walls.
  template <class Wanted>
  void search_all(std::int32_t i, double t, Wanted&& is_wanted) {
    for (std::int32_t k = w_.row[i]; k < w_.row[i + 1]; ++k)
      if (const FlightWorkspace::Neighbour& other = w_.neighbours[k]; is_wanted(other.body))
        search(i, other, t);
    for (std::int32_t k = w_.wall_row[i]; k < w_.wall_row[i + 1]; ++k) search_wall(i, w_.walls[k], t);
  }
  void search(std::int32_t a, std::int32_t b, double t) {
    if (is_boundary(b)) {
      search_wall(a, number(boundary_of(b)), t);
      return;
    }
    search(a, *neighbour(a, b), t);
  }
  const FlightWorkspace::Neighbour* neighbour(std::int32_t a, std::int32_t b) const {
    for (std::int32_t k = w_.row[a]; k < w_.row[a + 1]; ++k)
      if (w_.neighbours[k].body == b) return &w_.neighbours[k];
    return nullptr;
  }
  void search(std::int32_t a, const FlightWorkspace::Neighbour& other, double t) {
    ++cluster_.searches;
    const std::int32_t b = other.body;
    const double until = std::min({end_, w_.flights[a].until(), w_.flights[b].until()});
    note(a, b, next_touch(w_.ballistic_bodies[a], w_.ballistic_bodies[b], other.shift, t, until));
  }
  void search_wall(std::int32_t a, std::int32_t wall, double t) {
    ++cluster_.searches;
    const double until = std::min(end_, w_.flights[a].until());
    note(a, boundary_partner(wall), next_touch(w_.ballistic_bodies[a], w_.flown_at[wall], t, until, gaps_));
  }
  void note(std::int32_t a, std::int32_t b, const NextTouch& touch) {
    if (touch.time < infinity)
      push(touch.time, touch.is_certain ? Event::Kind::touch : Event::Kind::look_again, a, b);
  }

  /// The index of a colliding body in struck_.
  std::int32_t enter(std::int32_t body, double t) {
    for (std::size_t k = 0; k < bodies_.size(); ++k)
      if (bodies_[k] == body) return number(k);
    const std::size_t i = body;
    const Pose pose = pose_at(i, t);
    bodies_.push_back(body);
    poses_.push_back(pose);
    struck_.push_back({1.0 / round_.bodies.mass[i],
                       symmetric_in_world(pose.orientation, round_.bodies.inertia[i].cwiseInverse()),
                       twist_at(i, t, pose.orientation)});
    return number(bodies_.size() - 1);
  }

  void add(const Event& e, const Meeting& m, const Vec3& shift, double t, const PlacedBoundary* wall) {
    Impact impact;
    impact.time_s = round_.epoch_s + t;
    impact.a = e.a;
    impact.b = e.b;
    impact.point = m.point;
    impact.image = shift;
    CollisionImpulse& s = impact.collision_impulse;
    s.normal = m.normal;
    s.a = enter(e.a, t);
    s.arm_a = m.point - poses_[s.a].position;
    const Bodies& bodies = round_.bodies;
    MaterialIndex other;
    if (wall != nullptr) {
      const Boundary& boundary = round_.sky.boundaries[boundary_of(e.b)];
      other = boundary.material;
      s.arm_b = Vec3::Zero();
      s.wall_velocity = wall->twist.linear + wall->sliding(m.normal) +
                        wall->twist.angular.cross(m.point - wall->pose.position);
    } else {
      other = bodies.material[e.b];
      s.b = enter(e.b, t);
      s.arm_b = m.point - shift - poses_[s.b].position;
    }
    const PairLaw& law = round_.sky.materials.law(bodies.material[e.a], other);
    s.friction = std::min(law.friction, sticking);
    s.restitution = law.restitution;
    found_.push_back(impact);
  }

  /// Resolves an impact and all others at the same time.
  void collision_impulse(const Event& first) {
    const double t = first.time;
    bodies_.clear();
    poses_.clear();
    struck_.clear();
    found_.clear();
    at_rest_.clear();
    for (Event e = first;;) {
      gather(e, t);
      if (cluster_.stop < infinity) return;
      bool more = false;
      while (!queue_.empty() && queue_.top().time <= t + same_instant * span_) {
        e = queue_.top();
        if (is_valid(e) && e.kind != Event::Kind::touch) break;
        queue_.pop();
        if (is_valid(e)) {
          more = true;
          break;
        }
      }
      if (!more) break;
    }
    collision_impulses_.clear();
    for (const Impact& impact : found_) collision_impulses_.push_back(impact.collision_impulse);
    before_.clear();
    for (const Struck& s : struck_) before_.push_back(s.twist);
    if (!collision_impulses_.empty()) resolve(collision_impulses_, struck_, round_.sky.bounce);
    for (std::size_t k = 0; k < found_.size(); ++k) {
      Impact& impact = found_[k];
      const CollisionImpulse& s = impact.collision_impulse = collision_impulses_[k];
      impact.before_a = before_[s.a];
      impact.after_a = struck_[s.a].twist;
      if (s.b != CollisionImpulse::wall) {
        impact.before_b = before_[s.b];
        impact.after_b = struck_[s.b].twist;
      }
      cluster_.impacts.push_back(impact);
      const bool piled_up = ++w_.impacts[impact.a] > most_impacts;
      if (s.approach <= round_.sky.bounce.threshold_m_s || s.departure <= no_bounce * s.approach ||
          piled_up) {
        at_rest_.push_back(impact.a);
        if (!is_boundary(impact.b)) at_rest_.push_back(impact.b);
      }
    }
    cluster_.last = t;
    for (std::size_t k = 0; k < bodies_.size(); ++k) begin_flight(bodies_[k], t, poses_[k], struck_[k].twist);
    if (!at_rest_.empty()) {
      cluster_.resting.insert(cluster_.resting.end(), at_rest_.begin(), at_rest_.end());
      cluster_.stop = t;
      cluster_.left = false;
      return;
    }
    if (cluster_.impacts.size() > round_.sky.most_impacts) {
      cluster_.stop = t;  // as fly() will see it
      return;
    }
    for (const std::int32_t i : bodies_)  // of two colliding bodies the lower one searches
      search_all(i, t, [&](std::int32_t other) {
        return other > i || std::ranges::find(bodies_, other) == bodies_.end();
      });
  }

  /// Adds the contacts of an event at this time to its impacts.
  void gather(const Event& e, double t) {
    const BallisticBody& a = w_.ballistic_bodies[e.a];
    bool approaches = false;
    const double still = slow * (1e-3 + a.flight->velocity(t).norm());
    const double margin = touching * a.smallest + 4.0 * nearness(a, a.flight->position(t));
    if (is_boundary(e.b)) {
      const FlownAt& wall = w_.flown_at[boundary_of(e.b)];
      meetings(a, wall, t, margin, gaps_, meetings_);
      const PlacedBoundary placed = wall.at(t);
      for (const Meeting& m : meetings_)
        if (m.rate < -still) {
          add(e, m, Vec3::Zero(), t, &placed);
          approaches = true;
        }
    } else {
      const FlightWorkspace::Neighbour& other = *neighbour(e.a, e.b);
      if (round_.rests(e.b)) {
        cluster_.caught.push_back(e.a);
        cluster_.stop = t;
        return;
      }
      const BallisticBody& b = w_.ballistic_bodies[e.b];
      meetings(a, {b, other.shift}, t, margin + 4.0 * nearness(b, Vec3::Zero()), gaps_, meetings_);
      for (const Meeting& m : meetings_)
        if (m.rate < -still) {
          add(e, m, other.shift, t, nullptr);
          approaches = true;
        }
    }
    if (!approaches) {
      at_rest_.push_back(e.a);
      if (!is_boundary(e.b)) at_rest_.push_back(e.b);
    }
  }

  const Round& round_;
  FlightWorkspace& w_;
  Cluster& cluster_;
  double span_, end_;
  std::priority_queue<Event> queue_;
  std::vector<Gap> gaps_;
  std::vector<Meeting> meetings_;
  std::vector<std::int32_t> bodies_, at_rest_;
  std::vector<Pose> poses_;
  std::vector<Struck> struck_;
  std::vector<Twist> before_;
  std::vector<CollisionImpulse> collision_impulses_;
  std::vector<Impact> found_;
};

std::int32_t root(std::vector<std::int32_t>& parent, std::int32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/// Length of the next round, at most `left`, and the balls of all its bodies.
double set_balls(const Round& r, double left) {
  FlightWorkspace& w = r.w;
  const std::size_t n = r.bodies.size();
  struct Sums {
    double squares = 0.0, diameters = 0.0, fastest = 0.0, largest = 0.0;
    std::size_t ballistic = 0;
    Vec3 low = Vec3::Constant(infinity), high = Vec3::Constant(-infinity);
  };
  Sums sums;
  for (std::size_t i = 0; i < n; ++i) {
    if (r.rests(number(i))) continue;
    const double radius = w.ballistic_bodies[i].bounding_radius;
    sums.squares += r.bodies.linear_velocity[i].squaredNorm();
    sums.fastest = std::max(sums.fastest, r.bodies.linear_velocity[i].norm());
    sums.diameters += 2.0 * radius;
    sums.largest = std::max(sums.largest, radius);
    ++sums.ballistic;
    sums.low = sums.low.cwiseMin(r.bodies.position[i] - Vec3::Constant(radius));
    sums.high = sums.high.cwiseMax(r.bodies.position[i] + Vec3::Constant(radius));
  }
  const auto ballistic = static_cast<double>(std::max<std::size_t>(1, sums.ballistic));
  const double diameter = sums.diameters / ballistic, rms = std::sqrt(sums.squares / ballistic);
  double span = left, usual = 0.0;
  const double pull = r.sky.acting.gravity.norm();
  const auto travel = [&](double speed, double t) { return speed * t + 0.5 * pull * t * t; };
  if (sums.ballistic > few) {
    const double volume = r.sky.cell.is_periodic() && r.sky.cell.volume > 0.0 ? r.sky.cell.volume
                                                                              : (sums.high - sums.low).prod();
    const double skin =
        std::max(least_skin * diameter,
                 std::cbrt(wanted_candidates * 0.75 / std::numbers::pi * volume / ballistic) - diameter);
    usual = 0.5 * skin;
    // usual_excess rms t + pull t^2 / 2 = usual
    const double speed = usual_excess * rms, root_ = std::sqrt(speed * speed + 2.0 * pull * usual);
    if (speed + root_ > 0.0) span = std::min(span, 2.0 * usual / (speed + root_));
  } else {
    usual = travel(usual_excess * rms, span);
  }
  if (r.sky.cell.is_periodic()) {
    const double room = most_of_cell * r.sky.cell.least_width() - sums.largest;
    const double speed = own_excess * std::max(sums.fastest, usual_excess * rms);
    if (room > 0.0 && travel(speed, span) > room) span = room / (speed + 0.5 * pull * span);
    usual = std::min(usual, std::max(room, 0.0));
  }
  w.balls.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double own = own_excess * travel(r.bodies.linear_velocity[i].norm(), span);
    w.balls[i] = {r.bodies.position[i], r.rests(number(i)) ? 0.0 : std::max(own, usual) + 1e-9 * diameter};
  }
  return span;
}

/// Finds bodies that may collide while all stay in their balls.
void find_neighbours(const Round& r) {
  FlightWorkspace& w = r.w;
  const std::size_t n = r.bodies.size();
  w.boxes.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    w.boxes[i] = {w.balls[i].centre,
                  Vec3::Constant(w.balls[i].radius + w.ballistic_bodies[i].bounding_radius)};
  const bool repeats = r.sky.cell.is_periodic();
  find_candidate_pairs(w.boxes, r.sky.cell, w.pairs);
  w.parent.resize(n);
  for (std::size_t i = 0; i < n; ++i) w.parent[i] = number(i);
  w.row.assign(n + 1, 0);
  w.near.clear();
  for (std::size_t a = 0; a < n; ++a) {
    const bool a_rests = r.rests(number(a));
    for (std::int32_t k = w.pairs.row[a]; k < w.pairs.row[a + 1]; ++k) {
      const std::int32_t b = w.pairs.b[k];
      const bool b_rests = r.rests(b);
      if (a_rests && b_rests) continue;
      Vec3 d = w.balls[b].centre - w.balls[a].centre, shift = Vec3::Zero();
      if (repeats) {
        shift = r.sky.cell.nearest_image(d);
        d += shift;
      }
      const double reach = w.boxes[a].half[0] + w.boxes[b].half[0];
      if (d.squaredNorm() >= reach * reach) continue;
      w.near.push_back({number(a), b, shift});
      ++w.row[a + 1];
      ++w.row[b + 1];
      if (a_rests || b_rests) continue;
      const std::int32_t ra = root(w.parent, number(a)), rb = root(w.parent, b);
      if (ra != rb) w.parent[std::max(ra, rb)] = std::min(ra, rb);
    }
  }
  for (std::size_t i = 0; i < n; ++i) w.row[i + 1] += w.row[i];
  w.neighbours.resize(w.row[n]);
  w.cursor.assign(w.row.begin(), w.row.end() - 1);
  for (const FlightWorkspace::Near& pair : w.near) {
    w.neighbours[w.cursor[pair.a]++] = {pair.b, pair.shift};
    w.neighbours[w.cursor[pair.b]++] = {pair.a, -pair.shift};
  }
  w.wall_row.assign(1, 0);
  w.walls.clear();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < w.flown_at.size() && !r.rests(number(i)); ++k) {
      const FlownAt& wall = w.flown_at[k];
      if (wall.placed.removed) continue;
      if (const auto* plane = std::get_if<Plane>(&wall.placed.surface);
          plane != nullptr && !wall.boundary_pose.moves())
        if (plane->normal.dot(w.balls[i].centre - plane->point) > w.boxes[i].half[0]) continue;
      w.walls.push_back(number(k));
    }
    w.wall_row.push_back(number(w.walls.size()));
  }
}

/// Clusters of flying bodies, in the order of their first members.
void find_clusters(const Round& r) {
  FlightWorkspace& w = r.w;
  const std::size_t n = r.bodies.size();
  w.cursor.assign(n, 0);  // number of members, then the next free place
  std::size_t clusters = 0, ballistic = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (r.rests(number(i))) continue;
    ++ballistic;
    const std::int32_t first = root(w.parent, number(i));
    if (first == number(i)) ++clusters;
    ++w.cursor[first];
  }
  w.clusters.resize(clusters);
  std::size_t next = 0, begin = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (r.rests(number(i)) || w.parent[i] != number(i)) continue;
    Cluster& cluster = w.clusters[next++];
    cluster.begin = begin;
    cluster.end = begin + w.cursor[i];
    w.cursor[i] = number(begin);
    begin = cluster.end;
  }
  w.members.resize(ballistic);
  for (std::size_t i = 0; i < n; ++i)
    if (!r.rests(number(i))) w.members[w.cursor[root(w.parent, number(i))]++] = number(i);
}

/// Walls and bodies at the start.
void set_out(const BallisticScene& sky, const Resting& resting, double begin_s, const Bodies& bodies,
             FlightWorkspace& w) {
  const std::size_t n = bodies.size();
  w.flights.resize(n);
  w.ballistic_bodies.resize(n);
  w.changes.resize(n);
  w.impacts.resize(n);
  w.flown_at.clear();
  for (std::size_t k = 0; k < sky.boundaries.size(); ++k) {
    const Boundary& boundary = sky.boundaries[k];
    const BoundaryPose boundary_pose = boundary_pose_of(sky.boundary_pose, k);
    w.flown_at.push_back({&boundary, boundary_pose, place(boundary, boundary_pose, begin_s), begin_s});
  }
  w.shapes.clear();
  for (std::size_t k = 0; k < sky.shapes.size(); ++k)
    w.shapes.push_back(flown_shape(sky.shapes, static_cast<ShapeIndex>(k)));
  for (std::size_t i = 0; i < n; ++i) {
    const ShapeIndex shape = bodies.shape[i];
    const FlownShape& of = w.shapes[shape];
    double growth = 1.0;
    if (!resting.is_resting.empty() && resting.is_resting[i] != 0) {
      // For a resting body, an ellipsoid that contains it wherever it may move.
      growth = 1.0 + resting.reach[i] / of.enclosing.semi_axes.minCoeff();
      w.flights[i] = Flight::at_rest(bodies.pose(i));
    }
    w.ballistic_bodies[i] = ballistic_body(sky.shapes, shape, of, w.flights[i], growth);
  }
}

/// Collects the results of a round up to its stop. Must the step end there?
bool gather(const std::vector<Cluster>& clusters, double stop, FlightReport& report) {
  bool halts = false;
  const std::size_t before = report.impacts.size();
  for (const Cluster& c : clusters) {
    report.impacts.insert(report.impacts.end(), c.impacts.begin(), c.impacts.end());
    report.searches += c.searches;
    if (c.stop != stop) continue;
    report.resting.insert(report.resting.end(), c.resting.begin(), c.resting.end());
    report.caught.insert(report.caught.end(), c.caught.begin(), c.caught.end());
    halts = halts || !c.left;
  }
  std::sort(report.impacts.begin() + static_cast<std::ptrdiff_t>(before), report.impacts.end(),
            [](const Impact& p, const Impact& q) {
              return std::tuple(p.time_s, p.a, partner_order(p.b)) <
                     std::tuple(q.time_s, q.a, partner_order(q.b));
            });
  return halts;
}

}  // namespace

void fly(const BallisticScene& sky, const Resting& resting, const TimeSpan& span, Bodies& bodies,
         FlightWorkspace& w, FlightReport& report) {
  const std::size_t n = bodies.size();
  const double end_s = span.end_s;
  report = {};
  report.end_s = span.begin_s;
  set_out(sky, resting, span.begin_s, bodies, w);
  while (report.end_s < end_s) {
    const Round round{sky, resting, bodies, report.end_s, w};
    for (FlownAt& wall : w.flown_at) wall.epoch_s = report.end_s;
    const double left = end_s - report.end_s;
    const double longest = set_balls(round, left);
    find_neighbours(round);
    find_clusters(round);
    const auto run = [&](double until, auto&& wanted) {
      constexpr std::size_t grain = 4;
      for_blocks(w.clusters.size(), grain, [&](const Block& block) {
        for (std::size_t k = block.begin; k < block.end; ++k)
          if (wanted(w.clusters[k])) Clockwork(round, w.clusters[k], until).run();
      });
    };
    run(longest, [](const Cluster&) { return true; });
    double stop = longest;
    for (const Cluster& c : w.clusters) stop = std::min(stop, c.stop);
    if (stop < longest) run(stop, [&](const Cluster& c) { return c.last >= stop && c.stop != stop; });

    const bool halts = gather(w.clusters, stop, report);
    for_each_index(n, grain_medium, [&](std::size_t i) {
      if (round.rests(number(i))) return;
      const Flight& flight = w.flights[i];
      bodies.position[i] = flight.position(stop);
      bodies.linear_velocity[i] = flight.velocity(stop);
      bodies.orientation[i] = flight.orientation(stop);
      bodies.angular_velocity[i] = flight.angular_velocity(bodies.orientation[i]);
    });
    report.overran = report.impacts.size() > sky.most_impacts;
    report.candidates += number(w.neighbours.size() / 2);
    report.clusters += static_cast<std::int64_t>(w.clusters.size());
    ++report.rounds;
    const bool stands = !(report.end_s + stop > report.end_s);  // an unbounded body ends the step at once
    report.end_s = stop >= left || stands ? end_s : report.end_s + stop;
    if (halts || report.overran) break;
  }
}

}  // namespace scree
