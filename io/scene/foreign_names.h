// Names that people bring from other programs (LIGGGHTS, LAMMPS, EDEM, Rocky, Yade, MercuryDPM, MuJoCo, Chrono), and
// what to write in a scene instead. All functions return an empty text where they know nothing.
#pragma once

#include <string>
#include <string_view>

#include "io/scene/keys.h"

namespace scree::io {

/// Advice on a key that the section does not have. Capitals, `_` and `-` do not matter: youngsModulus.
std::string_view foreign_key_advice(std::string_view section, std::string_view name);

/// Advice on a word that the key does not have.
std::string_view foreign_word_advice(const Key& key, std::string_view word);

/// Advice on a key whose value has the wrong type: gravity = 9.81.
std::string_view wrong_type_advice(const Key& key);

/// Advice on a text that is no TOML at all, such as an input script, JSON or XML; `line` (from 1) is the first that
/// cannot be read.
std::string foreign_text_advice(std::string_view text, int line);

}  // namespace scree::io
