// Scree's own form of a contact problem, see docs/file_formats.md.
#include <algorithm>
#include <fmt/format.h>

#include "engine/core/errors.h"
#include "io/files/file_errors.h"
#include "io/files/hdf5_objects.h"
#include "io/problems/hdf5_source.h"
#include "io/problems/problem_parts.h"

namespace scree::io {

namespace {

// 1 had frames instead of n, t1, tangent_ratio; 2 had an unused slop; in 3 the other body was -1
// if it was fixed.
constexpr std::int64_t format_version = 4, oldest_version = 2;
constexpr std::int64_t most_friction_corners = 1000;
const std::string format_name = "scree contact problem";

// --- one list of datasets for reading and writing
// ---------------------------------------------------------------------

/// One member of all rows of an array of structures; files have the value of `get`, and `set` takes it.
template <class Rows, class Get, class Set>
struct Column {
  Rows& rows;
  Get get;
  Set set;
};

template <class Rows, class Get, class Set>
Column(Rows&, Get, Set) -> Column<Rows, Get, Set>;

/// The numbers to which `of(row)` refers.
template <class Rows, class Of>
auto numbers(Rows& rows, Of of) {
  return Column{
      rows,
      [of](auto& row) {
        using Number = std::remove_cvref_t<decltype(of(row))>;
        return static_cast<std::conditional_t<std::is_same_v<Number, float>, double, Number>>(of(row));
      },
      [of](auto& row, auto v) { of(row) = static_cast<std::remove_cvref_t<decltype(of(row))>>(v); }};
}

/// The vectors to which `of(row)` refers.
template <class Rows, class Of>
auto vectors(Rows& rows, Of of) {
  return Column{rows, [of](auto& row) -> Vec3 { return of(row).template cast<double>(); },
                [of](auto& row, const Vec3& v) {
                  using Vector = std::remove_cvref_t<decltype(of(row))>;
                  of(row) = v.cast<typename Vector::Scalar>();
                }};
}

template <class Rows>
auto inverse_inertia(Rows& rows) {
  return Column{rows, [](auto& row) { return row.inverse_inertia(); },
                [](auto& row, const Mat3& m) { row.set_inverse_inertia(m); }};
}

/// Calls field(group, label, array) for each array of a problem; Problem is const for writing.
template <class Problem, class Field>
void for_each_body_array(Problem& p, Field&& field) {
  field("bodies",
        hdf5::Label{"free_velocity", "m/s, rad/s", "linear, angular; world axes, before contacts act"},
        p.free_velocity);
  field("bodies", hdf5::Label{"inverse_mass", "1/kg", "inverse mass; 0 of bodies that nothing moves"},
        numbers(
            p.response, [](auto& r) -> auto& { return r.inverse_mass; }));
  field("bodies", hdf5::Label{"inverse_inertia", "1/(kg m^2)", "world axes, about the centre of mass"},
        inverse_inertia(p.response));
}

/// Torques in the file's layout: a row per contact.
struct TorqueColumns {
  std::vector<double> torsional_friction, rolling_friction;  // m
  std::vector<Vec3> start_impulse;                           // N m s, contact frame
};

template <class Problem, class Torques, class Field>
void for_each_contact_array(Problem& p, Torques& torques, Field&& field) {
  const auto edge = [&](auto of) { return numbers(p.edge, of); };
  field("contacts", hdf5::Label{"body_a", "1", "body that n points to"},
        edge([](auto& e) -> auto& { return e.a; }));
  field("contacts", hdf5::Label{"body_b", "1", "other body"}, edge([](auto& e) -> auto& { return e.b; }));
  const auto vectors_of = [&](auto of) { return vectors(p.contact, of); };
  const auto terms = [&](auto of) { return numbers(p.contact, of); };
  field("contacts", hdf5::Label{"n", "1", "unit normal from b to a, world axes"},
        vectors_of([](auto& g) -> auto& { return g.n; }));
  field("contacts", hdf5::Label{"t1", "1", "unit tangent, world axes"},
        vectors_of([](auto& g) -> auto& { return g.t1; }));
  field("contacts",
        hdf5::Label{"tangent_ratio", "1", "t2 = tangent_ratio n x t1; below 1 where friction is anisotropic"},
        terms([](auto& l) -> auto& { return l.tangent_ratio; }));
  field("contacts", hdf5::Label{"arm_a", "m", "from body a's centre of mass to the contact, world axes"},
        vectors_of([](auto& g) -> auto& { return g.arm_a; }));
  field("contacts", hdf5::Label{"arm_b", "m", "from body b's centre of mass to the contact, world axes"},
        vectors_of([](auto& g) -> auto& { return g.arm_b; }));
  field("contacts", hdf5::Label{"offset", "m/s", "added to the normal velocity in Signorini's condition"},
        terms([](auto& l) -> auto& { return l.offset; }));
  field("contacts", hdf5::Label{"friction", "1", "sliding coefficient"},
        terms([](auto& l) -> auto& { return l.friction; }));
  field("contacts", hdf5::Label{"torsional_friction", "m", "largest torque about n over normal impulse"},
        torques.torsional_friction);
  field("contacts", hdf5::Label{"rolling_friction", "m", "largest torque across n over normal impulse"},
        torques.rolling_friction);
  field("contacts", hdf5::Label{"gap", "m", "negative where bodies overlap"},
        terms([](auto& l) -> auto& { return l.gap; }));
  field("contacts", hdf5::Label{"length", "m", "smallest length of the two shapes"},
        terms([](auto& l) -> auto& { return l.length; }));
  field("contacts", hdf5::Label{"start_impulse", "N s", "contact frame: where a warm start begins"},
        vectors(
            p.start_impulse, [](auto& v) -> auto& { return v; }));
  field("contacts", hdf5::Label{"start_torque_impulse", "N m s", "contact frame"}, torques.start_impulse);
}

template <class Problem, class Field>
void for_each_delassus_array(Problem& p, Field&& field) {
  field("contacts", hdf5::Label{"q", "m/s", "relative velocity without impulses, plus offset; contact frame"},
        p.q);
  field("contacts", hdf5::Label{"friction", "1", "sliding coefficient"}, p.friction);
  field("delassus", hdf5::Label{"row", "1", "row c has the blocks row[c] to row[c + 1]"}, p.row);
  field("delassus", hdf5::Label{"column", "1", "of each block, rising in a row"}, p.column);
  field("delassus", hdf5::Label{"block", "1/kg", "3 x 3 blocks of W, u = W p + q"}, p.block);
}

// --- writing
// ------------------------------------------------------------------------------------------------------

void write(hid_t group, const hdf5::Label& label, const std::vector<double>& v) {
  hdf5::write_rows(group, label, v.data(), v.size());
}
void write(hid_t group, const hdf5::Label& label, const std::vector<std::int32_t>& v) {
  hdf5::write_rows(group, label, v.data(), v.size());
}
void write(hid_t group, const hdf5::Label& label, const std::vector<Vec3>& v) {
  hdf5::write_rows(group, label, v);
}
void write(hid_t group, const hdf5::Label& label, const std::vector<Mat3>& v) {
  std::vector<double> rows;  // Eigen stores by columns, files by rows
  for (const Mat3& m : v) {
    for (int i = 0; i < 3; ++i) rows.insert(rows.end(), {m(i, 0), m(i, 1), m(i, 2)});
  }
  hdf5::write_array(group, label, H5T_NATIVE_DOUBLE, {v.size(), 3, 3}, rows.data());
}
void write(hid_t group, const hdf5::Label& label, const std::vector<Twist>& v) {
  std::vector<double> rows;
  for (const Twist& t : v) {
    rows.insert(rows.end(), t.linear.begin(), t.linear.end());
    rows.insert(rows.end(), t.angular.begin(), t.angular.end());
  }
  hdf5::write_rows(group, label, rows.data(), v.size(), 6);
}

template <class Rows, class Get, class Set>
void write(hid_t group, const hdf5::Label& label, const Column<Rows, Get, Set>& column) {
  std::vector<std::remove_cvref_t<decltype(column.get(column.rows[0]))>> v;
  for (const auto& row : column.rows) v.push_back(column.get(row));
  write(group, label, v);
}

// --- reading
// ------------------------------------------------------------------------------------------------------

void read(const Source& in, const std::string& name, std::vector<double>& v) { v = in.rows<double>(name, 1); }
void read(const Source& in, const std::string& name, std::vector<std::int32_t>& v) {
  v = in.rows<std::int32_t>(name, 1);
}
void read(const Source& in, const std::string& name, std::vector<Vec3>& v) {
  const std::vector<double> rows = in.rows<double>(name, 3);
  for (std::size_t k = 0; k < rows.size(); k += 3) v.emplace_back(rows[k], rows[k + 1], rows[k + 2]);
}
void read(const Source& in, const std::string& name, std::vector<Mat3>& v) {
  const std::vector<double> rows = in.rows<double>(name, 9);
  for (std::size_t k = 0; k < rows.size(); k += 9)
    v.push_back(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rows.data() + k));
}
void read(const Source& in, const std::string& name, std::vector<Twist>& v) {
  const std::vector<double> rows = in.rows<double>(name, 6);
  for (std::size_t k = 0; k < rows.size(); k += 6)
    v.push_back({Vec3::Map(rows.data() + k), Vec3::Map(rows.data() + k + 3)});
}

/// Reads each array and checks that those of one group have the same length.
class GroupReader {
 public:
  explicit GroupReader(const Source& in) : in_(in) {}
  template <class T>
  void operator()(const std::string& group, const hdf5::Label& label, std::vector<T>& v) {
    const std::string name = "/" + group + "/" + label.name;
    read(in_, name, v);
    expect_rows(name, v.size());
  }
  template <class Rows, class Get, class Set>
  void operator()(const std::string& group, const hdf5::Label& label, Column<Rows, Get, Set> column) {
    const std::string name = "/" + group + "/" + label.name;
    std::vector<std::remove_cvref_t<decltype(column.get(column.rows[0]))>> v;
    read(in_, name, v);
    expect_rows(name, v.size());
    column.rows.resize(v.size());
    for (std::size_t c = 0; c < v.size(); ++c) column.set(column.rows[c], v[c]);
  }
  std::size_t size() const { return size_; }

