// Errors of files: each message names the file and the reason.
#pragma once

#include <stdexcept>

namespace scree::io {

/// Results cannot be written: the folder is taken, not writable or full.
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// There is not enough space for further results; the existing files are complete.
class OutOfRoom : public WriteError {
 public:
  using WriteError::WriteError;
};

/// Results cannot be read: the folder or file is missing, damaged, has another format, or does not contain
/// the requested data.
class ReadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace scree::io
