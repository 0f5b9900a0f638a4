// The two readers behind read_problem().
#pragma once

#include "io/problems/problem_file.h"

namespace scree::io {

StoredProblem read_text_problem(const std::filesystem::path& path);
StoredProblem read_hdf5_problem(const std::filesystem::path& path);

}  // namespace scree::io
