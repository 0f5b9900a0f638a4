// Runs by several processes, as mpirun or srun starts them.
#pragma once

#include <filesystem>

#include "engine/core/ranks.h"
#include "io/scene/scene.h"

namespace scree {

/// The ranks that this process was started with, or null: it is alone. Ranks but the first say nothing from
/// here on but why they fail. Throws io::ReadError where there are others, but the program knows no MPI.
Ranks* join_ranks();
/// How many threads a rank has where nobody says: as many as the launcher has given it processors, else its
/// part of the machine's. 0, all, of a process that is alone.
int threads_of_rank();

/// Throws InputError for all in a scene that runs by ranks cannot do yet.
void expect_by_ranks(const io::Scene& scene, const State& state, const std::filesystem::path& dump_problem);

/// Before the program ends: waits for the other ranks, or ends them too where they cannot know of this status.
void leave_ranks(int status);

}  // namespace scree
