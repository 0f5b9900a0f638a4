#include "engine/core/errors.h"

namespace scree {

namespace {

std::string join(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) {
    if (!text.empty()) text += '\n';
    text += to_string(fault);
  }
  return text;
}

}  // namespace

std::string to_string(const Fault& fault) {
  std::string text;
  if (!fault.where.file.empty()) {
    text += fault.where.file;
    if (fault.where.line > 0)
      text += ":" + std::to_string(fault.where.line) + ":" + std::to_string(fault.where.column);
    text += ": ";
  }
  if (!fault.key_path.empty()) text += fault.key_path + ": ";
  text += fault.problem;
  std::string detail;
  if (!fault.value.empty()) detail = "value " + fault.value;
  if (!fault.value.empty() && !fault.unit.empty()) detail += " " + fault.unit;
  if (!fault.allowed.empty()) {
    if (!detail.empty()) detail += ", ";
    detail += "allowed " + fault.allowed;
    if (fault.value.empty() && !fault.unit.empty()) detail += " " + fault.unit;
  }
  if (!detail.empty()) text += " (" + detail + ")";
  if (!fault.suggestion.empty()) text += "; " + fault.suggestion;
  return text;
}

InputError::InputError(std::vector<Fault> faults)
    : std::runtime_error(join(faults)), faults_(std::move(faults)) {}

}  // namespace scree
