// FCLib's files, in the layout of its fclib_write_local() and fclib_write_global(); see
// docs/file_formats.md.
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "io/problems/fclib_forms.h"
#include "io/problems/hdf5_source.h"
#include "io/problems/problem_parts.h"

namespace scree::io {

namespace {

using fclib::Matrix;
using fclib::Vector;

constexpr int compressed_rows = -2;            // `nz`; -1: compressed columns; 0 or more: number of triplets
constexpr std::int32_t largest = 100'000'000;  // rows, columns and triplets: above it, a file must be damaged

/// The arrays of a sparse matrix in a file.
struct StoredMatrix {
  std::int32_t rows = 0, columns = 0, nz = 0;
  std::vector<std::int32_t> p, i;
  std::vector<double> x;
};

/// Rows and columns of the entries, one by one.
struct Places {
  std::vector<std::int32_t> row, column;
};

/// The first entry that is not in [0, end), or the number of entries.
std::size_t first_outside(const std::vector<std::int32_t>& index, std::int32_t end) {
  const auto at = std::find_if(index.begin(), index.end(), [&](std::int32_t k) { return k < 0 || k >= end; });
  return static_cast<std::size_t>(at - index.begin());
}
bool is_inside(const std::vector<std::int32_t>& index, std::int32_t end) {
  return first_outside(index, end) == index.size();
}

/// Reads one problem and collects errors, to report them together.
class Reader {
 public:
  Reader(const Source& in, std::string group) : in_(in), group_(std::move(group)) {
    for (const char* name : {"vectors/q", "vectors/s", "vectors/f", "vectors/w", "vectors/b"}) {
      if (has(name)) longest_ = std::max(longest_, in_.values(path(name)));
    }
  }

  std::int32_t whole_number(const std::string& name, std::int32_t low) {
    const auto values = array<std::int32_t>(name);
    if (!values) return low;
    if (values->size() != 1 || values->front() < low || values->front() > largest) {
      add(name, fmt::format("must be one whole number from {} to {}", low, largest));
      return low;
    }
    return values->front();
  }

  Vector vector(const std::string& name, Eigen::Index size) {
    const auto values = array<double>(name);
    if (!values) return Vector::Zero(size);
    if (static_cast<Eigen::Index>(values->size()) != size) {
      add(name, fmt::format("must have {} values, not {}", size, values->size()));
      return Vector::Zero(size);
    }
    return Vector::Map(values->data(), size);
  }

  Matrix matrix(const std::string& name) {
    StoredMatrix m;
    m.rows = whole_number(name + "/m", 0);
    m.columns = whole_number(name + "/n", 0);
    m.nz = whole_number(name + "/nz", compressed_rows);
    auto p = array<std::int32_t>(name + "/p"), i = array<std::int32_t>(name + "/i");
    auto x = array<double>(name + "/x");
    for (const auto& [side, size] : {std::pair("/m", &m.rows), std::pair("/n", &m.columns)}) {
      if (static_cast<std::uint64_t>(*size) <= longest_) continue;
      add(name + side, fmt::format("is {}, but no vector has more than {} values", *size, longest_));
      *size = 0;
    }
    Matrix matrix(m.rows, m.columns);
    if (!p || !i || !x) return matrix;
    m.p = std::move(*p), m.i = std::move(*i), m.x = std::move(*x);
    const auto places = m.nz >= 0 ? places_of_triplets(name, m) : places_of_compressed(name, m);
    if (!places) return matrix;
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t k = 0; k < places->row.size(); ++k)
      entries.emplace_back(places->row[k], places->column[k], m.x[k]);
    matrix.setFromTriplets(entries.begin(), entries.end());  // adds up repeated entries
    return matrix;
  }

  void expect_shape(const std::string& name, const Matrix& m, Eigen::Index rows, Eigen::Index columns) {
    if (m.rows() != rows || m.cols() != columns)
      add(name, fmt::format("must be {} x {}, not {} x {}", rows, columns, m.rows(), m.cols()));
  }

  bool has(const std::string& name) const { return in_.has(path(name)); }
  void add(const std::string& name, const std::string& problem) {
    faults_.push_back({{in_.path(), 0, 0}, path(name), problem, "", "", "", ""});
  }
  void add(const fclib::Refusals& refusals) {
    for (const fclib::Refusal& refusal : refusals) add(refusal.dataset, refusal.problem);
  }
  void throw_if_faulty() const {
    if (!faults_.empty()) throw InputError(faults_);
  }

