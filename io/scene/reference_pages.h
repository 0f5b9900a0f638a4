// The pages of the scene reference: which headings a page describes, and the example at its top.
#pragma once

#include <span>
#include <string_view>

namespace scree::io {

struct ReferencePage {
  std::string_view file;  // without its ending, in docs/scene/
  std::string_view title;
  std::string_view about;     // one or two sentences
  std::string_view sections;  // names of sections at '|'; the top level is "top"
  std::string_view example;   // TOML, a whole scene unless empty
};

std::span<const ReferencePage> reference_pages();

}  // namespace scree::io
