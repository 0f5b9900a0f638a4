#include <algorithm>
#include <functional>

#include "engine/modules/equations/flattening.h"

namespace scree::equations {

namespace {

using Kind = Tree::Kind;

bool has_prefix(const Tree& declaration, const char* word) {
  return std::ranges::any_of(declaration.parts,
                             [&](const Tree& p) { return p.kind == Kind::prefix && p.text == word; });
}

/// "a.b.c" -> "a" and "b.c".
std::pair<std::string, std::string> first_name(const std::string& dotted) {
  const auto dot = dotted.find('.');
  if (dot == std::string::npos) return {dotted, {}};
  return {dotted.substr(0, dot), dotted.substr(dot + 1)};
}

constexpr int deepest = 50;  // submodels within submodels: beyond it, a model contains itself
// Limits of the expansion of submodels from a short text.
constexpr std::size_t most_components = 10'000, longest_name = 500;
constexpr std::size_t most_characters = std::size_t{8} << 20;  // of all names and equations
constexpr std::size_t longest_chain = 100;                     // of parameters that depend on each other

}  // namespace

void Flattening::fault(std::size_t at, const std::string& key, std::string problem, std::string suggestion) {
  faults.push_back({source.location(at), key, std::move(problem), {}, {}, {}, std::move(suggestion)});
  if (faults.size() >= most_faults) throw InputError(faults);
}

void Flattening::give_up(std::size_t at, std::string problem) {
  faults.push_back({source.location(at), model.name, std::move(problem), {}, {}, {}, {}});
  throw InputError(faults);
}

/// Adds the size of a name or an equation to the total.
void Flattening::grow(std::size_t at, std::size_t taken) {
  characters += taken;
  if (characters > most_characters) give_up(at, "all submodels together have more than 8 MB of equations");
}

void Flattening::expect_small(std::size_t at, const Expr& e) {
  if (e->size > most_operations) give_up(at, "the expression has more than 20,000 operations");
}

const Tree* Flattening::type_of(const std::string& name) const {
  for (const Tree& one : file.parts)
    if (one.text == name) return &one;
  return nullptr;
}

/// Modifiers from outside whose name begins with `name`: outer ones come last and take precedence.
std::vector<Modifier> Flattening::changes_of(const std::string& name, const std::vector<Modifier>& all) {
  std::vector<Modifier> own;
  for (const Modifier& one : all) {
    const auto [first, rest] = first_name(one.name);
    if (first != name) continue;
    own.push_back({rest, one.value, one.scope});
  }
  return own;
}

void Flattening::gather(const Tree& tree, const std::string& before, const std::string& scope,
                        std::vector<Modifier>& all) {
  for (const Tree& part : tree.parts) {
    if (part.kind == Kind::binding) all.push_back({before, &part.parts[0], scope});
    if (part.kind == Kind::modifier)
      gather(part, before.empty() ? part.text : before + "." + part.text, scope, all);
  }
}

void Flattening::expand_class(const Tree& definition, const std::string& path,
                              const std::vector<Modifier>& changes, int depth) {
  if (depth > deepest) return fault(definition.at, definition.text, "contains itself");
  std::set<std::string> names;
  for (const Tree& part : definition.parts) {
    if (part.kind != Kind::declaration) continue;
    for (const Tree& component : part.parts) {
      if (component.kind != Kind::component) continue;
      if (!names.insert(component.text).second) {
        fault(component.at, path + component.text, "is declared twice");
        continue;
      }
      std::vector<Modifier> all;
      gather(component, "", path, all);
      for (const Modifier& outer : changes_of(component.text, changes)) all.push_back(outer);
      expand_component(part, component, path, all, depth);
    }
  }
  for (const Modifier& one : changes) {
    if (const auto [first, rest] = first_name(one.name); !names.contains(first)) {
      if (reported.insert(one.value).second)
        fault(one.value->at, first, "there is no such component in " + definition.text,
              nearest(first, {names.begin(), names.end()}));
    }
  }
  for (const Tree& part : definition.parts) {
    if (part.kind == Kind::equations) sections.push_back({&part, path, false});
    if (part.kind == Kind::initial) sections.push_back({&part, path, true});
  }
}

void Flattening::expand_component(const Tree& declaration, const Tree& component, const std::string& path,
                                  const std::vector<Modifier>& changes, int depth) {
  const std::string name = path + component.text;
  if (name.size() > longest_name) give_up(component.at, "a name has more than 500 characters");
  if (++components > most_components) give_up(component.at, "the model has more than 10,000 components");
  grow(component.at, name.size());
  if (declaration.text == "Real" || declaration.text == "Integer") {
    const bool constant = has_prefix(declaration, "parameter") || has_prefix(declaration, "constant");
    return constant ? add_parameter(component, name, changes)
                    : add_variable(declaration, component, name, changes);
  }
  const Tree* type = type_of(declaration.text);
  if (!type) {
    std::vector<std::string> known{"Real"};
    for (const Tree& one : file.parts) known.push_back(one.text);
    if (reported.insert(&declaration).second)
      fault(declaration.at, declaration.text, "there is no such type", nearest(declaration.text, known));
    return;
  }
  instances.push_back(name);
  if (type->parts[0].text == "connector") connectors.insert(name);
  expand_class(*type, name + ".", changes, depth + 1);
}

void Flattening::add_parameter(const Tree& component, const std::string& name,
                               const std::vector<Modifier>& changes) {
  Symbol symbol{.name = name, .kind = Symbol::Kind::parameter, .where = source.location(component.at)};
  const Modifier* value = nullptr;
  for (const Modifier& one : changes) {
    if (one.name.empty()) {
      value = &one;
    } else if (one.name == "unit" && one.value->kind == Kind::string) {
      symbol.unit = one.value->text;
    } else if (one.name != "displayUnit" && one.name != "min" && one.name != "max" && one.name != "start") {
      fault(one.value->at, name + "." + one.name, "a parameter has no such attribute",
            nearest(one.name, {"unit", "displayUnit", "min", "max", "start"}));
    }
  }
  const int at = model.add(symbol);
  if (!value) return fault(component.at, name, "the parameter has no value");
  parameters.push_back({at, value->value, value->scope, component.at});
}

void Flattening::add_variable(const Tree& declaration, const Tree& component, const std::string& name,
                              const std::vector<Modifier>& changes) {
  // Inputs of submodels are variables, which the surrounding model determines.
  const bool input = has_prefix(declaration, "input") && name == component.text;
  const int at = model.add({.name = name,
                            .kind = input ? Symbol::Kind::input : Symbol::Kind::variable,
                            .where = source.location(component.at)});
  (input ? model.inputs : model.variables).push_back(at);
  if (has_prefix(declaration, "flow")) flows.insert(name);
  const Modifier* binding = nullptr;
  for (const Modifier& one : changes) {
    if (one.name.empty())
      binding = &one;
    else
      set_attribute(at, one);
  }
  if (binding && input)
    fault(binding->value->at, name, "is an input, which gets its value from outside: remove the binding");
  if (binding && !input) bindings.push_back({at, binding->value, binding->scope});
  for (const Tree& note : component.parts) {
    if (note.kind != Kind::annotation) continue;
    for (const Tree& modifier : note.parts) {
      if (modifier.text == tearing_mark && !modifier.parts.empty() &&
          modifier.parts.back().kind == Kind::binding)
        model[at].iterates = modifier.parts.back().parts[0].value > 0.5;
    }
  }
}

void Flattening::set_attribute(int at, const Modifier& one) {
  Symbol& symbol = model[at];
  const Tree& value = *one.value;
  const auto later = [&](double Symbol::*member) { attributes.push_back({at, member, &value, one.scope}); };
  if (one.name == "start") {
    symbol.has_start = true;
    later(&Symbol::start);
  } else if (one.name == "nominal") {
    later(&Symbol::nominal);
  } else if (one.name == "fixed" && value.kind == Kind::truth) {
    symbol.fixed = value.value > 0.5;
  } else if ((one.name == "unit" || one.name == "displayUnit") && value.kind == Kind::string) {
    if (one.name == "unit") symbol.unit = value.text;
  } else if (one.name == "stateSelect" && value.kind == Kind::name) {
    const std::vector<std::string> words{"never", "avoid", "default", "prefer", "always"};
    const std::string word = value.text.substr(value.text.rfind('.') + 1);
    const auto found = std::ranges::find(words, word);
    if (found == words.end())
      return fault(value.at, symbol.name, "no such stateSelect", nearest(word, words));
    symbol.select = static_cast<StateSelect>(found - words.begin());
  } else if (one.name != "min" && one.name != "max") {
    const std::vector<std::string> known{"start",   "fixed",       "unit", "displayUnit",
                                         "nominal", "stateSelect", "min",  "max"};
    const bool there = std::ranges::find(known, one.name) != known.end();
    fault(value.at, symbol.name + "." + one.name,
          there ? "the value is of the wrong kind" : "a variable has no such attribute",
          there ? "" : nearest(one.name, known));
  }
}

/// Evaluates parameters, each after those on which it depends.
void Flattening::evaluate_parameters() {
  model.value.assign(model.symbols.size(), 0.0);
  std::vector<int> state(model.symbols.size(), 0);  // 1: being evaluated, 2: done
  std::map<int, const ParameterValue*> of;
  for (const ParameterValue& one : parameters) of[one.symbol] = &one;
  std::vector<int> way;
  std::function<void(int)> visit;
  // First the named ones: their values decide which branches an expression keeps.
  std::function<void(const Tree&, const std::string&)> visit_named = [&](const Tree& tree,
                                                                         const std::string& scope) {
    if (tree.kind == Kind::name) {
      const int k = model.find(scope + tree.text);
      if (k >= 0 && model[k].kind == Symbol::Kind::parameter) visit(k);
    }
    for (const Tree& part : tree.parts) visit_named(part, scope);
  };
  visit = [&](int k) {
    int& now = state[k];
    if (now == 2 || !of.contains(k)) return;
    const ParameterValue& one = *of[k];
    way.push_back(k);
    if (way.size() > longest_chain)
      give_up(one.at, "more than 100 parameters depend on each other in a chain");
    if (now == 1) {
      std::string chain;
      for (const int p : way) chain += (chain.empty() ? "" : " -> ") + model[p].name;
      way.pop_back();
      return fault(one.at, model[k].name, "the parameter depends on itself: " + chain);
    }
    now = 1;
    visit_named(*one.value, one.scope);
    const Expr e = expression(*one.value, one.scope);
    for (const int other : symbols_of(e)) {
      if (model[other].kind != Symbol::Kind::parameter)
        fault(one.at, model[k].name,
              "the parameter depends on " + model[other].name + ", which is not a parameter");
    }
    state[k] = 2;
    way.pop_back();
    if (model.value.size() < model.symbols.size()) model.value.resize(model.symbols.size(), 0.0);
    model.value[k] = evaluate(e, model.value);
  };
  for (const ParameterValue& one : parameters) visit(one.symbol);
}

void Flattening::evaluate_attributes() {
  for (const Attribute& one : attributes) {
    const Expr e = expression(*one.value, one.scope);
    model.value.resize(model.symbols.size(), 0.0);
    for (const int other : symbols_of(e)) {
      if (model[other].kind != Symbol::Kind::parameter)
        fault(one.value->at, model[one.symbol].name,
              "an attribute depends on " + model[other].name + ", which is not a parameter");
    }
    model[one.symbol].*one.member = evaluate(e, model.value);
  }
}

FlatModel Flattening::run(const std::string& main, const std::map<std::string, double>& given) {
  std::set<std::string> names;
  for (const Tree& one : file.parts)
    if (!names.insert(one.text).second) fault(one.at, one.text, "is defined twice");
  const Tree* top = main.empty() ? &file.parts.back() : type_of(main);
  if (!top) {
    fault(0, main, "there is no such model in the file", nearest(main, {names.begin(), names.end()}));
    throw InputError(faults);
  }
  model.name = top->text;
  model.add({.name = "time", .kind = Symbol::Kind::time, .unit = "s"});
  std::vector<Tree> numbers(given.size());  // like literals in the source
  std::vector<Modifier> changes;
  for (const auto& [name, value] : given) {
    Tree& one = numbers[changes.size()];
    one.kind = Kind::number;
    one.value = value;
    changes.push_back({name, &one, ""});
  }
  expand_class(*top, "", changes, 0);
  evaluate_parameters();
  evaluate_attributes();
  for (const Binding& one : bindings) {
    const Expr value = expression(*one.value, one.scope);
    add_equation(model.equations, symbol(one.symbol) - value,
                 model[one.symbol].name + " = " + model.text(value), one.value->at);
  }
  for (const Section& one : sections) {
    for (const Tree& equation : one.tree->parts) expand_equation(equation, one.path, one.at_start);
  }
  connect_all();
  if (!faults.empty()) throw InputError(faults);
  model.value.resize(model.symbols.size(), 0.0);
  return std::move(model);
}

int FlatModel::find(const std::string& wanted) const {
  const auto found = places.find(wanted);
  return found == places.end() ? -1 : found->second;
}

int FlatModel::add(Symbol one) {
  places.emplace(one.name, static_cast<int>(symbols.size()));
  symbols.push_back(std::move(one));
  return static_cast<int>(symbols.size()) - 1;
}

int FlatModel::derivative_of(int variable) {
  if ((*this)[variable].derivative >= 0) return (*this)[variable].derivative;
  const int made = add({.name = "der(" + (*this)[variable].name + ")",
                        .kind = (*this)[variable].kind,
                        .integral = variable,
                        .where = (*this)[variable].where});
  (*this)[variable].derivative = made;
  if (is_variable(made)) variables.push_back(made);
  value.resize(symbols.size(), 0.0);
  return made;
}

std::string FlatModel::text(const Expr& e) const {
  return to_text(e, [this](int k) { return (*this)[k].name; });
}

FlatModel flatten(const Tree& file, const SourceText& source, const std::string& main,
                  const std::map<std::string, double>& parameters) {
  return Flattening(file, source).run(main, parameters);
}

}  // namespace scree::equations