 private:
  std::string path(const std::string& name) const { return name.empty() ? group_ : group_ + "/" + name; }

  template <class T>
  std::optional<std::vector<T>> array(const std::string& name) try {
    return in_.rows<T>(path(name), 1);
  } catch (const InputError& error) {
    faults_.insert(faults_.end(), error.faults().begin(), error.faults().end());
    return {};
  }

  /// Rows in `i`, columns in `p`, as in CSparse, which FCLib uses and Siconos writes; the comment in
  /// fclib.h says the opposite, so data that only fit the opposite are read that way.
  std::optional<Places> places_of_triplets(const std::string& name, StoredMatrix& m) {
    const auto entries = static_cast<std::size_t>(m.nz);
    if (m.p.size() < entries || m.i.size() < entries || m.x.size() < entries) {
      add(name, fmt::format("must have {} triplets according to nz; p, i and x have {}, {} and {} values",
                            m.nz, m.p.size(), m.i.size(), m.x.size()));
      return {};
    }
    m.p.resize(entries), m.i.resize(entries);
    if (is_inside(m.i, m.rows) && is_inside(m.p, m.columns)) return Places{m.i, m.p};
    if (is_inside(m.p, m.rows) && is_inside(m.i, m.columns)) return Places{m.p, m.i};
    check_indices(name + "/i", m.i, m.rows);
    check_indices(name + "/p", m.p, m.columns);
    return {};
  }

  std::optional<Places> places_of_compressed(const std::string& name, StoredMatrix& m) {
    const bool by_rows = m.nz == compressed_rows;
    const std::int32_t lines = by_rows ? m.rows : m.columns;
    if (m.p.size() != static_cast<std::size_t>(lines) + 1 || m.p.front() != 0 ||
        !std::is_sorted(m.p.begin(), m.p.end())) {
      add(name + "/p", fmt::format("must be {} increasing numbers from 0", lines + 1));
      return {};
    }
    const auto entries = static_cast<std::size_t>(m.p.back());
    if (m.i.size() < entries || m.x.size() < entries) {
      add(name, fmt::format("must have {} entries according to p; i and x have {} and {} values", entries,
                            m.i.size(), m.x.size()));
      return {};
    }
    m.i.resize(entries);
    if (!check_indices(name + "/i", m.i, by_rows ? m.columns : m.rows)) return {};
    std::vector<std::int32_t> line;
    for (std::int32_t k = 0; k < lines; ++k) line.resize(m.p[static_cast<std::size_t>(k) + 1], k);
    return by_rows ? Places{std::move(line), m.i} : Places{m.i, std::move(line)};
  }

  bool check_indices(const std::string& name, const std::vector<std::int32_t>& index, std::int32_t end) {
    const std::size_t at = first_outside(index, end);
    if (at < index.size())
      add(name, fmt::format("entry {} is {}, outside the range 0 to {}", at, index[at], end - 1));
    return at == index.size();
  }

