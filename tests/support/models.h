// Declarative models in tests.
#pragma once

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "engine/modules/equations/simulation.h"

namespace scree::equations {

inline FlatModel flatten_text(const std::string& text) {
  const SourceText source{"m.mo", text};
  return flatten(parse(source), source);
}

/// A model of scenes/models.
inline SourceText shipped(const std::string& name) {
  const std::string path = std::string(SCREE_SOURCE_DIR) + "/scenes/models/" + name;
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file) << path;
  return {name, text.str()};
}

}  // namespace scree::equations
