// Ranks by MPI. mpi_ranks.cpp is the only file that includes mpi.h.
#pragma once

#include <memory>

#include "engine/core/ranks.h"

namespace scree {

class MpiRanks : public Ranks {
 public:
  /// Initialises MPI; once in a process, in the thread that makes all calls.
  MpiRanks();
  /// Finalises MPI, when all ranks have come to this point.
  ~MpiRanks() override;
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  /// Ends all ranks with this exit status.
  [[noreturn]] static void abort(int status);

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  void sum(std::span<ExactSum> sums) override;
  void total(std::span<std::int64_t> counts) override;
  void most(std::span<double> numbers) override;
  Bytes gather(std::span<const std::byte> own, std::vector<std::size_t>* first = nullptr) override;
  std::vector<Bytes> exchange(std::vector<Bytes> to) override;
  void swap(std::span<const Outgoing> out, std::span<const Incoming> in) override;

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
  int rank_ = 0, count_ = 1;
};

}  // namespace scree
