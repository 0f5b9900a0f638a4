// Programs as machine code: their C++ is compiled when the run starts, and then loaded.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/modules/equations/program.h"

namespace scree::equations {

class CompiledPrograms {
 public:
  using Function = void (*)(double* r, double* out);
  /// Returns null, with the reason in `why`, if no compiler was found ($CXX, else c++) or it failed.
  static std::shared_ptr<const CompiledPrograms> compile(std::span<const Program* const> programs,
                                                         std::string& why);
  ~CompiledPrograms();
  CompiledPrograms(const CompiledPrograms&) = delete;
  CompiledPrograms& operator=(const CompiledPrograms&) = delete;

  Function function(std::size_t k) const { return functions_[k]; }
  double seconds() const { return seconds_; }  // time of compilation

 private:
  CompiledPrograms() = default;
  void* library_ = nullptr;
  std::vector<Function> functions_;
  double seconds_ = 0.0;
};

}  // namespace scree::equations
