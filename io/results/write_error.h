// The one error of writing results.
#pragma once

#include <stdexcept>
#include <string>

namespace scree::io {

/// Results cannot be written: the folder is taken, not writable or full. The message names the file and the
/// reason.
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace scree::io
