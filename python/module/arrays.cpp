#include "python/module/arrays.h"

#include <cmath>
#include <fmt/format.h>

namespace scree::python {

std::vector<double> numbers_for(const std::string& name, const py::object& given, std::size_t n,
                                std::size_t columns) {
  if (given.is_none()) return {};
  const DoubleArray array = DoubleArray::ensure(given);  // without NumPy's own message
  if (!array) throw py::type_error(fmt::format("{}: must be numbers", name));
  const auto width = static_cast<py::ssize_t>(columns), bodies = static_cast<py::ssize_t>(n);
  const bool all = array.ndim() == 1 && array.shape(0) == width;
  const bool each = array.ndim() == 2 && array.shape(0) == bodies && array.shape(1) == width;
  const bool scalars = columns == 1 && (array.ndim() == 0 || (array.ndim() == 1 && array.shape(0) == bodies));
  if (!all && !each && !scalars) {
    std::string shape;
    for (py::ssize_t k = 0; k < array.ndim(); ++k)
      shape += fmt::format("{}{}", k > 0 ? ", " : "", array.shape(k));
    throw py::value_error(fmt::format("{}: must be an array of shape ({}) or ({}, {}) (value: of shape ({}))",
                                      name, columns, n, columns, shape));
  }
  std::vector<double> numbers(n * columns);
  const auto size = static_cast<std::size_t>(array.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    numbers[k] = array.data()[k % size];
    if (!std::isfinite(numbers[k])) {
      throw py::value_error(
          fmt::format("{}: must be finite (value {} of body {})", name, numbers[k], k / columns));
    }
  }
  return numbers;
}

}  // namespace scree::python
