// The errors of files: each message names the file and the reason.
#pragma once

#include <stdexcept>

namespace scree::io {

/// Results cannot be written: the folder is taken, not writable or full.
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// There will not be room for what comes next: what is there is whole.
class OutOfRoom : public WriteError {
 public:
  using WriteError::WriteError;
};

/// Results cannot be read: the folder or file is missing, of another format or damaged, or does not hold what
/// was asked for.
class ReadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace scree::io
