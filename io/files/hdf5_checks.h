// Checks of indices read from a file. Each throws Error with the name of
// the array, the row and the value.
#pragma once

#include <cmath>
#include <fmt/format.h>
#include <span>
#include <string>

#include "io/files/hdf5_error.h"

namespace scree::io::hdf5 {

[[noreturn]] inline void fail(const std::string& name, const std::string& problem) {
  throw Error(name + ": " + problem);
}

/// Each value must be one of low, ..., end - 1.
template <class Number>
void expect_indices(const std::string& name, std::span<const Number> values, std::int64_t low,
                    std::int64_t end) {
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (values[row] < low || values[row] >= end)
      fail(name, low < end ? fmt::format("row {} is {} (allowed {} to {})", row, values[row], low, end - 1)
                           : fmt::format("row {} is {}, but the list to which it refers is empty", row,
                                         values[row]));
  }
}
template <class Number>
void expect_indices(const std::string& name, const std::vector<Number>& values, std::int64_t low,
                    std::size_t end) {
  expect_indices(name, std::span<const Number>(values), low, static_cast<std::int64_t>(end));
}

inline void expect_size(const std::string& name, std::size_t size, std::size_t wanted) {
  if (size != wanted) fail(name, fmt::format("has {} rows, but must have {}", size, wanted));
}

/// Ends of consecutive lists: `lists` + 1 numbers that ascend from 0 to at most `end`.
template <class Number>
void expect_offsets(const std::string& name, const std::vector<Number>& offset, std::size_t lists,
                    std::size_t end) {
  expect_size(name, offset.size(), lists + 1);
  if (offset[0] != 0) fail(name, fmt::format("row 0 is {}, but must be 0", offset[0]));
  for (std::size_t row = 1; row < offset.size(); ++row) {
    if (offset[row] < offset[row - 1])
      fail(name,
           fmt::format("row {} is {}, less than {} in the previous row", row, offset[row], offset[row - 1]));
  }
  if (offset.back() > static_cast<std::int64_t>(end))
    fail(name, fmt::format("row {} is {}, and there are {}", lists, offset.back(), end));
}

/// Each must be within [low, high].
inline void expect_numbers(const std::string& name, std::span<const double> values, std::size_t width,
                           double low, double high) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!(values[k] >= low && values[k] <= high))
      fail(name, fmt::format("row {} has {} (allowed {:g} to {:g})", k / width, values[k], low, high));
  }
}

}  // namespace scree::io::hdf5