 private:
  void expect_rows(const std::string& name, std::size_t rows) {
    if (first_.empty()) {
      first_ = name;
      size_ = rows;
    } else if (rows != size_) {
      fail(in_.path(), name, fmt::format("must have {} rows like {}, not {}", size_, first_, rows));
    }
  }

  const Source& in_;
  std::string first_;
  std::size_t size_ = 0;
};

int whole_number(const Source& in, const std::string& name, std::int64_t low, std::int64_t high) {
  const double value = in.number(name);
  if (!(value >= static_cast<double>(low) && value <= static_cast<double>(high)) ||
      value != std::floor(value))
    fail(in.path(), name, fmt::format("is {}, but this program reads {} to {}", value, low, high));
  return static_cast<int>(value);
}

// If some bodies slide, 1 for these: then their inverse_inertia is a matrix for impulses, in 1/kg.
const hdf5::Label slides_label{"slides", "1",
                               "1: goes along an axis; inverse_inertia answers impulses, 1/kg"};

// If some contacts are compliant: a row per contact with three columns, zero for rigid ones.
const hdf5::Label compliance_label{"compliance", "1/kg",
                                   "u + compliance o (p - rest) for u; along n, t1, t2"};
const hdf5::Label rest_label{"rest", "N s", "contact frame: the impulse at which it gives nothing"};

ContactProblem read_bodies_form(const Source& in) {
  ContactProblem p;
  GroupReader bodies(in), contacts(in);
  for_each_body_array(p, bodies);
  if (in.has("/bodies/slides")) {
    std::vector<std::int32_t> slides;
    bodies("bodies", slides_label, slides);
    for (std::size_t i = 0; i < slides.size(); ++i) p.response[i].slides = slides[i] != 0;
  }
  TorqueColumns torques;
  for_each_contact_array(p, torques, contacts);
  if (in.has("/contacts/compliance")) {
    p.compliance.resize(p.contacts());
    contacts("contacts", compliance_label,
             vectors(
                 p.compliance, [](auto& c) -> auto& { return c.compliance; }));
    contacts("contacts", rest_label,
             vectors(
                 p.compliance, [](auto& c) -> auto& { return c.rest; }));
    for (const ContactCompliance& c : p.compliance)
      if (!(c.compliance.minCoeff() >= 0.0)) fail(in.path(), "/contacts/compliance", "must not be negative");
  }
  p.velocity_scale = in.number("velocity_scale_m_s");
  if (in.has_attribute("time_step_s")) p.time_step_s = in.number("time_step_s");
  p.friction_corners = whole_number(in, "friction_corners", 0, most_friction_corners);
  for (const BodyResponse& body : p.response) {
    if (!(body.inverse_mass >= 0.0)) fail(in.path(), "/bodies/inverse_mass", "must not be negative");
  }
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    const auto n = static_cast<std::int32_t>(p.bodies());
    Edge& edge = p.edge[c];
    if (edge.a < 0 || edge.a >= n)
      fail(in.path(), "/contacts/body_a",
           fmt::format("must be the number of a body, but row {} is {}", c, edge.a));
    if (edge.b == -1) {  // older files
      edge.b = n;
      p.free_velocity.emplace_back();
      p.response.emplace_back();
    } else if (edge.b < 0 || edge.b >= n || edge.b == edge.a) {
      fail(in.path(), "/contacts/body_b",
           fmt::format("must be the number of another body, or -1 for an immobile body, but row {} is {}", c,
                       edge.b));
    }
    if (p.response[p.a(c)].slides) fail(in.path(), "/bodies/slides", "must be 0 for body a of a contact");
    if (!p.is_moved(p.a(c)) && !p.is_moved(p.b(c)))
      fail(in.path(), "/contacts/body_b", "one of the two bodies must have a mass");
    if (!(p.friction(c) >= 0.0)) fail(in.path(), "/contacts/friction", "must not be negative");
    const Resistance resistance{torques.torsional_friction[c], torques.rolling_friction[c]};
    const std::size_t first = p.rows.size();
    p.rows.resize(first + resistance.rows());
    set_resistance(p, c, resistance, torques.start_impulse[c], p.rows.data() + first);
  }
  p.contact_rows = p.rows.size();
  p.complete();
  return p;
}

