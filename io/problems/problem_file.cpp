#include "io/problems/problem_file.h"

#include <fstream>

#include "engine/core/errors.h"
#include "io/problems/problem_parts.h"

namespace scree::io {

StoredProblem read_problem(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw InputError({{{path.string(), 0, 0}, "file", "does not exist or is no file", "", "", "", ""}});
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError({{{path.string(), 0, 0}, "file", "cannot be read", "", "", "", ""}});
  char head[4] = {};
  file.read(head, sizeof head);
  file.close();
  const bool hdf5 = std::string_view(head, sizeof head) == "\x89HDF";
  return hdf5 ? read_hdf5_problem(path) : read_text_problem(path);
}

}  // namespace scree::io
