// Ctrl-C, SIGTERM and SIGHUP as a request to stop after the current step.
#pragma once

namespace scree {

/// From now on SIGINT, SIGTERM and SIGHUP only set a flag; a second one ends the process at once with
/// exit_interrupted.
void catch_interrupts();

/// Has one of them been received?
bool interrupt_requested();

/// Makes writes to a full file-size quota or a closed pipe fail instead of ending the process, so that files
/// are closed properly and the reason is reported.
void ignore_write_signals();

}  // namespace scree
