// Helpers for faults of a scene.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/core/errors.h"

namespace scree::io {

struct Node;

/// Limit for one scene. Further faults are only counted as faulty.
inline constexpr std::size_t most_faults = 1000;

/// The candidate that `word` was most likely meant to be; empty if none is near. Near: at most a third of the
/// letters must be changed, removed, inserted or swapped with their neighbour.
std::string nearest_word(const std::string& word, std::span<const std::string> candidates);

/// "did you mean 'friction'?", or nothing.
std::string did_you_mean(const std::string& word, std::span<const std::string> candidates);

/// The beginning of a long text, for messages.
std::string shortened(std::string text);

/// A fault with the value of `node`, its position and its expression.
Fault fault_at(const Node& node, std::string key_path, std::string problem);

/// Sorts by lines of the files, so that users can correct a scene from top to bottom.
void sort_by_place(std::vector<Fault>& faults);

}  // namespace scree::io
