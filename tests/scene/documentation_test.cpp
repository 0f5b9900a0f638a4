// The committed pages equal the output of the table of keys, and the table agrees with the engine.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>

#include "io/results/body_fields.h"
#include "io/scene/keys.h"
#include "io/scene/read_scene.h"
#include "io/scene/reference_pages.h"

namespace scree::io {
namespace {

std::string committed(const std::string& name) {
  std::ifstream stream(std::filesystem::path(SCREE_SOURCE_DIR) / "docs" / name);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(SceneDocumentation, ReferenceIsUpToDate) {
  for (const auto& [file, text] : scene_reference())
    EXPECT_EQ(committed(file), text) << "run: scree scene-reference docs";
}

TEST(SceneDocumentation, EachSectionHasAPage) {
  for (const SectionInfo& section : sections()) {
    const std::string_view name = section.name.empty() ? "top" : section.name;
    EXPECT_TRUE(std::ranges::any_of(reference_pages(), [&](const ReferencePage& page) {
      return has_word(page.sections, name);
    })) << name;
  }
}

TEST(SceneDocumentation, ExamplesAreScenesWithoutWarnings) {
  for (const ReferencePage& page : reference_pages()) {
    const Scene scene = read_scene_text(std::string(page.example), "example.toml");
    for (const Fault& warning : scene.warnings) ADD_FAILURE() << page.file << ": " << to_string(warning);
  }
}

TEST(SceneDocumentation, SchemaIsUpToDate) {
  EXPECT_EQ(committed("scene.schema.json"), scene_schema())
      << "run: scree scene-schema > docs/scene.schema.json";
}

TEST(SceneKeys, AreUniqueAndBelongToSections) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  std::set<std::string_view> known;
  for (const SectionInfo& section : sections()) known.insert(section.name);
  for (const Key& key : keys()) {
    EXPECT_TRUE(seen.emplace(key.section, key.name).second) << key.section << '.' << key.name;
    EXPECT_TRUE(known.contains(key.section)) << key.section;
    EXPECT_FALSE(key.description.empty()) << key.section << '.' << key.name;
    EXPECT_FALSE(key.required && !key.fallback.empty()) << key.section << '.' << key.name;
    const bool is_section = key.type == ValueType::table || key.type == ValueType::tables;
    EXPECT_TRUE(!is_section || known.contains(key.name)) << key.name;
  }
}

TEST(SceneKeys, OutputFieldsAreThoseThatAreWritten) {
  std::set<std::string> written;
  for (const BodyField& field : body_fields()) written.emplace(field.name);
  const std::vector<std::string> words = split_words(find_key("output", "fields")->words);
  EXPECT_EQ(std::set<std::string>(words.begin(), words.end()), written);
}

}  // namespace
}  // namespace scree::io
