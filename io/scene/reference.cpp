#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "io/scene/keys.h"
#include "io/scene/reference_pages.h"

namespace scree::io {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* introduction = R"md(# Scene files

A scene is one [TOML](https://toml.io) file. All numbers are in SI units. A key that is not listed here is an error, and
so is a value outside its range. `scree check scene.toml` reports all errors at once, each with its line.

`docs/scene.schema.json` is a JSON Schema of scenes. Editors use it to complete and check keys; editors with Taplo do so if
the first line of a scene is `#:schema path/to/scene.schema.json`. The program generates these pages and the schema from the
keys that it reads (`scree scene-reference docs`).

```toml
gravity = [0, 0, -9.81]
time_step = 0.002
end_time = 2.0

[parameters]
radius = 0.05

[[materials]]
name = "glass"
density = 2500
friction = 0.4

[[bodies]]
radius = "= radius"
position = [0, 0, "= 10 * radius"]

[[boundaries]]
type = "plane"
name = "floor"
```

## Parameters and expressions

A text that begins with `=` is an expression. It may use numbers, names of `[parameters]`, `+ - * / ^ ( )`, `pi`,
`degree` (pi / 180), and `sqrt sin cos tan abs floor ceil round min max`. Angles are in radians: `"= sin(35 * degree)"`.
Parameters may refer to each other. A parameter which is a text cannot be part of an expression; it can only be the whole
value: `material = "= wall"`.

`scree run scene.toml --set count=500 --set solver.max_sweeps=50 --set "bodies[0].radius=0.1"` changes values for one run.
A single name is a parameter; if no parameter has this name, it is a key of the top level. A name with dots or brackets is the
path of a key; the first `[[bodies]]` heading is `bodies[0]`. After `=` comes a TOML value. A word without quotes is a text.

)md";

constexpr const char* checked_text = R"md(## What is checked before a run

These are errors:

- A quaternion whose norm differs from 1 by more than 0.001. Scree normalises other quaternions.
- A body whose centre is behind a plane, outside a hollow sphere, or in the wall of a tube or of a surface of revolution.
- A body in a bore that is narrower than the body.
- A body that overlaps a boundary or another body deeper than `checks.max_initial_overlap`. Scree names the deepest pair,
  with the lines where its two bodies were defined.
- A generated group that does not fit into its region. The message contains the number of bodies that fit.

These are warnings:

- A body that moves by more than half of its smallest semi-axis in the first step.
- An unknown column of a table, and a parameter that is not used.
- Values that are unusual in granular scenes: densities below 10 or above 23000 kg/m^3, friction above 2, bodies smaller
  than a micrometre or larger than 10 m.
- A time step that is too long: freely falling bodies move by the smallest semi-axis in fewer than three steps.

`scree check --exact scene.toml` also classifies each pair of bodies that nearly touch, by the characteristic polynomial of
the two ellipsoids and without iteration. A pair is `separate`, `touching`, `overlapping`, or `inside` if one body contains
the other. The command prints the number of pairs in each class, and the ids and positions of the deepest pair. It also prints the number
of pairs for which the contact search of a step gives another result.

To check a scene whose overlaps are too deep for a run, add `--set checks.max_initial_overlap=100`.
)md";

constexpr const char* tables_text = R"md(## Tables of bodies

`table = "bodies.csv"`: the first line names the columns, in any order, in upper or lower case. Lines that begin with `#`
and empty lines are skipped. The separator is a comma, or else a semicolon or a tab; with these two the decimal point may
be a comma. A byte-order mark is allowed. `x, y, z` are required. The other groups are optional, but must be complete.

| columns (CSV) | dataset (HDF5) | unit | if absent |
|---|---|---|---|
| `x, y, z` | `position` [n, 3] | m | error |
| `qw, qx, qy, qz` | `orientation` [n, 4], w x y z | | aligned with the world's axes |
| `a, b, c` | `semi_axes` [n, 3] | m | `semi_axes` or `radius` of the heading |
| `radius` | `radius` [n] | m | the same: spheres |
| `vx, vy, vz` | `velocity` [n, 3] | m/s | `velocity` of the heading |
| `wx, wy, wz` | `angular_velocity` [n, 3] | rad/s | `angular_velocity` of the heading |
| `material` | `material` [n] | | `material` of the heading; a value is a name, or the number of a material of the scene, from 0 |

