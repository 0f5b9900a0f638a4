// Runs by several processes, started by mpirun or srun.
#pragma once

#include <filesystem>

#include "engine/core/ranks.h"
#include "io/results/summary.h"
#include "io/scene/scene.h"

namespace scree {

/// The ranks with which this process was started, or null if it is alone. From now on all ranks except the
/// first print nothing but their failures. Throws io::ReadError if there are others, but the program has no
/// MPI.
Ranks* join_ranks();
/// Default number of threads of a rank: its share of the processors that it may use, which other
/// ranks of the machine may use too. 0 (all) for a process that is alone. All ranks must call it.
int threads_of_rank();

/// Throws InputError with all features of a scene that runs by ranks do not support yet.
void expect_by_ranks(const io::Scene& scene, const std::filesystem::path& dump_problem);

/// Throws io::ReadError, on all ranks, if they do not begin with the same state: each reads it by itself, and
/// a folder may be on one machine only. All ranks must call it.
void expect_same_start(Ranks& ranks, const State& state);

/// Counts messages from now on.
void count_messages();
/// The use of all ranks, on the first one; all ranks must call it with their own times and numbers of bodies.
std::vector<io::RankUse> rank_uses(Ranks& ranks, const StageTimes& time, std::size_t bodies);

/// To be called when all ranks have reached the end of their run together.
void agree_on_end();
/// Before the program ends: waits for the other ranks, or ends them too if only this rank has come here.
void leave_ranks(int status);

}  // namespace scree
