// NumPy arrays of the engine's values.
#pragma once

#include <pybind11/numpy.h>
#include <span>
#include <string>
#include <vector>

#include "engine/core/types.h"

namespace scree::python {

namespace py = pybind11;

using DoubleArray = py::array_t<double, py::array::c_style | py::array::forcecast>;
using IdArray = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

/// A separate array, write-protected.
inline py::array read_only(py::array array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

/// [n] values of `value(k)`.
template <class T, class F>
py::array column(std::size_t n, F&& value) {
  py::array_t<T> array(static_cast<py::ssize_t>(n));
  T* out = array.mutable_data();
  for (std::size_t k = 0; k < n; ++k) out[k] = static_cast<T>(value(k));
  return read_only(std::move(array));
}

/// [n, columns] vectors of `value(k)`.
template <int columns, class F>
py::array rows(std::size_t n, F&& value) {
  py::array_t<double> array({static_cast<py::ssize_t>(n), static_cast<py::ssize_t>(columns)});
  double* out = array.mutable_data();
  for (std::size_t k = 0; k < n; ++k) {
    const Eigen::Matrix<double, columns, 1> vector = value(k);
    for (int c = 0; c < columns; ++c) *out++ = vector[c];
  }
  return read_only(std::move(array));
}

/// w x y z
inline Eigen::Vector4d in_words_order(const Quat& q) { return {q.w(), q.x(), q.y(), q.z()}; }

/// Numbers from the user for n bodies: [columns] or [n, columns], all finite. Throws ValueError with the
/// name. Empty if no value is given.
std::vector<double> numbers_for(const std::string& name, const py::object& given, std::size_t n,
                                std::size_t columns);

}  // namespace scree::python
