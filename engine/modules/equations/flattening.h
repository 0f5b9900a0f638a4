// Expansion of submodels; used by flatten() only.
#pragma once

#include <memory>
#include <set>

#include "engine/modules/equations/model.h"

namespace scree::equations {

/// `annotation(__Scree_tearing = true)`: other tools for Modelica ignore names that begin with two
/// underscores.
inline constexpr const char* tearing_mark = "__Scree_tearing";

/// "did you mean 'x'?" if one of the known words is similar.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

/// A modifier of a component: its value, or the value of an attribute.
struct Modifier {
  std::string name;  // relative to the component; empty: its value
  const Tree* value;
  std::string scope;  // prefix of the names in the value: "a.b."
};

class Flattening {
 public:
  Flattening(const Tree& all, const SourceText& text) : file(all), source(text) {}
  FlatModel run(const std::string& main, const std::map<std::string, double>& parameters);

 private:
  struct ParameterValue {
    int symbol;
    const Tree* value;
    std::string scope;
    std::size_t at;
  };
  struct Attribute {
    int symbol;
    double Symbol::*member;
    const Tree* value;
    std::string scope;
  };
  struct Binding {
    int symbol;
    const Tree* value;
    std::string scope;
  };
  struct Section {
    const Tree* tree;
    std::string path;
    bool at_start;
  };

  void fault(std::size_t at, const std::string& key, std::string problem, std::string suggestion = {});
  [[noreturn]] void give_up(std::size_t at, std::string problem);
  void grow(std::size_t at, std::size_t taken);
  void expect_small(std::size_t at, const Expr& e);
  const Tree* type_of(const std::string& name) const;
  std::vector<Modifier> changes_of(const std::string& name, const std::vector<Modifier>& all);
  void gather(const Tree& tree, const std::string& before, const std::string& scope,
              std::vector<Modifier>& all);
  void expand_class(const Tree& definition, const std::string& path, const std::vector<Modifier>& changes,
                    int depth);
  void expand_component(const Tree& declaration, const Tree& component, const std::string& path,
                        const std::vector<Modifier>& changes, int depth);
  void add_parameter(const Tree& component, const std::string& name, const std::vector<Modifier>& changes);
  void add_variable(const Tree& declaration, const Tree& component, const std::string& name,
                    const std::vector<Modifier>& changes);
  void set_attribute(int at, const Modifier& one);
  void evaluate_parameters();
  void evaluate_attributes();

  // flatten_equations.cpp
  Expr expression(const Tree& tree, const std::string& scope);
  Expr expression_of(const Tree& tree, const std::string& scope);
  Expr name(const Tree& tree, const std::string& scope);
  Expr call(const Tree& tree, const std::string& scope);
  Expr derivative(const Tree& tree, const std::string& scope);
  Expr condition(const Tree& tree, const std::string& scope);
  Expr relation(const Expr& difference, bool strict);
  void expand_equation(const Tree& tree, const std::string& scope, bool at_start);
  void expand_choice(const Tree& tree, const std::string& scope, std::vector<Equation>& into);
  std::vector<Equation> branch_equations(const Tree& branch, const std::string& scope);
  void expand_when(const Tree& tree, const std::string& scope);
  void add_equation(std::vector<Equation>& into, const Expr& residual, std::string text, std::size_t at);
  void connect_all();
  void connect_group(const std::vector<std::string>& members);
  std::string node_of(const std::string& connector, const std::string& scope) const;

  static constexpr std::size_t most_faults = 50;
  static constexpr char own_mark = '!';
  const Tree& file;
  const SourceText& source;
  FlatModel model;
  std::vector<Fault> faults;
  std::size_t components = 0, characters = 0;
  std::set<const Tree*> reported;
  std::set<std::string> flows, connectors;
  std::vector<std::string> instances;
  std::vector<ParameterValue> parameters;
  std::vector<Attribute> attributes;
  std::vector<Binding> bindings;
  std::vector<Section> sections;
  struct Connection {
    std::string first, second, scope;
    std::size_t at;
  };
  std::vector<Connection> connections;
};

}  // namespace scree::equations
