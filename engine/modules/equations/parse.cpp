// The grammar: a subset of Modelica (docs/models.md), in Boost.Spirit X3.
#include <algorithm>
#include <boost/spirit/home/x3.hpp>
#include <cctype>

#include "engine/modules/equations/syntax.h"

// In messages a parser with an action has the name of the parser alone.
namespace boost::spirit::x3 {
template <typename Subject, typename Action>
struct get_info<action<Subject, Action>> {
  using result_type = std::string;
  std::string operator()(const action<Subject, Action>& parser) const { return what(parser.subject); }
};
}  // namespace boost::spirit::x3

namespace scree::equations {

namespace {

namespace x3 = boost::spirit::x3;
using Iterator = std::string::const_iterator;
using Kind = Tree::Kind;

/// The beginning of the text, and the nesting depth of if-equations.
struct Place {
  Iterator begin;  // origin of offsets
  int choices = 0;
};
struct PlaceTag;

const auto id_character = x3::char_("a-zA-Z0-9_");

struct Reserved : x3::symbols<x3::unused_type> {
  Reserved() {
    for (const char* word :
         {"model",   "connector", "end",      "equation", "initial", "parameter", "constant",
          "flow",    "input",     "output",   "if",       "then",    "else",      "elseif",
          "when",    "and",       "or",       "not",      "true",    "false",     "annotation",
          "connect", "each",      "final",    "discrete", "extends", "algorithm", "for",
          "loop",    "import",    "function", "package",  "block",   "class",     "record"})
      add(word);
  }
};
const Reserved reserved;

x3::rule<struct KeywordRule> keyword_rule(const char* shown) { return {shown}; }
auto keyword(const char* word, const char* shown) {
  return keyword_rule(shown) = x3::lexeme[x3::lit(word) >> !id_character];
}

// Not x3::space, which takes ASCII alone: texts may contain any characters.
const auto blank =
    x3::char_(" \t\r\n\f\v") | ("//" >> *(x3::char_ - x3::eol)) | ("/*" >> *(x3::char_ - "*/") >> "*/");

// Actions. Offsets are taken after blanks.
template <Kind kind>
const auto begins = x3::eps[([](auto& context) {
  Tree& tree = x3::_val(context);
  tree.kind = kind;
  tree.at = static_cast<std::size_t>(x3::_where(context).begin() - x3::get<PlaceTag>(context).get().begin);
})];
const auto takes_text = [](auto& context) {
  const auto& given = x3::_attr(context);
  x3::_val(context).text = std::string(given.begin(), given.end());
};
const auto takes_value = [](auto& context) { x3::_val(context).value = x3::_attr(context); };
const auto takes_part = [](auto& context) { x3::_val(context).parts.push_back(x3::_attr(context)); };
const auto becomes = [](auto& context) { x3::_val(context) = x3::_attr(context); };
const auto is_true = [](auto& context) { x3::_val(context).value = 1.0; };

const x3::rule<struct Identifier, std::string> identifier{"a name"};
const auto becomes_text = [](auto& context) {
  const auto& given = x3::_attr(context);
  x3::_val(context) = std::string(given.begin(), given.end());
};
const auto identifier_def =
    x3::raw[x3::lexeme[!(reserved >> !id_character) >> x3::char_("a-zA-Z_") >> *id_character]][becomes_text];
const x3::rule<struct DottedName, std::string> dotted{"a name"};
const auto one_name = !(reserved >> !id_character) >> x3::char_("a-zA-Z_") >> *id_character;
const auto dotted_def = x3::raw[x3::lexeme[one_name >> *('.' >> one_name)]][becomes_text];
const x3::rule<struct QuotedText, std::string> quoted{"a text in quotes"};
const auto quoted_def =
    x3::lexeme['"' >> x3::raw[*(("\\" >> x3::char_) | (x3::char_ - '"'))][becomes_text] >> '"'];

const x3::rule<struct Expression, Tree> expression{"an expression"};
const x3::rule<struct Conditional, Tree> conditional{"an expression"};
const x3::rule<struct ElsePart, Tree> else_part{"'else' or 'elseif'"};
const x3::rule<struct Or, Tree> disjunction{"an expression"};
const x3::rule<struct And, Tree> conjunction{"an expression"};
const x3::rule<struct Not, Tree> negation{"an expression"};
const x3::rule<struct Relation, Tree> relation{"an expression"};
const x3::rule<struct Sum, Tree> sum{"an expression"};
const x3::rule<struct Signed, Tree> signed_term{"an expression"};
const x3::rule<struct Term, Tree> term{"an expression"};
const x3::rule<struct Factor, Tree> factor{"an expression"};
const x3::rule<struct Primary, Tree> primary{"a number, a name or '('"};
const x3::rule<struct Number, Tree> number_leaf{"a number"};
const x3::rule<struct Truth, Tree> truth{"true or false"};
const x3::rule<struct TextLeaf, Tree> text_leaf{"a text in quotes"};
const x3::rule<struct NameOrCall, Tree> name_or_call{"a name"};

/// An operator and its right operand, joined to the tree so far.
const auto joins = [](auto& context) {
  Tree& left = x3::_val(context);
  Tree& right = x3::_attr(context);
  right.parts.insert(right.parts.begin(), std::move(left));
  right.at = right.parts[0].at;
  left = std::move(right);
};
const x3::rule<struct OrTail, Tree> or_tail{"'or'"};
const x3::rule<struct AndTail, Tree> and_tail{"'and'"};
const x3::rule<struct RelationTail, Tree> relation_tail{"a relation"};
const x3::rule<struct SumTail, Tree> sum_tail{"'+' or '-'"};
const x3::rule<struct TermTail, Tree> term_tail{"'*' or '/'"};
const x3::rule<struct PowerTail, Tree> power_tail{"'^'"};

const auto if_word = keyword("if", "'if'"), then_word = keyword("then", "'then'"),
           else_word = keyword("else", "'else'"), elseif_word = keyword("elseif", "'elseif'"),
           end_word = keyword("end", "a declaration, an equation or 'end'"),
           when_word = keyword("when", "'when'"), equation_word = keyword("equation", "'equation'"),
           initial_word = keyword("initial", "'initial'");
const auto or_word = x3::raw[x3::lexeme["or" >> !id_character]],
           and_word = x3::raw[x3::lexeme["and" >> !id_character]];
const auto not_word = keyword("not", "'not'");

const auto expression_def = conditional[becomes] | disjunction[becomes];
const auto conditional_def = begins<Kind::conditional> >> if_word > expression[takes_part] > then_word >
                             expression[takes_part] > else_part[takes_part];
const auto else_part_def = (begins<Kind::conditional> >> elseif_word > expression[takes_part] > then_word >
                            expression[takes_part] > else_part[takes_part]) |
                           (else_word > expression[becomes]);
const auto disjunction_def = conjunction[becomes] >> *or_tail[joins];
const auto or_tail_def = begins<Kind::binary> >> or_word[takes_text] > conjunction[takes_part];
const auto conjunction_def = negation[becomes] >> *and_tail[joins];
const auto and_tail_def = begins<Kind::binary> >> and_word[takes_text] > negation[takes_part];
const auto negation_def = (begins<Kind::invert> >> not_word > relation[takes_part]) | relation[becomes];
const auto relation_def = sum[becomes] >> -relation_tail[joins];
const auto relation_tail_def = begins<Kind::binary> >>
                               x3::raw[x3::lit("<=") | ">=" | "<>" | "==" | "<" | ">"][takes_text] >
                               sum[takes_part];
const auto sum_def = signed_term[becomes] >> *sum_tail[joins];
const auto signed_term_def =
    (begins<Kind::negate> >> '-' > term[takes_part]) | (-x3::lit('+') >> term[becomes]);
const auto sum_tail_def = begins<Kind::binary> >> x3::raw[x3::lit('+') | '-'][takes_text] > term[takes_part];
const auto term_def = factor[becomes] >> *term_tail[joins];
const auto term_tail_def =
    begins<Kind::binary> >> x3::raw[x3::lit('*') | '/'][takes_text] > factor[takes_part];
const auto factor_def = primary[becomes] >> -power_tail[joins];
const auto power_tail_def = begins<Kind::binary> >> x3::raw[x3::lit('^')][takes_text] > primary[takes_part];
const auto primary_def = number_leaf[becomes] | truth[becomes] | text_leaf[becomes] | name_or_call[becomes] |
                         ('(' > expression[becomes] > ')');
// Without signs, which are operators, and without "inf" and "nan", which may begin names.
struct PlainNumber : x3::ureal_policies<double> {
  template <typename It, typename Attribute>
  static bool parse_inf(It&, const It&, Attribute&) {
    return false;
  }
  template <typename It, typename Attribute>
  static bool parse_nan(It&, const It&, Attribute&) {
    return false;
  }
};
const x3::real_parser<double, PlainNumber> plain_number;
const auto number_leaf_def = begins<Kind::number> >> plain_number[takes_value];
const auto truth_def = begins<Kind::truth> >>
                       ((keyword("true", "true") >> x3::eps[is_true]) | keyword("false", "false"));
const auto text_leaf_def = begins<Kind::string> >> quoted[takes_text];
const auto is_call = [](auto& context) { x3::_val(context).kind = Kind::call; };
const auto name_or_call_def = begins<Kind::name> >> dotted[takes_text] >>
                              -(x3::lit('(')[is_call] > expression[takes_part] >
                                *(',' > expression[takes_part]) > ')');

const x3::rule<struct Modifier, Tree> modifier{"a modifier"};
const x3::rule<struct Binding, Tree> binding{"'='"};
const x3::rule<struct Annotation, Tree> annotation{"an annotation"};
const x3::rule<struct Component, Tree> component{"the name of a component"};
const x3::rule<struct Prefix, Tree> prefix{"a prefix"};
const x3::rule<struct Declaration, Tree> declaration{"a declaration"};

const auto modifiers = '(' > -(modifier[takes_part] > *(',' > modifier[takes_part])) > ')';
const auto modifier_def = begins<Kind::modifier> >>
                          -(keyword("each", "each") | keyword("final", "final")) >> dotted[takes_text] >>
                          -modifiers >> -binding[takes_part];
const auto binding_def = begins<Kind::binding> >> '=' > expression[takes_part];
const auto annotation_def = begins<Kind::annotation> >> keyword("annotation", "annotation") > modifiers;
const auto component_def = begins<Kind::component> >> identifier[takes_text] >> -modifiers >>
                           -binding[takes_part] >> -quoted >> -annotation[takes_part];
const auto prefix_word =
    x3::raw[x3::lexeme[(x3::lit("parameter") | "constant" | "flow" | "input" | "output" | "discrete") >>
                       !id_character]];
const auto prefix_def = begins<Kind::prefix> >> prefix_word[takes_text];
const auto declaration_def = begins<Kind::declaration> >> *prefix[takes_part] >> dotted[takes_text] >
                             component[takes_part] > *(',' > component[takes_part]) > ';';

const x3::rule<struct Equation, Tree> equation{"an equation"};
const x3::rule<struct Equality, Tree> equality{"an equation"};
const x3::rule<struct Choice, Tree> choice{"an if-equation"};
const x3::rule<struct FirstBranch, Tree> first_branch{"a condition"};
const x3::rule<struct NextBranch, Tree> next_branch{"'elseif'"};
const x3::rule<struct Otherwise, Tree> otherwise{"'else'"};
const x3::rule<struct Connection, Tree> connection{"connect"};
const x3::rule<struct NameLeaf, Tree> name_leaf{"a name"};
const x3::rule<struct When, Tree> when_rule{"a when-equation"};
const x3::rule<struct Reinit, Tree> reinit{"reinit"};
const x3::rule<struct Section, Tree> section{"a section"};
const x3::rule<struct Initial, Tree> initial{"a section"};
const x3::rule<struct Definition, Tree> definition{"a model"};
const x3::rule<struct File, Tree> file{"a model"};

const auto equation_def =
    (choice[becomes] | when_rule[becomes] | connection[becomes] | equality[becomes]) > -quoted > ';';
const auto equality_def = begins<Kind::equality> >> expression[takes_part] > '=' > expression[takes_part];
// Trees are traversed by recursion.
constexpr int deepest_choices = 100;
const x3::rule<struct Shallow> shallow{"at most 100 nested if-equations"};
const auto shallow_def = x3::eps[([](auto& context) {
  x3::_pass(context) = ++x3::get<PlaceTag>(context).get().choices <= deepest_choices;
})];
const auto leaves = x3::eps[([](auto& context) { --x3::get<PlaceTag>(context).get().choices; })];
const auto first_branch_def =
    begins<Kind::branch> >> if_word > shallow > expression[takes_part] > then_word > *equation[takes_part];
const auto next_branch_def =
    begins<Kind::branch> >> elseif_word > expression[takes_part] > then_word > *equation[takes_part];
const auto otherwise_def = begins<Kind::otherwise> >> else_word > *equation[takes_part];
const auto choice_def = begins<Kind::choice> >> first_branch[takes_part] > *next_branch[takes_part] >
                        -otherwise[takes_part] > end_word > if_word > leaves;
const auto name_leaf_def = begins<Kind::name> >> dotted[takes_text];
const auto connection_def = begins<Kind::connection> >> keyword("connect", "connect") >
                            '(' > name_leaf[takes_part] > ',' > name_leaf[takes_part] > ')';
const auto reinit_def = begins<Kind::reinit> >> keyword("reinit", "reinit") > '(' > name_leaf[takes_part] >
                        ',' > expression[takes_part] > ')' > ';';
const auto when_rule_def = begins<Kind::when> >> when_word > expression[takes_part] > then_word >
                           +reinit[takes_part] > end_word > when_word;
const auto initial_def = begins<Kind::initial> >> initial_word > equation_word > *equation[takes_part];
const auto section_def = begins<Kind::equations> >> equation_word > *equation[takes_part];

const x3::rule<struct ClassWord, Tree> class_word{"'model' or 'connector'"};
const auto class_word_def =
    begins<Kind::prefix> >>
    x3::raw[x3::lexeme[(x3::lit("model") | "connector") >> !id_character]][takes_text];
const auto definition_def = begins<Kind::definition> >> class_word[takes_part] > identifier[takes_text] >
                            -quoted > *(section[takes_part] | initial[takes_part] | declaration[takes_part] |
                                        (annotation > ';')) > end_word
                            > name_leaf[takes_part] > ';';
const auto file_def = begins<Kind::file> >> +definition[takes_part];

BOOST_SPIRIT_DEFINE(identifier, dotted, quoted, expression, conditional, else_part, disjunction, or_tail,
                    conjunction, and_tail, negation, relation, relation_tail, sum, signed_term, sum_tail,
                    term, term_tail, factor, power_tail, primary, number_leaf, truth, text_leaf, name_or_call)
BOOST_SPIRIT_DEFINE(modifier, binding, annotation, component, prefix, declaration, equation, equality, choice,
                    shallow, first_branch, next_branch, otherwise, connection, name_leaf, when_rule, reinit,
                    section, initial, class_word, definition, file)

// Limits of the stack use by a text, since trees are traversed by recursion.
constexpr std::size_t largest_text = 1 << 20;
constexpr int deepest_brackets = 100, most_signs = 1000;  // in one statement

/// The text with blanks instead of comments and quoted texts.
std::string without_texts(const std::string& text) {
  std::string bare = text;
  for (std::size_t k = 0; k < text.size();) {
    std::size_t end = k + 1;
    if (text.compare(k, 2, "//") == 0) {
      end = text.find_first_of("\r\n", k);
    } else if (text.compare(k, 2, "/*") == 0) {
      end = text.find("*/", k + 2);
      if (end != std::string::npos) end += 2;
    } else if (text[k] == '"') {
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      ++end;
    } else {
      k = end;
      continue;
    }
    end = std::min(end, text.size());
    std::fill(bare.begin() + static_cast<std::ptrdiff_t>(k), bare.begin() + static_cast<std::ptrdiff_t>(end),
              ' ');
    k = end;
  }
  return bare;
}

/// Throws if a statement is nested or chained beyond reasonable limits.
void expect_bounded(const SourceText& source) {
  const auto refuse = [&](std::size_t at, const char* problem) {
    throw InputError({{source.location(at), {}, problem, {}, {}, {}, {}}});
  };
  if (source.text.size() > largest_text) refuse(0, "the file has more than 1 MB");
  const std::string text = without_texts(source.text);
  int depth = 0, signs = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == ';') depth = signs = 0;
    if (c == '(' && ++depth > deepest_brackets) refuse(k, "more than 100 nested brackets");
    if (c == ')') --depth;
    const bool word = std::isspace(static_cast<unsigned char>(c)) && k > 0 &&
                      !std::isspace(static_cast<unsigned char>(text[k - 1]));
    if ((std::ispunct(static_cast<unsigned char>(c)) && c != '.' && c != '_') || word) ++signs;
    if (signs > most_signs) refuse(k, "a statement with more than 1000 words and symbols");
  }
}