DelassusProblem read_delassus_form(const Source& in) {
  DelassusProblem p;
  for_each_delassus_array(p, [&](const std::string& group, const hdf5::Label& label, auto& v) {
    read(in, "/" + group + "/" + label.name, v);
  });
  p.velocity_scale = in.number("velocity_scale_m_s");
  for (std::size_t c = 0; c < p.friction.size(); ++c) {
    if (!(p.friction[c] >= 0.0))
      fail(in.path(), "/contacts/friction", fmt::format("must not be negative, but row {} is", c));
  }
  const auto blocks = static_cast<std::int32_t>(p.block.size());
  if (p.friction.size() != p.q.size() || p.row.size() != p.q.size() + 1 ||
      p.column.size() != p.block.size() || p.row.front() != 0 || p.row.back() != blocks ||
      !std::is_sorted(p.row.begin(), p.row.end()))
    fail(in.path(), "/delassus/row", "does not fit the other arrays");
  for (std::size_t c = 0; c < p.q.size(); ++c) {
    for (std::int32_t k = p.row[c]; k < p.row[c + 1]; ++k) {
      const std::int32_t column = p.column[k];
      if (column < 0 || column >= static_cast<std::int32_t>(p.q.size()))
        fail(in.path(), "/delassus/column",
             fmt::format("must be the number of a contact, but row {} is {}", k, column));
      if (column == static_cast<std::int32_t>(c)) p.diagonal.push_back(k);
    }
    if (p.diagonal.size() != c + 1)
      fail(in.path(), "/delassus/column", "must have the diagonal block of each contact");
  }
  return p;
}

