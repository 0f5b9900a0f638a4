#include "engine/mpi/mpi_ranks.h"

#include <algorithm>
#include <cstdlib>
#include <mpi.h>

namespace scree {

namespace {

// MPI counts in ints: larger messages are sent in pieces of this size.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

void add_exact_sums(void* from, void* to, int* count, MPI_Datatype*) {
  const auto* const a = static_cast<const ExactSum*>(from);
  auto* const b = static_cast<ExactSum*>(to);
  for (int k = 0; k < *count; ++k) b[k] += a[k];
}

/// Calls f(bytes) for pieces of a message.
template <class Byte, class F>
void in_pieces(std::span<Byte> bytes, F&& f) {
  for (std::size_t k = 0; k < bytes.size(); k += most_bytes)
    f(bytes.subspan(k, std::min(most_bytes, bytes.size() - k)));
}

}  // namespace

struct MpiRanks::Handles {
  MPI_Datatype exact_sum{};
  MPI_Op add{};
  std::vector<MPI_Request> requests;
};

MpiRanks::MpiRanks() : handles_(std::make_unique<Handles>()) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
  MPI_Type_contiguous(static_cast<int>(sizeof(ExactSum)), MPI_BYTE, &handles_->exact_sum);
  MPI_Type_commit(&handles_->exact_sum);
  MPI_Op_create(add_exact_sums, 1, &handles_->add);
}

MpiRanks::~MpiRanks() {
  MPI_Op_free(&handles_->add);
  MPI_Type_free(&handles_->exact_sum);
  MPI_Finalize();
}

void MpiRanks::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

void MpiRanks::sum(std::span<ExactSum> sums) {
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), handles_->exact_sum, handles_->add,
                MPI_COMM_WORLD);
}

void MpiRanks::total(std::span<std::int64_t> counts) {
  MPI_Allreduce(MPI_IN_PLACE, counts.data(), static_cast<int>(counts.size()), MPI_INT64_T, MPI_SUM,
                MPI_COMM_WORLD);
}

void MpiRanks::most(std::span<double> numbers) {
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_MAX,
                MPI_COMM_WORLD);
}

Bytes MpiRanks::gather(std::span<const std::byte> own, std::vector<std::size_t>* first) {
  const auto ranks = static_cast<std::size_t>(count_);
  std::vector<std::int64_t> size(ranks);
  const auto mine = static_cast<std::int64_t>(own.size());
  MPI_Allgather(&mine, 1, MPI_INT64_T, size.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  std::vector<std::size_t> begin(ranks + 1, 0);
  for (std::size_t r = 0; r < ranks; ++r) begin[r + 1] = begin[r] + static_cast<std::size_t>(size[r]);
  Bytes all(begin.back());
  if (begin.back() < most_bytes) {
    const std::vector<int> counts(size.begin(), size.end()), displacements(begin.begin(), begin.end() - 1);
    MPI_Allgatherv(own.data(), static_cast<int>(own.size()), MPI_BYTE, all.data(), counts.data(),
                   displacements.data(), MPI_BYTE, MPI_COMM_WORLD);
  } else {
    std::ranges::copy(own, all.begin() + static_cast<std::ptrdiff_t>(begin[rank_]));
    for (std::size_t r = 0; r < ranks; ++r)
      in_pieces(std::span(all).subspan(begin[r], begin[r + 1] - begin[r]), [&](std::span<std::byte> piece) {
        MPI_Bcast(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, static_cast<int>(r),
                  MPI_COMM_WORLD);
      });
  }
  if (first != nullptr) *first = std::move(begin);
  return all;
}

std::vector<Bytes> MpiRanks::exchange(std::vector<Bytes> to) {
  const auto ranks = static_cast<std::size_t>(count_);
  std::vector<std::int64_t> send(ranks), receive(ranks);
  for (std::size_t r = 0; r < ranks; ++r) send[r] = static_cast<std::int64_t>(to[r].size());
  MPI_Alltoall(send.data(), 1, MPI_INT64_T, receive.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  std::vector<Bytes> from(ranks);
  from[rank_] = std::move(to[rank_]);
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (static_cast<int>(r) == rank_) continue;
    from[r].resize(static_cast<std::size_t>(receive[r]));
    if (!to[r].empty()) out.push_back({static_cast<int>(r), to[r]});
    if (!from[r].empty()) in.push_back({static_cast<int>(r), from[r]});
  }
  swap(out, in);
  return from;
}

void MpiRanks::swap(std::span<const Outgoing> out, std::span<const Incoming> in) {
  std::vector<MPI_Request>& requests = handles_->requests;
  requests.clear();
  for (const Incoming& message : in)
    in_pieces(message.bytes, [&](std::span<std::byte> piece) {
      MPI_Irecv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, message.rank, 0, MPI_COMM_WORLD,
                &requests.emplace_back());
    });
  for (const Outgoing& message : out)
    in_pieces(message.bytes, [&](std::span<const std::byte> piece) {
      MPI_Isend(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, message.rank, 0, MPI_COMM_WORLD,
                &requests.emplace_back());
    });
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace scree