Scree also reads columns with the names of other programs: `r` (radius), `d` and `diameter`, `q0` to `q3` and `quatw` to
`quatk` (w first), `omegax`, `omegay`, `omegaz`.

`table = "bodies.h5"`: one dataset for each group, of any number type; the first index is the body. Other columns and
datasets are ignored. Scree warns about unknown columns of a CSV file, except `id` and `time_s` of exported tables.
`table = "results/pile/trajectory.h5"` takes the bodies of the last frame of a run, with sizes, velocities and materials.
Materials are matched by name.

Other files are recognized by their content:

| format | what is read |
|---|---|
| XYZ, extended XYZ (OVITO, ASE) | `species x y z` and perhaps the radius; or the columns of `Properties=`: `pos`, `radius`, `orientation` (x y z w), `aspherical_shape`, `velo`, `angular_velocity`, `species` |
| dump of LAMMPS or LIGGGHTS | `x y z`, `vx vy vz`, `omegax omegay omegaz`, `radius` or `diameter`, `quatw quati quatj quatk`, `shapex shapey shapez` (diameters; semi-axes in files with `blockiness1`), `type` |
| data file of LAMMPS | sections `Atoms` (styles `sphere` and `ellipsoid`), `Velocities`, `Ellipsoids` |

The last frame of a file with several frames is taken. Types of LAMMPS count from 1: type 1 is the first material of the
scene. A `material` in the heading replaces types and species. Numbers are taken as SI units; `table_scale = 0.001` converts
millimetres.

)md";

std::string joined(const std::vector<std::string>& words, const std::string& before,
                   const std::string& between) {
  std::string text;
  for (const std::string& word : words)
    text += fmt::format("{0}{1}{2}{1}", text.empty() ? "" : between, before, word);
  return text;
}

std::string type_name(const Key& key) {
  switch (key.type) {
    case ValueType::text:
      return "text";
    case ValueType::word:
      return joined(split_words(key.words), "`", ", ");
    case ValueType::words:
      return key.words.empty() ? "list of texts" : "list of " + joined(split_words(key.words), "`", ", ");
    case ValueType::boolean:
      return "true or false";
    case ValueType::number:
      return key.words.empty() ? "number" : "number, or " + joined(split_words(key.words), "`", ", ");
    case ValueType::integer:
      return "whole number";
    case ValueType::vector:
      return "three numbers";
    case ValueType::orientation:
      return "quaternion, `{...}`, or " + joined(split_words(key.words), "`", ", ");
    case ValueType::names:
      return "two names";
    case ValueType::numbers:
      return "list of numbers";
    case ValueType::profile:
      return "list of two numbers";
    case ValueType::functions:
      return "three expressions";
    case ValueType::table:
    case ValueType::tables:
      return fmt::format("`{}`", section_info(key.name).heading);
  }
  return "";
}

/// '|' would end a cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t i = text.find('|'); i != std::string::npos; i = text.find('|', i + 2))
    text.insert(i, 1, '\\');
  return text;
}

bool has_forms(std::string_view section) {
  return std::any_of(keys().begin(), keys().end(),
                     [&](const Key& key) { return key.section == section && !key.forms.empty(); });
}

std::string section_table(const SectionInfo& section) {
  const bool forms = has_forms(section.name);
  std::string text =
      fmt::format("| key | meaning | type | unit | allowed | default |{}\n|---|---|---|---|---|---|{}\n",
                  forms ? " forms |" : "", forms ? "---|" : "");
  for (const Key& key : keys()) {
    if (key.section != section.name) continue;
    const std::string value = default_of(key);
    const std::string fallback = key.required    ? "**required**"
                                 : value.empty() ? ""
                                                 : fmt::format("`{}`", value);
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |", key.name, cell(std::string(key.description)),
                        cell(type_name(key)), key.unit, to_string(key.range), fallback);
    if (forms)
      text += fmt::format(" {} |", key.forms.empty() ? "all" : joined(split_words(key.forms), "", ", "));
    text += '\n';
  }
  return text;
}

/// A number, or the text of an expression.
Json number_schema(const Key& key) {
  Json number{{"type", key.type == ValueType::integer ? "integer" : "number"}};
  if (std::isfinite(key.range.low))
    number[key.range.low_open ? "exclusiveMinimum" : "minimum"] = key.range.low;
  if (std::isfinite(key.range.high)) number["maximum"] = key.range.high;
  Json forms = Json::array({number, {{"type", "string"}, {"pattern", "^="}}});
  if (!key.words.empty()) forms.push_back({{"enum", split_words(key.words)}});
  return {{"anyOf", forms}};
}

