// Declarative models as text: what is read, and the messages for mistakes.
#include <cmath>
#include <gtest/gtest.h>

#include "tests/support/models.h"

namespace scree::equations {
namespace {

std::string faults_of(const std::string& text) {
  try {
    compile_model({"m.mo", text});
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// Every element of `parts` is in the message about the text.
void expect_told(const std::string& text, std::initializer_list<const char*> parts) {
  const std::string told = faults_of(text);
  for (const char* part : parts)
    EXPECT_NE(told.find(part), std::string::npos) << "'" << part << "' in: " << told;
}

double value_of(const std::string& expression) {
  const FlatModel model = flatten_text(
      "model m\n parameter Real a = 3;\n parameter Real b = -2;\n parameter Real r = " + expression +
      "\n;\nend m;");
  return model.value[model.find("r")];
}

TEST(ModelText, ExpressionsEvaluateCorrectly) {
  EXPECT_EQ(value_of("1 + 2*3^2/6 - (-4)"), 1 + 2 * 9.0 / 6 + 4);
  EXPECT_EQ(value_of("-a^2"), -9);
  EXPECT_EQ(value_of("2 - 3 - 4"), -5);
  EXPECT_EQ(value_of("24/4/3"), 2);
  EXPECT_EQ(value_of("(a + b)*(a - b)"), 5);
  EXPECT_EQ(value_of("1.5e-3*2"), 3e-3);
  EXPECT_DOUBLE_EQ(value_of("sin(a)^2 + cos(a)^2"), 1);
  EXPECT_EQ(value_of("atan2(a, b)"), std::atan2(3.0, -2.0));
  EXPECT_EQ(value_of("/* a */ 7 // b"), 7);
}

TEST(ModelText, PrintedExpressionsParseToTheSameValue) {
  const FlatModel model = flatten_text(
      "model m Real x; Real y; Real z; equation x = -(y - (z - 1))/(x*y)/z^2*2; y - (x - z) = sin(x)*(-y); z "
      "= 1 - (-x); end m;");
  for (const Equation& e : model.equations) {
    const std::string text = model.text(e.residual);
    const FlatModel again = flatten_text("model m Real x; Real y; Real z; equation 0 = " + text + "; end m;");
    const std::vector<double> at{0.3, 1.7, -0.6, 2.9};
    EXPECT_DOUBLE_EQ(evaluate(e.residual, at), -evaluate(again.equations[0].residual, at)) << text;
  }
}

TEST(ModelText, SyntaxErrorsGivePositionAndExpectedToken) {
  expect_told("model m\n  Real x\nequation\n  x = 1;\nend m;",
              {"m.mo:3:1", "expected ';'", "found 'equation'"});
  expect_told("model m\n  Real x;\nequation\n  x = 2*;\nend m;", {"m.mo:4:9", "found ';'", "an expression"});
  expect_told("model m\n  Real x;\nequation\n  x 1;\nend m;", {"m.mo:4:5", "expected '='", "found '1'"});
  expect_told("model m\n  Real x;\nequation\n  x = 1;\nend n;", {"m.mo:5:5", "expected 'm'"});
  expect_told("model m\n  Real x;\nequation\n  x = if time > 1 then 2;\nend m;", {"m.mo:4:25", "else"});
  expect_told("what is this", {"m.mo:1:1", "'model' or 'connector'", "found 'what'"});
  expect_told("", {"the end of the file"});
  expect_told("model m", {"the end of the file"});
}

TEST(ModelText, AllUnknownNamesAreReportedWithSuggestions) {
  expect_told(
      "model Spring\n  parameter Real stiffness = 1;\n  Real f;\nequation\n  f = stifness;\nend Spring;\n"
      "model m\n  Spring s(stifnes = 2);\n  Sprin t;\n  Real x(strat = 1);\n  Real x;\nequation\n  x = "
      "sni(time) + s.g;\nend m;",
      {"m.mo:5:7: s.stifness: there is no such name; did you mean 'stiffness'?",
       "stifnes: there is no such component in Spring; did you mean 'stiffness'?",
       "Sprin: there is no such type; did you mean 'Spring'?",
       "x.strat: a variable has no such attribute; did you mean 'start'?", "x: is declared twice",
       "sni: there is no such function; did you mean 'sin'?",
       "s.g: there is no such name; did you mean 's.f'?"});
}

TEST(ModelText, CyclicParametersAreRejected) {
  expect_told(
      "model m\n  parameter Real a = b;\n  parameter Real b = c;\n  parameter Real c = a + 1;\nend m;",
      {"the parameter depends on itself: a -> b -> c -> a"});
  expect_told("model m\n  parameter Real a;\nend m;", {"a: the parameter has no value"});
  expect_told("model m\n  Real x;\n  parameter Real a = x;\nequation x = 1;\nend m;",
              {"depends on x, which is not a parameter"});
}

TEST(ModelText, RecursiveModelsAreRejected) {
  expect_told("model a\n  b x;\nend a;\nmodel b\n  a x;\nend b;", {"contains itself"});
}

TEST(ModelText, TooManyAndTooFewEquationsAreNamed) {
  const std::string told = faults_of(
      "model m\n  Real a;\n  Real b;\n  Real c;\n  Real d;\nequation\n  a + b = 1;\n  a - b = 2;\n  a*b = "
      "3;\n  c + d = a;\nend m;");
  for (const char* part :
       {"too many equations: 3 equations for 2 variables (a, b):", "line 7: a + b = 1", "line 8: a - b = 2",
        "line 9: a*b = 3", "too few equations: 1 equation for 2 variables (c, d):", "line 10: c + d = a"})
    EXPECT_NE(told.find(part), std::string::npos) << part << " in " << told;
  EXPECT_EQ(told.find("line 10", 0), told.rfind("line 10")) << "the sound part is not blamed: " << told;
  expect_told("model m\n  Real a;\n  Real b;\nequation\n  a = 1;\nend m;",
              {"too few equations: 0 equations for 1 variable (b)"});
  // As many equations as variables, but in a circle: three times the same.
  expect_told("model m\n  Real a;\n  Real b;\n  Real c;\nequation\n  a = b;\n  b = c;\n  c = a;\nend m;",
              {"too many equations", "too few equations"});
}

TEST(ModelText, BranchesNeedAsManyEquations) {
  expect_told("model m\n Real x;\nequation\n if time > 1 then\n x = 1;\n end if;\nend m;",
              {"m.mo:4:2", "need the same number of equations"});
}

TEST(ModelText, DivisionByZeroIsReported) {
  expect_told("model m Real x(start = 1); Real y; equation der(x) = y; x^2 + sin(x)*log(x/0) = 1; end m;",
              {"division by zero"});
}

TEST(ModelText, ExcessiveNestingIsRejected) {
  expect_told("model m Real x; equation x = " + std::string(5000, '(') + "1;", {"100 nested brackets"});
  std::string chain = "model m Real x; equation x = 1";
  for (int k = 0; k < 100000; ++k) chain += "+1";
  expect_told(chain + "; end m;", {"1000 words"});
  std::string choices = "model m Real x; equation x = ";
  for (int k = 0; k < 20000; ++k) choices += "if time > 1 then 1 else ";
  expect_told(choices + "1; end m;", {"1000 words"});
}

TEST(ModelText, CommentsHideNoBracketsAndStringsAreNotCounted) {
  std::string nested = "model m Real x; equation x = ";
  for (int k = 0; k < 5000; ++k) nested += "(/*;*/ ";
  expect_told(nested, {"100 nested brackets"});
  EXPECT_EQ(faults_of("model m Real x \"" + std::string(200, '(') + "\"; equation x = time; end m;"), "");
}

TEST(ModelText, IfEquationsWithinEachOtherAreCounted) {
  const auto nested = [](int depth) {
    std::string text = "model m Real x; equation ";
    for (int k = 0; k < depth; ++k) text += "if time > " + std::to_string(k) + " then ";
    text += "x = 1; ";
    for (int k = 0; k < depth; ++k) text += "else x = 2; end if; ";
    return text + "end m;";
  };
  EXPECT_EQ(faults_of(nested(100)), "");
  expect_told(nested(101), {"at most 100 nested if-equations"});
  std::string row = "model m Real x; equation x = 1; ";
  for (int k = 0; k < 200; ++k) row += "if time > 1 then else end if; ";  // in sequence
  EXPECT_EQ(faults_of(row + "end m;"), "");
}

TEST(ModelText, ExpansionOfSmallModelsIsLimited) {
  std::string tenfold = "model a0 Real x; equation x = 1; end a0;\n";
  for (int k = 1; k < 20; ++k) {
    tenfold += "model a" + std::to_string(k);
    for (int j = 0; j < 10; ++j) tenfold += " a" + std::to_string(k - 1) + " b" + std::to_string(j) + ";";
    tenfold += " end a" + std::to_string(k) + ";\n";
  }
  expect_told(tenfold, {"more than 10,000 components"});
  std::string sizes = "y";
  for (int k = 0; k < 60; ++k) sizes = "abs(" + sizes + ")";
  expect_told("model m Real x; Real y; equation y = time; x = " + sizes + "; end m;",
              {"more than 8 MB of equations"});
  std::string chain = "model m";
  for (int k = 0; k < 200; ++k)
    chain += " parameter Real p" + std::to_string(k) + " = p" + std::to_string(k + 1) + ";";
  expect_told(chain + " parameter Real p200 = 1; end m;", {"more than 100 parameters depend on each other"});
}

TEST(ModelText, ManyConditionsAreJoinedByOr) {
  std::string any = "time > 0";
  for (int k = 1; k < 60; ++k) any += " or time > " + std::to_string(k);
  EXPECT_EQ(faults_of("model m Real x; equation x = if " + any + " then 1 else 2; end m;"), "");
}

TEST(ModelText, NamesMayBeginWithInfOrNan) {
  EXPECT_EQ(faults_of("model m Real info; Real nano; equation info = time; nano = 2*info; end m;"), "");
}

TEST(ModelText, NonAsciiIsRejectedOutsideCommentsAndStrings) {
  expect_told("model m Real x; equation x = -\xf6; end m;", {"an expression"});
  EXPECT_EQ(faults_of("model m Real x \"gr\xc3\xb6\xc3\x9f"
                      "e\"; equation x = time; // \xc3\xb6\nend m;"),
            "");
}

TEST(ModelText, ParametersMayDependOnEachOtherInAnyOrder) {
  const FlatModel model = flatten_text(
      "model m parameter Real p = max(q, 1); parameter Real r = if q > 2 then 7 else 8; parameter Real q = "
      "5; end m;");
  EXPECT_EQ(model.value[model.find("p")], 5);
  EXPECT_EQ(model.value[model.find("r")], 7);
}

TEST(ModelText, AnAttributeMayNotBeADerivative) {
  expect_told("model m Real x(start = der(x)); equation x = 1; end m;", {"depends on der(x)"});
}

TEST(ModelText, DegenerateDifferentiatedEquationsAreReported) {
  expect_told(
      "model m Real x; Real y; Real z; Real w; equation der(x) = z; der(y) = w; x*y = 1; x - y = x*1 - y + "
      "0*z; end m;",
      {"x - y = x - y", "determines none of its variables"});
  std::string derivative = "x";
  for (int k = 0; k < 30; ++k) derivative = "der(" + derivative + ")";
  expect_told("model m Real x, y; equation " + derivative + " = y; x*sin(x*time) = cos(time); end m;",
              {"x*sin(x*time) = cos(time): its derivative has more than 20,000 operations"});
}

TEST(ModelText, ModifiersApplyThroughSubmodels) {
  const FlatModel model = flatten_text(
      "model Leaf\n parameter Real p = 1;\n Real x(start = p);\nequation\n x = p;\nend Leaf;\n"
      "model Branch\n parameter Real q = 2;\n Leaf a(p = q);\n Leaf b;\nend Branch;\n"
      "model m\n Branch one(q = 5);\n Branch two(b(p = 7, x(start = 9)));\nend m;");
  const auto parameter = [&](const char* name) { return model.value[model.find(name)]; };
  EXPECT_EQ(parameter("one.a.p"), 5);
  EXPECT_EQ(parameter("one.b.p"), 1);
  EXPECT_EQ(parameter("two.a.p"), 2);
  EXPECT_EQ(parameter("two.b.p"), 7);
  EXPECT_EQ(model[model.find("two.b.x")].start, 9);
  EXPECT_EQ(model[model.find("one.a.x")].start, 5);
}

TEST(ModelText, FlowsOfConnectorsAddUpToZero) {
  // A composite with its own pin: both parts inside share its flow.
  const std::string text =
      "connector Pin\n Real v;\n flow Real i;\nend Pin;\n"
      "model R\n parameter Real R = 1;\n Pin p;\n Pin n;\nequation\n p.v - n.v = R*p.i;\n p.i + n.i = "
      "0;\nend R;\n"
      "model Two\n Pin p;\n Pin n;\n R a(R = 2);\n R b(R = 3);\nequation\n connect(p, a.p);\n connect(p, "
      "b.p);\n"
      " connect(n, a.n);\n connect(n, b.n);\nend Two;\n"
      "model Source\n Pin p;\n Pin n;\nequation\n p.v - n.v = 6;\n p.i + n.i = 0;\nend Source;\n"
      "model Ground\n Pin p;\nequation\n p.v = 0;\nend Ground;\n"
      "model m\n Source s;\n Two two;\n Ground g;\nequation\n connect(s.p, two.p);\n connect(s.n, two.n);\n "
      "connect(g.p, s.n);\nend m;";
  Simulation run(compile_model({"m.mo", text}), {.compiled = false});
  EXPECT_NEAR(run.value("two.p.i"), 6.0 / 2 + 6.0 / 3, 1e-12);
  EXPECT_NEAR(run.value("two.a.p.i"), 3.0, 1e-12);
  EXPECT_NEAR(run.value("s.p.i"), -5.0, 1e-12);
}

}  // namespace
}  // namespace scree::equations
