#include "io/scene/expressions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numbers>
#include <set>

#include "io/scene/document.h"
#include "io/scene/faults.h"

namespace scree::io {

namespace {

const std::vector<std::string> function_names{"sqrt",  "sin",  "cos",   "tan", "abs",
                                              "floor", "ceil", "round", "min", "max"};

using Operation = Formula::Operation;

double add(double a, double b) { return a + b; }
double subtract(double a, double b) { return a - b; }
double multiply(double a, double b) { return a * b; }
double divide(double a, double b) { return a / b; }
double power_of(double a, double b) { return std::pow(a, b); }
double smaller(double a, double b) { return std::min(a, b); }
double larger(double a, double b) { return std::max(a, b); }
double negative(double a) { return -a; }

/// Recursive descent: sum -> product -> sign -> power -> atom; records the operations.
class Parser {
 public:
  Parser(std::string_view text, const std::vector<std::string>& variables, const NameLookup& lookup)
      : rest_(text), variables_(variables), lookup_(lookup) {}

  std::vector<Operation> whole() {
    sum();
    skip_blanks();
    if (!rest_.empty()) throw ExpressionError{fmt::format("cannot be computed from '{}' on", rest_), ""};
    return std::move(operations_);
  }

 private:
  void put(const Operation& operation) {
    operations_.push_back(operation);
    if (operation.binary != nullptr) --depth_;
    if (operation.binary != nullptr || operation.unary != nullptr) return;
    if (++depth_ > Formula::most_depth) throw ExpressionError{"is nested too deeply", ""};
  }
  void put(double (*binary)(double, double)) { put({.binary = binary}); }
  void put(double (*unary)(double)) { put({.unary = unary}); }

  void sum() {
    product();
    for (;;) {
      if (accept('+')) {
        product();
        put(add);
      } else if (accept('-')) {
        product();
        put(subtract);
      } else {
        return;
      }
    }
  }

  void product() {
    sign();
    for (;;) {
      if (accept('*')) {
        sign();
        put(multiply);
      } else if (accept('/')) {
        sign();
        put(divide);
      } else {
        return;
      }
    }
  }

  /// All nested expressions are read by this function.
  void sign() {
    if (++nested_ > Formula::most_nesting) throw ExpressionError{"is nested too deeply", ""};
    signed_power();
    --nested_;
  }

  void signed_power() {
    if (accept('-')) {
      sign();
      put(negative);
    } else if (accept('+')) {
      sign();
    } else {
      power();
    }
  }

  void power() {
    atom();
    if (!accept('^')) return;
    sign();
    put(power_of);
  }

  void atom() {
    if (accept('(')) {
      sum();
      expect(')');
      return;
    }
    skip_blanks();
    double number = 0.0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error == std::errc() && !rest_.empty() && !std::isalpha(static_cast<unsigned char>(rest_.front()))) {
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      put({.number = number});
      return;
    }
    const std::string name = take_name();
    if (name.empty()) {
      throw ExpressionError{
          rest_.empty() ? "ends too early" : fmt::format("cannot be computed from '{}' on", rest_), ""};
    }
    if (accept('('))
      call(name);
    else
      put_value_of(name);
  }

  void put_value_of(const std::string& name) {
    const auto variable = std::find(variables_.begin(), variables_.end(), name);
    if (variable != variables_.end())
      put({.variable = variable - variables_.begin()});
    else if (name == "pi")
      put({.number = std::numbers::pi});
    else if (name == "degree")
      put({.number = std::numbers::pi / 180.0});
    else
      put({.number = lookup_(name)});
  }

  void call(const std::string& name) {
    const bool of_many = name == "min" || name == "max";
    std::size_t arguments = 1;
    sum();
    while (accept(',')) {
      sum();
      if (of_many) put(name == "min" ? smaller : larger);
      ++arguments;
    }
    expect(')');
    if (of_many) return;
    using Function = double (*)(double);
    static const std::map<std::string, Function> functions{
        {"sqrt", [](double v) { return std::sqrt(v); }}, {"sin", [](double v) { return std::sin(v); }},
        {"cos", [](double v) { return std::cos(v); }},   {"tan", [](double v) { return std::tan(v); }},
        {"abs", [](double v) { return std::abs(v); }},   {"floor", [](double v) { return std::floor(v); }},
        {"ceil", [](double v) { return std::ceil(v); }}, {"round", [](double v) { return std::round(v); }}};
    const auto found = functions.find(name);
    if (found == functions.end()) {
      throw ExpressionError{fmt::format("uses the unknown function '{}'", name),
                            did_you_mean(name, function_names)};
    }
    if (arguments != 1) throw ExpressionError{fmt::format("gives '{}' more than one number", name), ""};
    put(found->second);
  }

