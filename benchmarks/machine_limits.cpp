// Limits of this machine, as JSON: machine_limits [MB_AN_ARRAY]. Memory bandwidth comes from a triad over
// arrays which are larger than the caches. The double-precision peak comes from independent chains of
// multiplications and additions, not fused, as in the engine. Both are measured for one thread and for all
// threads.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "engine/core/parallel.h"
#include "engine/core/vector4.h"

namespace {

template <class F>
double least_time_s(int repeats, F&& f) {
  double least = 1e300;
  for (int k = 0; k < repeats; ++k) {
    const auto start = std::chrono::steady_clock::now();
    f();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

SCREE_FOR_EACH_TARGET
void triad(double* __restrict a, const double* __restrict b, const double* __restrict c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
}

/// Bytes per second, three times 8 per item: the bytes which the caches fetch. Lines of `a` also go back to
/// memory.
double bandwidth(std::size_t n) {
  const auto a = std::make_unique_for_overwrite<double[]>(n), b = std::make_unique_for_overwrite<double[]>(n),
             c = std::make_unique_for_overwrite<double[]>(n);
  const std::size_t grain = 1 << 16;
  scree::for_each_index(n, grain, [&](std::size_t i) { a[i] = b[i] = c[i] = 1.0; });
  const double time = least_time_s(8, [&] {
    scree::for_blocks(n, grain, [&](const scree::Block& block) {
      triad(a.get() + block.begin, b.get() + block.begin, c.get() + block.begin, block.end - block.begin);
    });
  });
  return 3.0 * sizeof(double) * static_cast<double>(n) / time;
}

constexpr int chains = 12;  // enough to hide the latency of both operations, few enough for 16 registers
constexpr int rounds = 200000;

using Vector2 = double __attribute__((vector_size(16)));
using Vector8 = double __attribute__((vector_size(64)));

/// All chains; the return value keeps the compiler from removing them.
template <class Vector>
SCREE_INLINE double run_chains() {
  Vector x[chains];
  for (int k = 0; k < chains; ++k) x[k] = Vector{} + static_cast<double>(k);
  Vector factor = Vector{} + 0.5, term = Vector{} + 1.0;
  asm("" : "+m"(factor), "+m"(term));
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < chains; ++k) x[k] = x[k] * factor + term;
  }
  for (int k = 1; k < chains; ++k) x[0] += x[k];
  return x[0][0];
}

double chains_baseline() { return run_chains<Vector2>(); }
#if defined(__x86_64__)
__attribute__((target("avx2"))) double chains_avx2() { return run_chains<scree::Vector4>(); }
__attribute__((target("avx512f"))) double chains_avx512() { return run_chains<Vector8>(); }
#endif

double peak(double (*run)(), int lanes) {
  const auto threads = static_cast<std::size_t>(scree::thread_count());
  const std::size_t blocks = 4 * threads;
  const double flop = 2.0 * chains * lanes * static_cast<double>(rounds) * static_cast<double>(blocks);
  return flop / least_time_s(20, [&] {
           scree::for_each_index(blocks, 1, [&](std::size_t) {
             volatile double kept = run();
             (void)kept;
           });
         });
}

std::string limits(int threads, std::size_t n) {
  scree::set_thread_count(threads);
  std::string text =
      fmt::format(R"({{"threads": {}, "bandwidth_B_s": {:.4g}, "peak_flop_s": {{"baseline": {:.4g})",
                  scree::thread_count(), bandwidth(n), peak(chains_baseline, 2));
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) text += fmt::format(R"(, "avx2": {:.4g})", peak(chains_avx2, 4));
  if (__builtin_cpu_supports("avx512f")) text += fmt::format(R"(, "avx512": {:.4g})", peak(chains_avx512, 8));
#endif
  return text + "}}";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) {
    fmt::print(stderr, "usage: machine_limits [MB_AN_ARRAY]\n");
    return 2;
  }
  const long cache = std::clamp(sysconf(_SC_LEVEL3_CACHE_SIZE), 128'000'000L, 512'000'000L);
  const long bytes = argc == 2 ? 1000000 * std::max(1L, std::atol(argv[1])) : cache;
  const auto n = static_cast<std::size_t>(bytes) / sizeof(double);
  const std::string one = limits(1, n);
  fmt::print("{{\"array_bytes\": {}, \"limits\": [{}", bytes, one);
  scree::set_thread_count(0);
  if (scree::thread_count() > 1) fmt::print(", {}", limits(0, n));
  fmt::print("]}}\n");
  return 0;
}
