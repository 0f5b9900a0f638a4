// Expressions, equations and connections of a model during expansion.
#include <algorithm>
#include <numbers>

#include "engine/modules/equations/flattening.h"

namespace scree::equations {

namespace {

using Kind = Tree::Kind;

struct Function {
  const char* name;
  Op op;
  std::size_t arguments;
};
constexpr Function functions[] = {{"sin", Op::sin, 1},     {"cos", Op::cos, 1},   {"tan", Op::tan, 1},
                                  {"asin", Op::asin, 1},   {"acos", Op::acos, 1}, {"atan", Op::atan, 1},
                                  {"atan2", Op::atan2, 2}, {"sinh", Op::sinh, 1}, {"cosh", Op::cosh, 1},
                                  {"tanh", Op::tanh, 1},   {"sqrt", Op::sqrt, 1}, {"exp", Op::exp, 1},
                                  {"log", Op::log, 1}};
// Functions made of conditions, which therefore cause events.
constexpr Function piecewise[] = {
    {"abs", Op::select, 1}, {"sign", Op::select, 1}, {"min", Op::select, 2}, {"max", Op::select, 2}};

constexpr std::size_t longest_word = 64;  // for similarity searches: their time is quadratic

std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t k = 0; k <= b.size(); ++k) row[k] = k;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t above = row[k];
      row[k] = std::min({above + 1, row[k - 1] + 1, corner + (a[i - 1] == b[k - 1] ? 0 : 1)});
      corner = above;
    }
  }
  return row[b.size()];
}

constexpr std::size_t most_connected = 1000;  // the sum of their flows is a tree of this depth

std::string written(const FlatModel& model, const Expr& left, const Expr& right) {
  return model.text(left) + " = " + model.text(right);
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  if (word.size() > longest_word) return best;
  std::size_t least = word.size() / 3 + 2;  // larger distances mean a different word
  for (const std::string& one : known) {
    if (one.size() >= word.size() + least || word.size() >= one.size() + least) continue;
    if (const std::size_t d = distance(word, one); d < least) {
      least = d;
      best = one;
    }
  }
  return best.empty() ? "" : "did you mean '" + best + "'?";
}

Expr Flattening::name(const Tree& tree, const std::string& scope) {
  if (const int found = model.find(scope + tree.text); found >= 0) return symbol(found);
  if (tree.text == "time") return symbol(FlatModel::time);
  if (tree.text == "Modelica.Constants.pi") return number(std::numbers::pi);
  std::vector<std::string> known{"time"};
  for (const Symbol& one : model.symbols)
    if (one.name.starts_with(scope)) known.push_back(one.name.substr(scope.size()));
  if (reported.insert(&tree).second)
    fault(tree.at, scope + tree.text, "there is no such name", nearest(tree.text, known));
  return number(0.0);
}

Expr Flattening::derivative(const Tree& tree, const std::string& scope) {
  const Tree& of = tree.parts[0];
  const Expr inner = expression(of, scope);
  if (inner->op == Op::symbol && (model.is_variable(inner->symbol) || model.is_input(inner->symbol)))
    return symbol(model.derivative_of(inner->symbol));
  if (inner->op == Op::symbol && model[inner->symbol].kind == Symbol::Kind::parameter) return number(0.0);
  if (inner->op != Op::number)
    fault(tree.at, "der",
          "only variables and inputs can be arguments of der(): define a variable for the expression");
  return number(0.0);
}

Expr Flattening::call(const Tree& tree, const std::string& scope) {
  const std::string& function = tree.text;
  const auto counted = [&](std::size_t wanted) {
    if (tree.parts.size() == wanted) return true;
    fault(tree.at, function,
          "takes " + std::to_string(wanted) + " arguments, not " + std::to_string(tree.parts.size()));
    return false;
  };
  if (function == "der") return counted(1) ? derivative(tree, scope) : number(0.0);
  if (function == "pre") return counted(1) ? expression(tree.parts[0], scope) : number(0.0);
  std::vector<std::string> known{"der", "pre"};
  for (const Function& one : functions) {
    known.emplace_back(one.name);
    if (function != one.name) continue;
    if (!counted(one.arguments)) return number(0.0);
    std::vector<Expr> arguments;
    for (const Tree& part : tree.parts) arguments.push_back(expression(part, scope));
    return make(one.op, std::move(arguments));
  }
  for (const Function& one : piecewise) {
    known.emplace_back(one.name);
    if (function != one.name) continue;
    if (!counted(one.arguments)) return number(0.0);
    const Expr a = expression(tree.parts[0], scope);
    if (function == "abs") return make(Op::select, {relation(a, false), a, -a});
    if (function == "sign")
      return make(Op::select, {relation(a, true), number(1.0),
                               make(Op::select, {relation(-a, true), number(-1.0), number(0.0)})});
    const Expr b = expression(tree.parts[1], scope);
    return make(Op::select, {relation(function == "min" ? b - a : a - b, false), a, b});
  }
  if (reported.insert(&tree).second)
    fault(tree.at, function, "there is no such function", nearest(function, known));
  return number(0.0);
}

