// The text form: numbers separated by white space, see docs/file_formats.md.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "engine/core/errors.h"
#include "io/files/input_file.h"
#include "io/problems/problem_parts.h"

namespace scree::io {

namespace {

constexpr long most_contacts = 10'000'000;

/// Numbers of a text one after the other, with their positions for messages.
class NumberReader {
 public:
  NumberReader(std::string text, std::filesystem::path path)
      : path_(std::move(path)), text_(std::move(text)) {}

  double number(const std::string& what) {
    double value = 0.0;
    const std::string_view word = next(what);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
      fail(what, "must be a finite number", std::string(word));
    return value;
  }

  long count(const std::string& what, long low, long high) {
    const double value = number(what);
    if (value != std::floor(value) || value < static_cast<double>(low) || value > static_cast<double>(high))
      fail(what, "must be a whole number", fmt::format("{:g}", value), fmt::format("{} to {}", low, high));
    return static_cast<long>(value);
  }

  /// The next whole number, without taking it.
  long look_ahead(const std::string& what) {
    const std::size_t at = at_;
    const long value = count(what, 0, 9 * most_contacts);
    at_ = at;
    return value;
  }

  /// Checks whether this number of numbers may follow: each needs a digit and a separator.
  void expect_numbers(const std::string& what, double n) const {
    constexpr double harmless = 1000.0;  // for a few missing numbers the message has their own position
    const double most = 0.5 * static_cast<double>(text_.size() - at_ + 1);
    if (n > most + harmless)
      fail(what, fmt::format("needs {:g} numbers, but at most {:g} follow", n, std::floor(most)));
  }

  bool at_end() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    return at_ == text_.size();
  }

  [[noreturn]] void fail(const std::string& what, const std::string& problem, const std::string& value = "",
                         const std::string& allowed = "") const {
    const std::string_view before = std::string_view(text_).substr(0, word_);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n');
    const std::size_t column = 1 + word_ - (start == std::string_view::npos ? 0 : start + 1);
    throw InputError({{{path_.string(), static_cast<int>(line), static_cast<int>(column)},
                       what,
                       problem,
                       value,
                       "",
                       allowed,
                       ""}});
  }

 private:
  std::string_view next(const std::string& what) {
    const bool none = at_end();
    word_ = at_;
    if (none) fail(what, "is missing: the file ends here");
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n", at_), text_.size());
    std::string_view word = std::string_view(text_).substr(at_, end - at_);
    if (word.starts_with('+')) word.remove_prefix(1);
    at_ = end;
    return word;
  }

  std::filesystem::path path_;
  std::string text_;
  std::size_t at_ = 0, word_ = 0;  // next position, and beginning of the last word
};

Mat3 read_block(NumberReader& in) {
  Mat3 b;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) b(i, j) = in.number("value of W");
  }
  return b;
}

/// All of W, column by column; zero blocks are left out except for the contacts' own.
std::vector<DelassusBlock> read_dense(NumberReader& in, long contacts) {
  const long size = 3 * contacts;
  in.count("rows of W", size, size);
  in.count("columns of W", size, size);
  in.expect_numbers("W", static_cast<double>(size) * static_cast<double>(size));
  // Some files repeat the size before the values.
  std::vector<double> head{in.number("value of W"), in.number("value of W")};
  if (head[0] == static_cast<double>(size) && head[1] == static_cast<double>(size)) head.clear();
  Eigen::MatrixXd w(size, size);
  for (Eigen::Index k = 0; k < w.size(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    w.data()[k] = at < head.size() ? head[at] : in.number("value of W");
  }
  std::vector<DelassusBlock> blocks;
  for (long i = 0; i < contacts; ++i) {
    for (long j = 0; j < contacts; ++j) {
      const Mat3 b = w.block<3, 3>(3 * i, 3 * j);
      if (i == j || !b.isZero(0.0)) blocks.push_back({i, j, b});
    }
  }
  return blocks;
}

std::vector<long> read_counts(NumberReader& in, const std::string& what, long n, long high) {
  std::vector<long> list;
  for (long i = 0; i < n; ++i) list.push_back(in.count(what, 0, high));
  return list;
}

std::vector<DelassusBlock> read_sparse(NumberReader& in, long contacts) {
  const long size = 3 * contacts, most = contacts * contacts;
  // Some files begin with total sizes, others with the number of blocks.
  long blocks = in.count("rows of W, or number of blocks", 0, std::max(size, most));
  const bool sizes_first = blocks == size && in.look_ahead("columns of W") == size;
  if (sizes_first) {
    in.count("columns of W", size, size);
    blocks = in.count("number of blocks of W", contacts, most);
  }
  in.count("block rows of W", contacts, contacts);
  in.count("block columns of W", contacts, contacts);
  read_counts(in, "end of a block row of W", contacts, size);
  read_counts(in, "end of a block column of W", contacts, size);
  const long pointers = in.count("length of the row pointer of W", contacts + 1, contacts + 1);
  const long columns = in.count("length of the column list of W", blocks, blocks);
  const std::vector<long> pointer = read_counts(in, "row pointer of W", pointers, blocks);
  const std::vector<long> column = read_counts(in, "block column of W", columns, contacts - 1);
  if (pointer.front() != 0 || pointer.back() != blocks || !std::is_sorted(pointer.begin(), pointer.end()))
    in.fail("row pointer of W", "must increase from 0 to the number of blocks");
  in.expect_numbers("blocks of W", 10.0 * static_cast<double>(blocks));
  std::vector<DelassusBlock> list(static_cast<std::size_t>(blocks));
  for (long k = 0; k < blocks; ++k) {
    const auto id = static_cast<std::size_t>(in.count("number of a block of W", 0, blocks - 1));
    const auto row =
        std::upper_bound(pointer.begin(), pointer.end(), static_cast<long>(id)) - pointer.begin();
    list[id] = {row - 1, column[id], read_block(in)};
  }
  return list;
}

}  // namespace

StoredProblem read_text_problem(const std::filesystem::path& path) {
  std::string problem;
  std::optional<std::string> text = read_bytes(path, problem);
  if (!text) throw InputError({{{path.string(), 0, 0}, "file", problem, "", "", "", ""}});
  return read_text_problem(std::move(*text), path);
}

StoredProblem read_text_problem(std::string text, const std::filesystem::path& path) {
  NumberReader in(std::move(text), path);
  in.count("dimension", 3, 3);
  const long contacts = in.count("number of contacts", 1, most_contacts);
  in.expect_numbers("number of contacts", 4.0 * static_cast<double>(contacts));  // q and friction
  const long storage = in.count("storage of W (0 dense, 1 sparse blocks)", 0, 1);
  DelassusProblem p;
  const long wrong =
      set_blocks(p, storage == 0 ? read_dense(in, contacts) : read_sparse(in, contacts), contacts);
  if (wrong < contacts) in.fail(fmt::format("block ({0}, {0}) of W", wrong), own_block_wanted);
  for (long c = 0; c < contacts; ++c) {
    Vec3 q;
    for (int k = 0; k < 3; ++k) q[k] = in.number("value of q");
    p.q.push_back(q);
  }
  for (long c = 0; c < contacts; ++c) {
    p.friction.push_back(in.number("coefficient of friction"));
    if (p.friction.back() < 0.0)
      in.fail("coefficient of friction", "must not be negative", fmt::format("{:g}", p.friction.back()),
              ">= 0");
  }
  p.velocity_scale = root_mean_square(p.q);
  return {std::move(p), path.filename().string()};
}

}  // namespace scree::io
