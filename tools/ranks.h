// Runs by several processes, as mpirun or srun starts them.
#pragma once

#include <filesystem>

#include "engine/core/ranks.h"
#include "io/scene/scene.h"

namespace scree {

/// The ranks that this process was started with, or null: it is alone. Ranks but the first say nothing from
/// here on but why they fail. Throws io::ReadError where there are others, but the program knows no MPI.
Ranks* join_ranks();
/// How many threads a rank has where nobody says: its part of the processors that it may use, which other
/// ranks of the machine may use too. 0, all, of a process that is alone. All ranks call it.
int threads_of_rank();

/// Throws InputError for all in a scene that runs by ranks cannot do yet.
void expect_by_ranks(const io::Scene& scene, const State& state, const std::filesystem::path& dump_problem);

/// All ranks have come to the end of their run together.
void agree_on_end();
/// Before the program ends: waits for the other ranks, or ends them too where this one has come here alone.
void leave_ranks(int status);

}  // namespace scree