Expr Flattening::relation(const Expr& difference, bool strict) {
  bool changes = false;
  for (const int k : symbols_of(difference)) changes = changes || model[k].kind != Symbol::Kind::parameter;
  if (!changes) {
    const double value = evaluate(difference, model.value);
    return number((strict ? value > 0.0 : value >= 0.0) ? 1.0 : 0.0);
  }
  for (const Relation& one : model.relations)
    if (one.strict == strict && compare(one.difference, difference) == 0) return symbol(one.symbol);
  const std::string text = model.text(difference);
  grow(0, text.size());
  const int at =
      model.add({.name = "(" + text + (strict ? " > 0)" : " >= 0)"), .kind = Symbol::Kind::relation});
  model.relations.push_back({difference, strict, at});
  return symbol(at);
}

/// 1 if it holds, else 0.
Expr Flattening::condition(const Tree& tree, const std::string& scope) {
  if (tree.kind == Kind::truth) return number(tree.value);
  if (tree.kind == Kind::invert) return number(1.0) - condition(tree.parts[0], scope);
  if (tree.kind == Kind::binary && (tree.text == "and" || tree.text == "or")) {
    const Expr a = condition(tree.parts[0], scope), b = condition(tree.parts[1], scope);
    return tree.text == "and" ? a * b : number(1.0) - (number(1.0) - a) * (number(1.0) - b);
  }
  if (tree.kind == Kind::binary && (tree.text[0] == '<' || tree.text[0] == '>') && tree.text != "<>") {
    const Expr a = expression(tree.parts[0], scope), b = expression(tree.parts[1], scope);
    return relation(tree.text[0] == '>' ? a - b : b - a, tree.text.size() == 1);
  }
  fault(tree.at, tree.text, "is not a condition: use <, <=, >, >= and `and`, `or`, `not`");
  return number(0.0);
}

Expr Flattening::expression(const Tree& tree, const std::string& scope) {
  Expr made = expression_of(tree, scope);
  expect_small(tree.at, made);
  return made;
}

Expr Flattening::expression_of(const Tree& tree, const std::string& scope) {
  const auto part = [&](std::size_t k) { return expression(tree.parts[k], scope); };
  switch (tree.kind) {
    case Kind::number:
      return number(tree.value);
    case Kind::name:
      return name(tree, scope);
    case Kind::call:
      return call(tree, scope);
    case Kind::negate:
      return -part(0);
    case Kind::conditional:
      return make(Op::select, {condition(tree.parts[0], scope), part(1), part(2)});
    case Kind::binary:
      if (tree.text == "+") return part(0) + part(1);
      if (tree.text == "-") return part(0) - part(1);
      if (tree.text == "*") return part(0) * part(1);
      if (tree.text == "/") return part(0) / part(1);
      if (tree.text == "^") return make(Op::power, {part(0), part(1)});
      break;
    default:
      break;
  }
  fault(tree.at, tree.text, "a number is needed here, not a boolean or a text");
  return number(0.0);
}

void Flattening::add_equation(std::vector<Equation>& into, const Expr& residual, std::string text,
                              std::size_t at) {
  expect_small(at, residual);
  grow(at, text.size());
  into.push_back({.residual = residual, .text = std::move(text), .where = source.location(at)});
}

void Flattening::expand_equation(const Tree& tree, const std::string& scope, bool at_start) {
  std::vector<Equation>& into = at_start ? model.at_start : model.equations;
  if (tree.kind == Kind::equality) {
    const Expr left = expression(tree.parts[0], scope), right = expression(tree.parts[1], scope);
    add_equation(into, left - right, written(model, left, right), tree.at);
  } else if (tree.kind == Kind::choice) {
    expand_choice(tree, scope, into);
  } else if (tree.kind == Kind::when) {
    expand_when(tree, scope);
  } else if (tree.kind == Kind::connection) {
    connections.push_back({scope + tree.parts[0].text, scope + tree.parts[1].text, scope, tree.at});
    for (const Tree& side : tree.parts) {
      if (connectors.contains(scope + side.text)) continue;
      std::vector<std::string> known;
      for (const std::string& one : connectors)
        if (one.starts_with(scope)) known.push_back(one.substr(scope.size()));
      fault(side.at, scope + side.text, "there is no such connector", nearest(side.text, known));
    }
  }
}

std::vector<Equation> Flattening::branch_equations(const Tree& branch, const std::string& scope) {
  std::vector<Equation> all;
  for (const Tree& part : branch.parts) {
    if (part.kind == Kind::choice) {
      expand_choice(part, scope, all);
    } else if (part.kind == Kind::equality) {
      const Expr left = expression(part.parts[0], scope), right = expression(part.parts[1], scope);
      add_equation(all, left - right, written(model, left, right), part.at);
    } else if (&part != &branch.parts[0] || branch.kind == Kind::otherwise) {
      fault(part.at, "if", "branches can contain only equations");
    }
  }
  return all;
}