/// The text at a position, for messages: a word, a number, or a sign.
std::string found_at(const std::string& text, std::size_t at) {
  if (at >= text.size()) return "the end of the file";
  const auto in_word = [&](std::size_t k) {
    return k < text.size() && (std::isalnum(static_cast<unsigned char>(text[k])) || text[k] == '_');
  };
  std::size_t end = at + 1;
  if (in_word(at))
    while (in_word(end)) ++end;
  return "'" + text.substr(at, end - at) + "'";
}

Fault fault_at(const SourceText& source, Iterator where, std::string expected) {
  x3::phrase_parse(where, source.text.end(), x3::eps, blank);  // skips blanks
  const auto at = static_cast<std::size_t>(where - source.text.begin());
  if (expected.size() >= 2 && expected.front() == '"')
    expected = "'" + expected.substr(1, expected.size() - 2) + "'";
  return {.where = source.location(at),
          .key_path = {},
          .problem = "expected " + expected + ", found " + found_at(source.text, at),
          .value = {},
          .unit = {},
          .allowed = {},
          .suggestion = {}};
}

}  // namespace

SourceLocation SourceText::location(std::size_t offset) const {
  offset = std::min(offset, text.size());
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(offset);
  const auto line = std::count(text.begin(), end, '\n');
  const std::size_t before = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  const std::size_t column = before == std::string::npos ? offset : offset - before - 1;
  return {file, static_cast<int>(line) + 1, static_cast<int>(column) + 1};
}

Tree parse(const SourceText& source) {
  expect_bounded(source);
  Tree tree;
  const Iterator begin = source.text.begin();
  Iterator now = begin;
  Place place{begin};
  const auto grammar = x3::with<PlaceTag>(std::ref(place))[file > x3::eoi];
  try {
    if (!x3::phrase_parse(now, source.text.end(), grammar, blank, tree))
      throw InputError({fault_at(source, now, "'model' or 'connector'")});
  } catch (const x3::expectation_failure<Iterator>& error) {
    const std::string expected = error.which();
    throw InputError(
        {fault_at(source, error.where(), expected == "eoi" ? "'model', 'connector' or the end" : expected)});
  }
  for (const Tree& one : tree.parts) {
    const Tree& closing = one.parts.back();
    if (closing.text != one.text)
      throw InputError(
          {fault_at(source, begin + static_cast<std::ptrdiff_t>(closing.at), "'" + one.text + "'")});
  }
  return tree;
}

}  // namespace scree::equations
