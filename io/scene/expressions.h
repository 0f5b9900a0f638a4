// Arithmetic in scene files: numbers, parameters, + - * / ^ ( ), a few functions.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scree::io {

/// Returns the value of a name; throws ExpressionError if there is none.
using NameLookup = std::function<double(const std::string& name)>;

struct ExpressionError {
  std::string problem;
  std::string suggestion;
};

/// An expression in variables, parsed once and evaluated any number of times, on any thread.
class Formula {
 public:
  static constexpr std::size_t most_depth = 64;
  static constexpr int most_nesting = 256;  // of parentheses, signs and powers
  /// Names other than `variables` are looked up in the constructor. Throws ExpressionError.
  Formula(std::string_view expression, const std::vector<std::string>& variables, const NameLookup& lookup);
  /// [variable]
  double operator()(std::span<const double> values) const;
  bool uses(std::size_t variable) const;

  /// One entry of a stack program: without an operation it is a number to push.
  struct Operation {
    double (*binary)(double, double) = nullptr;
    double (*unary)(double) = nullptr;
    std::ptrdiff_t variable = -1;
    double number = 0.0;
  };

 private:
  std::vector<Operation> operations_;
};

/// The value of "2 * radius + 0.1". Supports pi, degree (pi/180) and sqrt, sin, cos, tan, abs, floor, ceil,
/// round, min, max; other names go to `lookup`. ^ binds to the right. Throws ExpressionError.
double evaluate(std::string_view expression, const NameLookup& lookup);

}  // namespace scree::io
