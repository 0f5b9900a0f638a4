// The one error of reading results.
#pragma once

#include <stdexcept>
#include <string>

namespace scree::io {

/// Results cannot be read: the folder or file is missing, of another format or damaged, or does not hold what
/// was asked for. The message names the file and the reason.
class ReadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace scree::io