  const Source& in_;
  std::string group_;
  std::uint64_t longest_ = 0;  // values of a vector: no matrix has more rows or columns
  std::vector<Fault> faults_;
};

/// Data of contacts in both forms.
struct Contacts {
  int dimension = 3;
  Vector friction;
};

Contacts read_contacts(Reader& in, Eigen::Index directions, const std::string& matrix) {
  Contacts contacts;
  contacts.dimension = in.whole_number("spacedim", 2);
  if (contacts.dimension > 3) {
    in.add("spacedim", "must be 2 or 3");
    return contacts;
  }
  if (directions == 0 || directions % contacts.dimension != 0)
    in.add(matrix,
           fmt::format("must have a multiple of {} directions, not {}", contacts.dimension, directions));
  contacts.friction = in.vector("vectors/mu", directions / contacts.dimension);
  if ((contacts.friction.array() < 0.0).any()) in.add("vectors/mu", "must not be negative");
  return contacts;
}

fclib::LocalForm read_local_form(Reader& in, Contacts& contacts) {
  fclib::LocalForm local;
  local.W = in.matrix("W");
  const Eigen::Index directions = local.W.rows();
  in.expect_shape("W", local.W, directions, directions);
  contacts = read_contacts(in, directions, "W");
  local.q = in.vector("vectors/q", directions);
  local.V.resize(directions, 0);
  if (in.has("V") || in.has("R")) {
    local.V = in.matrix("V");
    local.R = in.matrix("R");
    in.expect_shape("V", local.V, directions, local.V.cols());
    in.expect_shape("R", local.R, local.V.cols(), local.V.cols());
    local.s = in.vector("vectors/s", local.V.cols());
  }
  return local;
}

fclib::GlobalForm read_global_form(Reader& in, Contacts& contacts) {
  fclib::GlobalForm global;
  global.M = in.matrix("M");
  global.H = in.matrix("H");
  const Eigen::Index velocities = global.M.rows(), directions = global.H.cols();
  in.expect_shape("M", global.M, velocities, velocities);
  if (velocities == 0) in.add("M", "must have rows");
  in.expect_shape("H", global.H, velocities, directions);
  contacts = read_contacts(in, directions, "H");
  global.f = in.vector("vectors/f", velocities);
  global.w = in.vector("vectors/w", directions);
  global.G.resize(velocities, 0);
  if (in.has("G")) {
    global.G = in.matrix("G");
    in.expect_shape("G", global.G, velocities, global.G.cols());
    global.b = in.vector("vectors/b", global.G.cols());
  }
  return global;
}

/// Guesses in their order, then the solution. Unreadable ones are left out: no solver needs them.
std::vector<StoredImpulses> read_impulses(const Source& file, Eigen::Index directions, int dimension) {
  std::vector<StoredImpulses> found;
  const auto read = [&](const std::string& group, const std::string& name) {
    if (!file.has(group + "/r")) return false;
    try {
      const std::vector<double> r = file.rows<double>(group + "/r", 1);
      if (static_cast<Eigen::Index>(r.size()) == directions)
        found.push_back({name, fclib::contact_vectors(Vector::Map(r.data(), directions), dimension)});
    } catch (const InputError&) {
    }
    return true;
  };
  for (int k = 1; read(fmt::format("/guesses/{}", k), fmt::format("guess {}", k)); ++k) {
  }
  read("/solution", "solution");
  return found;
}

std::string title_of(const Source& file, const std::string& group) {
  const std::string name = group + "/info/title";
  std::string title = file.has(name) ? file.text_dataset(name) : "";
  std::replace_if(
      title.begin(), title.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, ' ');
  return title.empty() ? "" : "\"" + title + "\", ";
}

}  // namespace

std::string fclib_group(const Source& in) {
  for (const std::string group : {"/fclib_local", "/fclib_global", "/fclib_global_rolling"}) {
    if (in.has(group)) return group;
  }
  return "";
}

StoredProblem read_fclib_problem(const Source& file, const std::string& group) {
  if (group == "/fclib_global_rolling")
    fail(file.path(), group, "rolling friction is not supported: use FCLib's local or global form");
  Reader in(file, group);
  Contacts contacts;
  fclib::LocalForm local;
  fclib::Refusals refusals;
  std::string form = "FCLib, local form";
  if (group == "/fclib_global") {
    const fclib::GlobalForm global = read_global_form(in, contacts);
    in.throw_if_faulty();
    local = fclib::local_form(global, refusals);
    form = fmt::format("FCLib, global form of {} velocities", global.M.rows());
  } else {
    local = read_local_form(in, contacts);
    in.throw_if_faulty();
  }
  if (local.R.cols() > 0) form += fmt::format(", {} equalities eliminated", local.R.cols());
  if (contacts.dimension == 2) form += ", in the plane";
  if (refusals.empty()) fclib::eliminate_equalities(local, refusals);
  DelassusProblem p;
  if (refusals.empty()) p = fclib::delassus_problem(local, contacts.friction, contacts.dimension, refusals);
  in.add(refusals);
  in.throw_if_faulty();
  StoredProblem stored{{}, "", read_impulses(file, local.W.rows(), contacts.dimension)};
  if (!stored.impulses.empty()) p.start_impulse = stored.impulses.front().impulse;
  stored.origin = fmt::format("{} ({}{})", std::filesystem::path(file.path()).filename().string(),
                              title_of(file, group), form);
  stored.problem = std::move(p);
  return stored;
}

}  // namespace scree::io
