// What the program's exit status says.
#pragma once

namespace scree {

enum ExitCode : int {
  exit_ok = 0,
  exit_internal_error = 1,     // a fault of the program itself
  exit_usage = 2,              // the command line is wrong
  exit_bad_scene = 3,          // the scene file is wrong
  exit_cannot_write = 4,       // results are there already, the folder is not writable, the disk is full
  exit_numerical_failure = 5,  // numbers are no longer finite, or the energy ledger was breached
  exit_cannot_read = 6,        // there are no results, or they are damaged
  exit_missing_program = 7,    // another program that was asked for is not installed
  exit_not_converged = 8,      // no solver reached the tolerance, of several problems for one (scree solve)
  exit_slower = 9,             // something got slower beyond the noise (scree bench --compare)
  exit_not_reproducible = 10,  // repeats or thread counts ended in different states (scree bench)
  exit_left_out = 11,          // this build leaves out the part that was asked for
  exit_not_trusted = 12,       // the verdict on the run is as bad as --strict names (scree run)
  exit_does_not_fit = 13,      // the machine has not enough memory or disk for what was asked
  exit_interrupted = 130,  // stopped by SIGINT or SIGTERM, after the step was finished and files were closed
};

}  // namespace scree