void write_file(const std::filesystem::path& path, const StoredProblem& stored) {
  hdf5::Handle file = hdf5::create_file(path.string());
  hdf5::write_attribute(file.get(), "format", format_name);
  hdf5::write_attribute(file.get(), "format_version", format_version);
  hdf5::write_attribute(file.get(), "origin", stored.origin);
  std::string name;
  hdf5::Handle group;
  const auto field = [&](const std::string& in, const hdf5::Label& label, const auto& v) {
    if (in != name) group = hdf5::create_group(file.get(), name = in);
    write(group.get(), label, v);
  };
  if (const auto* bodies = std::get_if<ContactProblem>(&stored.problem)) {
    hdf5::write_attribute(file.get(), "form", std::string("bodies"));
    hdf5::write_attribute(file.get(), "velocity_scale_m_s", bodies->velocity_scale);
    hdf5::write_attribute(file.get(), "time_step_s", bodies->time_step_s);
    hdf5::write_attribute(file.get(), "friction_corners", std::int64_t{bodies->friction_corners});
    const std::size_t contacts = bodies->contacts();
    TorqueColumns torques{std::vector<double>(contacts, 0.0), std::vector<double>(contacts, 0.0),
                          std::vector<Vec3>(contacts, Vec3::Zero())};
    for (std::size_t r = 0; r < bodies->contact_rows; ++r) {
      const Row& row = bodies->rows[r];
      const auto c = static_cast<std::size_t>(row.contact);
      const int axis = row.bound == RowBound::of_contact ? 0 : is_second_of_disc(*bodies, r) ? 2 : 1;
      (axis == 0 ? torques.torsional_friction : torques.rolling_friction)[c] = row.high;
      torques.start_impulse[c][axis] = row.start_impulse;
    }
    for_each_body_array(*bodies, field);
    if (std::ranges::any_of(bodies->response, &BodyResponse::slides)) {
      std::vector<std::int32_t> slides;
      for (const BodyResponse& body : bodies->response) slides.push_back(body.slides ? 1 : 0);
      field("bodies", slides_label, slides);
    }
    for_each_contact_array(*bodies, torques, field);
    if (std::ranges::any_of(bodies->compliance, &ContactCompliance::is_compliant)) {
      field("contacts", compliance_label,
            vectors(
                bodies->compliance, [](auto& c) -> auto& { return c.compliance; }));
      field("contacts", rest_label,
            vectors(
                bodies->compliance, [](auto& c) -> auto& { return c.rest; }));
    }
  } else {
    const auto& p = std::get<DelassusProblem>(stored.problem);
    hdf5::write_attribute(file.get(), "form", std::string("delassus"));
    hdf5::write_attribute(file.get(), "velocity_scale_m_s", p.velocity_scale);
    for_each_delassus_array(p, field);
  }
  group = {};
  file.close("closing " + path.string());
}

}  // namespace