  std::string take_name() {
    std::size_t length = 0;
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
    while (length < rest_.size() &&
           (is_letter(rest_[length]) ||
            (length > 0 && std::isdigit(static_cast<unsigned char>(rest_[length]))))) {
      ++length;
    }
    const std::string name(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return name;
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  bool accept(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) throw ExpressionError{fmt::format("lacks a '{}'", c), ""};
  }

  std::string_view rest_;
  const std::vector<std::string>& variables_;
  const NameLookup& lookup_;
  std::vector<Operation> operations_;
  std::size_t depth_ = 0;
  int nested_ = 0;  // depth of the expression that is being read
};

/// Resolves the parameters of a scene, each at its first use.
class Evaluation {
 public:
  Evaluation(Node* parameters, std::vector<Fault>& faults) : parameters_(parameters), faults_(faults) {
    if (parameters == nullptr) return;
    for (Node& item : parameters->items) by_name_.emplace(item.key, &item);
  }

  void resolve(Node& node, const std::string& path) {
    if (node.kind == NodeKind::text && node.text.starts_with('=')) {
      compute(node, path);
      return;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      Node& item = node.items[i];
      const std::string name =
          item.key.empty() ? fmt::format("[{}]", i) : (path.empty() ? "" : ".") + item.key;
      resolve(item, path + name);
    }
  }

  const std::set<std::string>& used() const { return used_; }

 private:
  void compute(Node& node, const std::string& path) {
    const std::string expression = node.text;
    try {
      const std::string name = trimmed(expression.substr(1));
      if (const Node* text = text_parameter(name); text != nullptr) {
        node.text = text->text;
      } else {
        node.number = evaluate(name, [&](const std::string& n) { return parameter(n); });
        node.kind = NodeKind::number;
      }
      node.expression = expression;
    } catch (const ExpressionError& error) {
      node.faulty = true;
      node.text.clear();
      node.kind =
          NodeKind::number;  // later checks treat it as a number, so that one mistake gives one message
      if (faults_.size() >= most_faults) return;
      Fault fault;
      fault.where = node.where;
      fault.key_path = path;
      fault.problem = error.problem;
      fault.value = shortened('"' + expression + '"');
      fault.suggestion = error.suggestion;
      faults_.push_back(fault);
    }
  }

  static std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
  }

  Node* resolved_parameter(const std::string& name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return nullptr;
    Node* const node = found->second;
    used_.insert(name);
    if (node->kind == NodeKind::text && node->text.starts_with('=')) {
      if (std::find(open_.begin(), open_.end(), name) != open_.end()) {
        throw ExpressionError{fmt::format("refers to itself through the parameter '{}'", name), ""};
      }
      if (open_.size() >= longest_chain)
        throw ExpressionError{
            fmt::format("needs '{}' through more than {} other parameters", name, longest_chain), ""};
      open_.push_back(name);
      compute(*node, "parameters." + name);
      open_.pop_back();
    }
    return node;
  }

  const Node* text_parameter(const std::string& name) {
    const Node* node = resolved_parameter(name);
    return node != nullptr && node->kind == NodeKind::text ? node : nullptr;
  }

  double parameter(const std::string& name) {
    const Node* node = resolved_parameter(name);
    if (node == nullptr) {
      std::vector<std::string> names{"pi", "degree"};
      if (parameters_ != nullptr && faults_.size() < most_faults) {
        for (const Node& item : parameters_->items) names.push_back(item.key);
      }
      throw ExpressionError{fmt::format("uses the unknown parameter '{}'", name), did_you_mean(name, names)};
    }
    if (!node->is_number())
      throw ExpressionError{fmt::format("computes with '{}', which is not a number", name), ""};
    return node->number;
  }

  static constexpr std::size_t longest_chain = 100;
  Node* parameters_;
  std::map<std::string, Node*, std::less<>> by_name_;
  std::vector<Fault>& faults_;
  std::vector<std::string> open_;  // parameters being resolved, outermost first
  std::set<std::string> used_;
};

}  // namespace

Formula::Formula(std::string_view expression, const std::vector<std::string>& variables,
                 const NameLookup& lookup)
    : operations_(Parser(expression, variables, lookup).whole()) {}

bool Formula::uses(std::size_t variable) const {
  return std::ranges::any_of(
      operations_, [&](const Operation& o) { return o.variable == static_cast<std::ptrdiff_t>(variable); });
}

double Formula::operator()(std::span<const double> values) const {
  std::array<double, most_depth> stack;
  std::size_t top = 0;  // number of values on the stack
  for (const Operation& o : operations_) {
    if (o.binary != nullptr) {
      --top;
      stack[top - 1] = o.binary(stack[top - 1], stack[top]);
    } else if (o.unary != nullptr) {
      stack[top - 1] = o.unary(stack[top - 1]);
    } else {
      stack[top++] = o.variable >= 0 ? values[o.variable] : o.number;
    }
  }
  return stack[0];
}

double evaluate(std::string_view expression, const NameLookup& lookup) {
  return Formula(expression, {}, lookup)({});
}

std::vector<std::string> evaluate_expressions(Node& root, std::vector<Fault>& faults) {
  Node* parameters = root.find("parameters");
  Evaluation evaluation(parameters, faults);
  evaluation.resolve(root, "");
  std::vector<std::string> unused;
  if (parameters != nullptr) {
    for (const Node& item : parameters->items) {
      if (!evaluation.used().contains(item.key)) unused.push_back(item.key);
    }
  }
  return unused;
}

}  // namespace scree::io
