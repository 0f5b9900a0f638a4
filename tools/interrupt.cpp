#include "tools/interrupt.h"

#include <csignal>
#include <unistd.h>

#include "tools/exit_codes.h"

namespace scree {

namespace {

// The only kind of variable that a signal handler may write.
volatile std::sig_atomic_t requested = 0;

void on_signal(int) {
  if (requested) _exit(exit_interrupted);
  requested = 1;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // The terminal was closed; with `nohup` this signal is already ignored.
  struct sigaction hangup = {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, nullptr);
}

bool interrupt_requested() { return requested != 0; }

void ignore_write_signals() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace scree