Json list_schema(const Json& items, int length) {
  return {{"type", "array"}, {"items", items}, {"minItems", length}, {"maxItems", length}};
}

Json section_schema(const SectionInfo& section);

Json value_schema(const Key& key) {
  switch (key.type) {
    case ValueType::text:
      return {{"type", "string"}};
    case ValueType::word:
      return {{"anyOf",
               Json::array({{{"enum", split_words(key.words)}}, {{"type", "string"}, {"pattern", "^="}}})}};
    case ValueType::words:
      if (key.words.empty()) return {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}};
      return {{"type", "array"}, {"items", {{"enum", split_words(key.words)}}}};
    case ValueType::boolean:
      return {{"type", "boolean"}};
    case ValueType::number:
    case ValueType::integer:
      return number_schema(key);
    case ValueType::vector:
      return list_schema(number_schema(key), 3);
    case ValueType::orientation:
      return {{"anyOf", Json::array({{{"enum", split_words(key.words)}},
                                     list_schema(number_schema(key), 4),
                                     section_schema(section_info("orientation"))})}};
    case ValueType::names:
      return list_schema({{"type", "string"}}, 2);
    case ValueType::numbers:
      return {{"type", "array"}, {"items", number_schema(key)}, {"minItems", 1}};
    case ValueType::profile: {
      Key height = key;
      height.range = {};
      Json corner = list_schema(number_schema(height), 2);
      corner["items"] = Json::array({number_schema(key), number_schema(height)});
      return {{"type", "array"}, {"items", corner}, {"minItems", 1}};
    }
    case ValueType::functions:
      return list_schema({{"type", Json::array({"string", "number"})}}, 3);
    case ValueType::table:
      return section_schema(section_info(key.name));
    case ValueType::tables:
      return {{"type", "array"}, {"items", section_schema(section_info(key.name))}};
  }
  return {};
}

std::string hint(const Key& key) {
  std::string text(key.description);
  const std::string range = to_string(key.range);
  if (!key.unit.empty() || !range.empty()) {
    text += fmt::format(" [{}{}{}]", key.unit, !key.unit.empty() && !range.empty() ? ", " : "", range);
  }
  if (!key.forms.empty()) text += fmt::format(" Only for {}.", joined(split_words(key.forms), "", ", "));
  return text;
}

Json section_schema(const SectionInfo& section) {
  Json schema{{"type", "object"}, {"description", section.description}};
  if (section.free_keys) {
    schema["additionalProperties"] = {{"type", {"number", "string", "boolean"}}};
    return schema;
  }
  Json properties = Json::object(), required = Json::array();
  for (const Key& key : keys()) {
    if (key.section != section.name) continue;
    Json value = value_schema(key);
    value["description"] = hint(key);
    properties[std::string(key.name)] = value;
    if (key.required && key.forms.empty()) required.push_back(key.name);
  }
  schema["properties"] = properties;
  if (!required.empty()) schema["required"] = required;
  schema["additionalProperties"] = false;
  return schema;
}

}  // namespace

namespace {

std::string title_of(const SectionInfo& section) {
  return section.name.empty() ? "Top level" : fmt::format("`{}`", section.heading);
}

/// Text in lines of at most 120 characters, broken at blanks.
std::string wrapped(std::string_view text) {
  constexpr std::size_t width = 120;
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(' '), text.size());
    const bool fits = column == 0 || column + 1 + length <= width;
    if (column > 0) lines += fits ? ' ' : '\n';
    column = fits && column > 0 ? column + 1 + length : length;
    lines += text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return lines;
}

/// Two blanks before each line.
std::string indented(std::string_view text) {
  std::string lines = "  " + wrapped(text);
  for (std::size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1))
    lines.insert(at + 1, "  ");
  return lines;
}

/// Without the marks of code.
std::string plain(std::string text) {
  std::erase(text, '`');
  return text;
}

/// Sections of a page, in their order.
std::vector<const SectionInfo*> sections_of(const ReferencePage& page) {
  std::vector<const SectionInfo*> list;
  for (const std::string& name : split_words(page.sections))
    list.push_back(&section_info(name == "top" ? "" : name));
  return list;
}

