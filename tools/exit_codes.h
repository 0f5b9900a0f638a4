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
    ExitMeaning{exit_ok, "success"},
    ExitMeaning{exit_internal_error, "internal error of the program"},
    ExitMeaning{exit_usage, "wrong usage"},
    ExitMeaning{exit_bad_scene, "the scene has errors; all are listed"},
    ExitMeaning{exit_cannot_write, "results or output cannot be written, or results already exist"},
    ExitMeaning{
        exit_numerical_failure,
        "numerical failure: numbers are not finite, or the energy balance exceeds checks.ledger_tolerance"},
    ExitMeaning{exit_cannot_read, "results are missing or damaged"},
    ExitMeaning{exit_missing_program,
                "a program that Scree needs is not installed, or cannot run on this "
                "machine"},
    ExitMeaning{exit_not_converged,
                "`scree solve`: for at least one problem, no solver reached the tolerance"},
    ExitMeaning{exit_slower, "`scree bench --compare`: a benchmark became slower by more than the noise"},
    ExitMeaning{
        exit_not_reproducible,
        "`scree bench`: repeats, or runs with different numbers of threads, ended in different states"},
    ExitMeaning{exit_left_out, "this program was built without the requested part"},
    ExitMeaning{exit_not_trusted,
                "`scree run --strict`: the verdict is red (with `--strict=amber`: red or amber)"},
    ExitMeaning{exit_does_not_fit, "this machine does not have enough memory, disk or file descriptors"},
    ExitMeaning{exit_different,
                "`scree compare`: the runs differ; `scree validate`: a check missed its band without a stated cause"},
    ExitMeaning{exit_not_comparable,
                "`scree compare`: the runs start with different bodies, or have nothing in common"},
    ExitMeaning{exit_interrupted,
                "interrupted; Scree finished the step and closed all files, which are "
                "readable"},
};

}  // namespace scree