void write_whole(const std::filesystem::path& path,
                 const std::function<void(const std::filesystem::path& part)>& write) {
  const std::filesystem::path part = path.string() + ".part";
  hdf5::print_no_errors();
  std::error_code error;
  std::filesystem::remove(part, error);  // from a killed run; removes a link, not its target
  try {
    write(part);
  } catch (const hdf5::Error& failure) {
    throw WriteError(fmt::format("cannot write {}: {}", path.string(), failure.what()));
  }
  std::filesystem::rename(part, path, error);
  if (error) throw WriteError(fmt::format("cannot write {}: {}", path.string(), error.message()));
}

void write_problem(const std::filesystem::path& path, const StoredProblem& stored) {
  write_whole(path, [&](const std::filesystem::path& part) { write_file(part, stored); });
}

StoredProblem read_hdf5_problem(const std::filesystem::path& path) { return read_hdf5_problem(Source(path)); }

StoredProblem read_hdf5_problem(const Source& in) {
  const std::string& path = in.path();
  if (!in.has_attribute("format")) {
    if (const std::string group = fclib_group(in); !group.empty()) return read_fclib_problem(in, group);
    fail(path, "file",
         "has no contact problem, neither of Scree (attribute 'format') nor of FCLib (group 'fclib_local' or "
         "'fclib_global')");
  }
  if (in.text("format") != format_name) fail(path, "format", "must be \"" + format_name + "\"");
  whole_number(in, "format_version", oldest_version, format_version);
  const std::string form = in.text("form");
  if (form == "bodies") return {read_bodies_form(in), in.text("origin")};
  if (form == "delassus") return {read_delassus_form(in), in.text("origin")};
  fail(path, "form", "must be \"bodies\" or \"delassus\"");
}

}  // namespace scree::io
