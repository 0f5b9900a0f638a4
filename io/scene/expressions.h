// Arithmetic in scene files: numbers, parameters, + - * / ^ ( ), a few functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace scree::io {

/// Gives the value of a name; throws ExpressionError if there is none.
using NameLookup = std::function<double(const std::string& name)>;

struct ExpressionError {
  std::string problem;
  std::string suggestion;
};

/// The value of "2 * radius + 0.1". Knows pi, degree (pi/180) and sqrt, sin, cos, tan, abs, floor, ceil,
/// round, min, max; other names go to `lookup`. ^ binds to the right. Throws ExpressionError.
double evaluate(std::string_view expression, const NameLookup& lookup);

}  // namespace scree::io
