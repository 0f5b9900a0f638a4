// Exit status of the program.
#pragma once

#include <array>

namespace scree {

enum ExitCode : int {
  exit_ok = 0,
  exit_internal_error = 1,
  exit_usage = 2,
  exit_bad_scene = 3,
  exit_cannot_write = 4,
  exit_numerical_failure = 5,
  exit_cannot_read = 6,
  exit_missing_program = 7,
  exit_not_converged = 8,
  exit_slower = 9,
  exit_not_reproducible = 10,
  exit_left_out = 11,
  exit_not_trusted = 12,
  exit_does_not_fit = 13,
  exit_different = 14,
  exit_not_comparable = 15,
  exit_interrupted = 130,
};

struct ExitMeaning {
  ExitCode code;
  const char* meaning;
};

/// The texts of the manual page and docs/cookbook.md.
inline constexpr std::array exit_meanings{
    ExitMeaning{exit_ok, "done"},
    ExitMeaning{exit_internal_error, "a fault of the program itself"},
    ExitMeaning{exit_usage, "wrong usage"},
    ExitMeaning{exit_bad_scene, "the scene has faults; all are listed"},
    ExitMeaning{exit_cannot_write,
                "results, or what was to be printed, cannot be written, or results exist already"},
    ExitMeaning{exit_numerical_failure,
                "numerical failure: numbers are not finite, or the energy ledger was breached"},
    ExitMeaning{exit_cannot_read, "there are no results where they were looked for, or they are damaged"},
    ExitMeaning{exit_missing_program,
                "another program that was asked for is not installed, or cannot run here"},
    ExitMeaning{exit_not_converged,
                "no solver reached the tolerance, or none did for one of several problems (`scree solve`)"},
    ExitMeaning{exit_slower, "`scree bench --compare`: something got slower beyond the noise"},
    ExitMeaning{exit_not_reproducible,
                "`scree bench`: repeats or numbers of threads ended in different states"},
    ExitMeaning{exit_left_out, "this build leaves out the part that was asked for"},
    ExitMeaning{exit_not_trusted,
                "`scree run --strict`: the verdict on the run is red (`--strict=amber`: or amber)"},
    ExitMeaning{exit_does_not_fit,
                "this machine has not enough memory, disk or file descriptors for what was asked"},
    ExitMeaning{exit_different,
                "`scree compare`: the runs differ; `scree validate`: a published value was missed"},
    ExitMeaning{exit_not_comparable,
                "`scree compare`: the runs begin with other bodies, or have nothing that could be compared"},
    ExitMeaning{exit_interrupted, "interrupted; the step was finished and all files are closed and readable"},
};

}  // namespace scree
