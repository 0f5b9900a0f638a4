#include "io/problems/problem_file.h"

#include <algorithm>
#include <fstream>

#include "engine/core/errors.h"
#include "io/problems/problem_parts.h"

namespace scree::io {

namespace {

/// The first bytes of a file; fewer if it is shorter.
std::string head_of(const std::filesystem::path& path) {
  constexpr std::size_t enough = 256;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError({{{path.string(), 0, 0}, "file", "cannot be read", "", "", "", ""}});
  std::string head(enough, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(file.gcount());
  return head;
}

bool is_hdf5(const std::string& head) { return head.starts_with("\x89HDF"); }

/// Text problems begin with their dimension, 3.
bool begins_like_text_problem(const std::string& head) {
  const std::size_t word = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  return head.substr(word, head.find_first_of(" \t\r\n", word) - word) == "3";
}

}  // namespace

StoredProblem read_problem(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw InputError({{{path.string(), 0, 0}, "file", "does not exist or is not a file", "", "", "", ""}});
  const std::string head = head_of(path);
  if (head.starts_with("version https://git-lfs"))
    throw InputError({{{path.string(), 0, 0},
                       "file",
                       "is a Git LFS pointer, not the problem itself",
                       "",
                       "",
                       "",
                       "run 'git lfs pull'"}});
  return is_hdf5(head) ? read_hdf5_problem(path) : read_text_problem(path);
}

std::vector<std::filesystem::path> problems_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string head = head_of(entry.path());
    if (is_hdf5(head) || begins_like_text_problem(head)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

long set_blocks(DelassusProblem& p, std::vector<DelassusBlock> blocks, long contacts) {
  std::sort(blocks.begin(), blocks.end(), [](const DelassusBlock& a, const DelassusBlock& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  p.row.assign(1, 0);
  auto at = blocks.begin();
  for (long c = 0; c < contacts; ++c) {
    const auto first = p.diagonal.size();
    for (; at != blocks.end() && at->row == c; ++at) {
      if (at->column == c) p.diagonal.push_back(static_cast<std::int32_t>(p.column.size()));
      p.column.push_back(static_cast<std::int32_t>(at->column));
      p.block.push_back(at->value);
    }
    if (p.diagonal.size() != first + 1 || !(p.block[p.diagonal.back()](0, 0) > 0.0)) return c;
    p.row.push_back(static_cast<std::int32_t>(p.column.size()));
  }
  return contacts;
}

}  // namespace scree::io
