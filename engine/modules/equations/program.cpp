#include "engine/modules/equations/program.h"

#include <array>
#include <bit>
#include <cmath>
#include <sstream>

namespace scree::equations {

namespace {

constexpr int most_factors = 16;  // of a power written as a product

int operand_count(Op op) {
  switch (op) {
    case Op::number:
      return 0;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::power:
    case Op::atan2:
      return 2;
    case Op::select:
      return 3;
    case Op::angle:
      return 4;
    default:
      return 1;
  }
}

}  // namespace

void Program::run(std::span<double> r, std::span<double> out) const {
  const auto reg = [&](int k) -> double& { return r[k]; };
  for (const Instruction& i : code) {
    switch (i.op) {
      case Op::number:
        reg(i.to) = i.value;
        break;
      case Op::symbol:
        reg(i.to) = reg(i.x[0]);
        break;
      case Op::add:
        reg(i.to) = reg(i.x[0]) + reg(i.x[1]);
        break;
      case Op::subtract:
        reg(i.to) = reg(i.x[0]) - reg(i.x[1]);
        break;
      case Op::multiply:
        reg(i.to) = reg(i.x[0]) * reg(i.x[1]);
        break;
      case Op::divide:
        reg(i.to) = reg(i.x[0]) / reg(i.x[1]);
        break;
      case Op::negate:
        reg(i.to) = -reg(i.x[0]);
        break;
      default: {
        const std::array<double, 4> x{reg(i.x[0]), reg(i.x[1]), reg(i.x[2]), reg(i.x[3])};
        reg(i.to) = apply(i.op, {x.data(), static_cast<std::size_t>(operand_count(i.op))});
      }
    }
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) out[k] = reg(outputs[k]);
}

ProgramBuilder::ProgramBuilder(int symbols) {
  program_.symbols = symbols;
  program_.registers = symbols;
}

bool ProgramBuilder::is(int reg, double value) const {
  const auto found = value_of_.find(reg);
  return found != value_of_.end() && found->second == value;
}

int ProgramBuilder::emit(const Instruction& instruction, std::vector<int> key) {
  const auto [found, fresh] = known_.emplace(std::move(key), program_.registers);
  if (!fresh) return found->second;
  program_.code.push_back(instruction);
  program_.code.back().to = program_.registers;
  return program_.registers++;
}

int ProgramBuilder::number(double value) {
  const bool ordered = !std::isnan(value);
  if (const auto found = numbers_.find(value); ordered && found != numbers_.end()) return found->second;
  Instruction i;
  i.value = value;
  i.to = program_.registers++;
  program_.code.push_back(i);
  value_of_[i.to] = value;
  if (ordered) numbers_[value] = i.to;
  return i.to;
}

int ProgramBuilder::operate(Op op, std::initializer_list<int> x) {
  const int a = *x.begin(), b = x.size() > 1 ? *(x.begin() + 1) : 0;
  if (op == Op::add && is(a, 0.0)) return b;
  if ((op == Op::add || op == Op::subtract) && is(b, 0.0)) return a;
  if (op == Op::subtract && is(a, 0.0)) return operate(Op::negate, {b});
  if (op == Op::multiply && (is(a, 0.0) || is(b, 1.0))) return a;
  if (op == Op::multiply && (is(b, 0.0) || is(a, 1.0))) return b;
  if (op == Op::multiply && is(a, -1.0)) return operate(Op::negate, {b});
  if (op == Op::divide && is(b, 1.0)) return a;
  if (op == Op::divide && is(b, -1.0)) return operate(Op::negate, {a});
  if (op == Op::divide && is(a, 0.0)) return a;
  if (op == Op::negate && is(a, 0.0)) return a;
  if (op == Op::power && value_of_.contains(b)) {
    const double n = value_of_.at(b);
    if (n == std::floor(n) && n >= 1.0 && n <= most_factors) return powered(a, static_cast<int>(n));
    if (n == std::floor(n) && n <= -1.0 && n >= -most_factors)
      return operate(Op::divide, {number(1.0), powered(a, static_cast<int>(-n))});
  }
  Instruction i;
  i.op = op;
  std::vector<int> key{static_cast<int>(op)};
  int k = 0;
  for (const int operand : x) {
    i.x[k++] = operand;
    key.push_back(operand);
  }
  return emit(i, std::move(key));
}

int ProgramBuilder::powered(int base, int exponent) {
  if (exponent == 1) return base;
  const int half = powered(base, exponent / 2), square = operate(Op::multiply, {half, half});
  return exponent % 2 ? operate(Op::multiply, {square, base}) : square;
}

int ProgramBuilder::add(const Expr& e) {
  if (e->op == Op::number) return number(e->value);
  if (e->op == Op::symbol) {
    const auto found = now_.find(e->symbol);
    return found == now_.end() ? e->symbol : found->second;
  }
  const auto& x = e->operands;
  switch (x.size()) {
    case 1:
      return operate(e->op, {add(x[0])});
    case 2: {
      const int a = add(x[0]);
      return operate(e->op, {a, add(x[1])});
    }
    case 3: {
      const int a = add(x[0]), b = add(x[1]);
      return operate(e->op, {a, b, add(x[2])});
    }
    default: {
      const int a = add(x[0]), b = add(x[1]), c = add(x[2]);
      return operate(e->op, {a, b, c, add(x[3])});
    }
  }
}

void ProgramBuilder::assign(int symbol, int reg) {
  if (reg == symbol) return;
  Instruction i;
  i.op = Op::symbol;
  i.to = symbol;
  i.x[0] = reg;
  program_.code.push_back(i);
  now_[symbol] = reg;
}

Program ProgramBuilder::finish(std::vector<int> outputs) {
  program_.outputs = std::move(outputs);
  return std::move(program_);
}

std::string Program::to_cpp(const std::string& name) const {
  std::ostringstream text;
  text.precision(17);
  const auto reg = [&](int k) {
    return k < symbols ? "r[" + std::to_string(k) + "]" : "t" + std::to_string(k);
  };
  text << "extern \"C\" void " << name << "(double* r, double* out) {\n";
  for (const Instruction& i : code) {
    text << (i.to < symbols ? "  " : "  const double ") << reg(i.to) << " = ";
    const std::string a = reg(i.x[0]), b = reg(i.x[1]);
    switch (i.op) {
      case Op::number:
        text << (std::isfinite(i.value) ? "" : "0.0 / 0.0 * ") << std::hexfloat
             << (std::isfinite(i.value) ? i.value : 1.0) << std::defaultfloat;
        break;
      case Op::symbol:
        text << a;
        break;
      case Op::add:
        text << a << " + " << b;
        break;
      case Op::subtract:
        text << a << " - " << b;
        break;
      case Op::multiply:
        text << a << " * " << b;
        break;
      case Op::divide:
        text << a << " / " << b;
        break;
      case Op::negate:
        text << "-" << a;
        break;
      case Op::power:
        text << "std::pow(" << a << ", " << b << ")";
        break;
      case Op::select:
        text << "(" << a << " > 0.5 ? " << b << " : " << reg(i.x[2]) << ")";
        break;
      case Op::angle:
        text << "angle_root(" << a << ", " << b << ", " << reg(i.x[2]) << ", " << reg(i.x[3]) << ")";
        break;
      case Op::atan2:
        text << "std::atan2(" << a << ", " << b << ")";
        break;
      default:
        text << "std::" << function_name(i.op) << "(" << a << ")";
    }
    text << ";\n";
  }
  for (std::size_t k = 0; k < outputs.size(); ++k)
    text << "  out[" << k << "] = " << reg(outputs[k]) << ";\n";
  text << "  (void)r;\n  (void)out;\n}\n";
  return text.str();
}

std::string cpp_preamble() {
  return R"(#include <cmath>
#include <limits>
static double angle_root(double a, double b, double c, double near) {
  const double cosine = -c / std::sqrt(a * a + b * b);
  if (!(std::abs(cosine) <= 1.0 - 1e-6)) return std::numeric_limits<double>::quiet_NaN();
  const double turn = 2.0 * 3.141592653589793238462643383279502884;
  double middle = std::atan2(b, a);
  middle = middle + turn * std::round((near - middle) / turn);
  const double half = std::acos(cosine);
  return near >= middle ? middle + half : middle - half;
}
)";
}

}  // namespace scree::equations
