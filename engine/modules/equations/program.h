// Programs evaluated in each step: straight-line code on an array of numbers, interpreted or as C++.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/modules/equations/expression.h"

namespace scree::equations {

/// r[to] = op(r[x0], r[x1], ...); a number: r[to] = value; a symbol: r[to] = r[x0].
struct Instruction {
  Op op = Op::number;
  int to = 0;
  int x[4] = {0, 0, 0, 0};
  double value = 0.0;
};

/// Registers: the values of all symbols, then intermediate results.
struct Program {
  std::vector<Instruction> code;
  int symbols = 0, registers = 0;
  std::vector<int> outputs;  // registers
  /// r: [registers]; out: [outputs].
  void run(std::span<double> r, std::span<double> out) const;
  /// The same as a C function `void name(double* r, double* out)`: the same operations in the same order.
  std::string to_cpp(const std::string& name) const;
};

/// Builds a program without repeated computations.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(int symbols);
  int add(const Expr& e);
  int number(double value);
  int operate(Op op, std::initializer_list<int> x);
  /// From here on the symbol has the value of this register; the program stores it.
  void assign(int symbol, int reg);
  Program finish(std::vector<int> outputs);

 private:
  int powered(int base, int exponent);
  int emit(const Instruction& instruction, std::vector<int> key);
  bool is(int reg, double value) const;

  Program program_;
  std::map<std::vector<int>, int> known_;
  std::map<double, int> numbers_;
  std::map<int, double> value_of_;
  std::map<int, int> now_;  // symbol -> register
};

/// The beginning of the C++ code of programs.
std::string cpp_preamble();

}  // namespace scree::equations