/// The first page that describes a section.
const ReferencePage& page_of(std::string_view section) {
  const std::string_view name = section.empty() ? "top" : section;
  return *std::ranges::find_if(reference_pages(),
                               [&](const ReferencePage& page) { return has_word(page.sections, name); });
}

std::string page_text(const ReferencePage& page) {
  std::string text =
      fmt::format("# {}\n\n{}\n\n[All pages and the rules of scene files](../scene_reference.md)\n\n",
                  page.title, wrapped(page.about));
  text += fmt::format("```toml\n{}```\n", page.example);
  for (const SectionInfo* section : sections_of(page)) {
    text += fmt::format("\n## {}\n\n{}\n", title_of(*section), wrapped(section->description));
    if (const ReferencePage& first = page_of(section->name); first.file != page.file)
      text += fmt::format("\nThe keys are on the page [{}]({}.md).\n", first.title, first.file);
    else if (!section->free_keys)
      text += '\n' + section_table(*section);
  }
  if (page.file == "bodies") text += '\n' + std::string(tables_text);
  return text;
}

std::string front_page() {
  std::string text = std::string(introduction) + "## Pages\n\n| page | headings | |\n|---|---|---|\n";
  for (const ReferencePage& page : reference_pages()) {
    std::string headings;
    for (const SectionInfo* section : sections_of(page))
      if (page_of(section->name).file == page.file)
        headings += (headings.empty() ? "" : ", ") + title_of(*section);
    text += fmt::format("| [{}](scene/{}.md) | {} | {} |\n", page.title, page.file, headings, page.about);
  }
  return text + "\nThe page [All keys from A to Z](scene/keys.md) tells where a key belongs.\n\n" +
         checked_text;
}

std::string index_of_keys() {
  std::map<std::string_view, std::string> places;
  for (const Key& key : keys()) {
    std::string& text = places[key.name];
    text += fmt::format("{}[{}]({}.md)", text.empty() ? "" : ", ", title_of(section_info(key.section)),
                        page_of(key.section).file);
  }
  std::string text =
      "# All keys from A to Z\n\nEach key with the headings that have it. [Scene "
      "files](../scene_reference.md)\n\n"
      "| key | heading |\n|---|---|\n";
  for (const auto& [key, where] : places) text += fmt::format("| `{}` | {} |\n", key, where);
  return text;
}

}  // namespace

std::map<std::string, std::string> scene_reference() {
  std::map<std::string, std::string> pages{{"scene_reference.md", front_page()},
                                           {"scene/keys.md", index_of_keys()}};
  for (const ReferencePage& page : reference_pages())
    pages[fmt::format("scene/{}.md", page.file)] = page_text(page);
  return pages;
}

std::string explanation(std::string_view name) {
  constexpr std::size_t longest_heading = 40;
  std::string text;
  for (const SectionInfo& section : sections()) {
    if (section.name.empty() || (section.name != name && section.heading != name)) continue;
    text += fmt::format("{}\n{}\n\n", section.heading, indented(section.description));
    for (const Key& key : keys())
      if (key.section == section.name)
        text += fmt::format("  {:<26} {}\n", key.name,
                            fmt::format("{}{}", plain(type_name(key)),
                                        key.unit.empty() ? "" : fmt::format(", {}", key.unit)));
    text += '\n';
  }
  for (const Key& key : keys()) {
    const std::string full =
        key.section.empty() ? std::string(key.name) : fmt::format("{}.{}", key.section, key.name);
    if (key.name != name && full != name) continue;
    const std::string fallback = default_of(key), range = to_string(key.range);
    const SectionInfo& section = section_info(key.section);
    text += fmt::format("{:<{}} {}\n", key.name, section.name.empty() ? 0 : longest_heading - 14,
                        section.name.empty() ? "at the top level" : fmt::format("of {}", section.heading));
    text += indented(key.description);
    text += fmt::format(
        "\n  {}{}{}{}{}\n\n", plain(type_name(key)), key.unit.empty() ? "" : fmt::format(", {}", key.unit),
        range.empty() ? "" : fmt::format(", {}", range),
        key.required       ? "; required"
        : fallback.empty() ? ""
                           : fmt::format("; default: {}", fallback),
        key.forms.empty() ? "" : fmt::format("; for {}", joined(split_words(key.forms), "", ", ")));
  }
  return text;
}

std::string scene_schema() {
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "Scree scene"}};
  schema.update(section_schema(section_info("")));
  return schema.dump(1) + '\n';
}

}  // namespace scree::io
