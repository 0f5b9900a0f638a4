// The one error type for bad input. It collects all faults before it is thrown, so that users see them all at
// once.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace scree {

/// Position in a text file; line and column count from 1, 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One fault of the input, in separate fields, so that no message lacks one by accident.
struct Fault {
  SourceLocation where;
  std::string key_path;    // e.g. "bodies[2].semi_axes[0]"
  std::string problem;     // a sentence without its full stop: "must be positive"
  std::string value;       // as written; empty if there is none
  std::string unit;        // e.g. "m"; empty if dimensionless
  std::string allowed;     // e.g. "> 0"; empty if it is obvious
  std::string suggestion;  // e.g. "did you mean 'friction'?"; empty if there is none
};

/// "file:line:column: key: problem (value 3 m, allowed > 0); suggestion"
std::string to_string(const Fault& fault);

/// Thrown for bad input only; a broken invariant of the engine is an assertion.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Fault> faults);
  const std::vector<Fault>& faults() const { return faults_; }

 private:
  std::vector<Fault> faults_;
};

}  // namespace scree
