// Helpers to say what is wrong with a scene.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/core/errors.h"

namespace scree::io {

struct Node;

/// Of one scene: nobody reads more of them. What comes after is faulty without words.
inline constexpr std::size_t most_faults = 1000;

/// The candidate that `word` was most likely meant to be; empty if none is near. Near: a third of the letters
/// or fewer must be changed, left out, added or swapped with their neighbour.
std::string nearest_word(const std::string& word, std::span<const std::string> candidates);

/// "did you mean 'friction'?", or nothing.
std::string did_you_mean(const std::string& word, std::span<const std::string> candidates);

/// Messages are for people: the beginning of a long text.
std::string shortened(std::string text);

/// A fault that shows the value of `node`, where it stands and what it was computed from.
Fault fault_at(const Node& node, std::string key_path, std::string problem);

/// In the order of the files' lines, so that people mend a scene from top to bottom.
void sort_by_place(std::vector<Fault>& faults);

}  // namespace scree::io