/// Equation k is that of the branch whose condition holds.
void Flattening::expand_choice(const Tree& tree, const std::string& scope, std::vector<Equation>& into) {
  std::vector<Expr> conditions;
  std::vector<std::vector<Equation>> branches;
  for (const Tree& part : tree.parts) {
    if (part.kind == Kind::branch) conditions.push_back(condition(part.parts[0], scope));
    branches.push_back(branch_equations(part, scope));
  }
  const bool whole = tree.parts.back().kind == Kind::otherwise;
  for (const auto& branch : branches) {
    if (!whole || branch.size() != branches[0].size())
      return fault(tree.at, "if", "all branches, including `else`, need the same number of equations");
  }
  for (std::size_t k = 0; k < branches[0].size(); ++k) {
    Equation made = branches.back()[k];
    for (std::size_t b = conditions.size(); b-- > 0;) {
      const Expr& other = branches[b][k].residual;
      const bool same_left = made.residual->op == Op::subtract && other->op == Op::subtract &&
                             compare(made.residual->operands[0], other->operands[0]) == 0;
      made.residual = same_left ? other->operands[0] - make(Op::select, {conditions[b], other->operands[1],
                                                                         made.residual->operands[1]})
                                : make(Op::select, {conditions[b], other, made.residual});
      expect_small(tree.at, made.residual);
      made.text = "if " + model.text(conditions[b]) + " then " + branches[b][k].text + " else " + made.text;
      grow(tree.at, made.text.size());
    }
    made.where = source.location(tree.at);
    into.push_back(std::move(made));
  }
}

void Flattening::expand_when(const Tree& tree, const std::string& scope) {
  Jump jump{condition(tree.parts[0], scope), {}};
  for (const Tree& part : tree.parts) {
    if (part.kind != Kind::reinit) continue;
    const Expr variable = name(part.parts[0], scope);
    if (variable->op != Op::symbol || !model.is_variable(variable->symbol)) {
      fault(part.at, part.parts[0].text, "only variables can jump");
      continue;
    }
    jump.to.push_back({variable->symbol, expression(part.parts[1], scope)});
  }
  model.jumps.push_back(std::move(jump));
}

/// The node of a connector in a connection: of a submodel, or of the model itself, seen from within.
std::string Flattening::node_of(const std::string& connector, const std::string& scope) const {
  const bool own = connector.find('.', scope.size()) == std::string::npos;
  return own ? connector + own_mark : connector;
}

void Flattening::connect_group(const std::vector<std::string>& members) {
  const auto plain = [](const std::string& member) {
    return member.back() == own_mark ? member.substr(0, member.size() - 1) : member;
  };
  if (members.size() > most_connected)
    give_up(0,
            "more than 1000 connectors are connected with each other: " + plain(members[0]) + " and others");
  const std::string first = plain(members[0]) + ".";
  for (std::size_t k = 0; k < model.symbols.size(); ++k) {
    const std::string full = model.symbols[k].name;
    if (!full.starts_with(first)) continue;
    const std::string part = full.substr(first.size());
    if (!flows.contains(full)) {
      for (std::size_t m = 1; m < members.size(); ++m) {
        const int other = model.find(plain(members[m]) + "." + part);
        if (other >= 0)
          add_equation(model.equations, symbol(other) - symbol(static_cast<int>(k)),
                       model[other].name + " = " + full, 0);
      }
      continue;
    }
    Expr sum = number(0.0);
    for (const std::string& member : members) {
      const int flow = model.find(plain(member) + "." + part);
      if (flow < 0) continue;
      sum = member.back() == own_mark ? sum - symbol(flow) : sum + symbol(flow);
    }
    add_equation(model.equations, sum, model.text(sum) + " = 0", 0);
  }
}

/// Potentials are equal, flows add up to zero; an unconnected connector has zero flow. Flows
/// point into a submodel. Seen from within, a model's own connector is the outside, whose flow is negative.
void Flattening::connect_all() {
  std::map<std::string, std::string> leader;
  const auto find = [&](const std::string& k) {
    std::vector<std::map<std::string, std::string>::iterator> way{leader.emplace(k, k).first};
    while (way.back()->second != way.back()->first) way.push_back(leader.find(way.back()->second));
    for (const auto& one : way) one->second = way.back()->first;
    return way.back()->first;
  };
  for (const Connection& one : connections) {
    const std::string a = find(node_of(one.first, one.scope)), b = find(node_of(one.second, one.scope));
    leader[a] = b;
  }
  for (const std::string& one : connectors) find(one);
  std::map<std::string, std::vector<std::string>> groups;
  for (const auto& [key, unused] : std::map(leader)) groups[find(key)].push_back(key);
  for (const auto& [unused, members] : groups) connect_group(members);
}

}  // namespace scree::equations
