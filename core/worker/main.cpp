// SPDX-License-Identifier: Apache-2.0
// bench-worker DESCRIPTOR PARENT: serves one tune over a descriptor that it inherited.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench/bench.h"

int main(int argc, char **argv) {
  if (argc != 3) {
    fputs("bench-worker: started by libbench.so, not by hand\n", stderr);
    return 2;
  }
  // A tuner that is killed must not leave a kernel running for ever on the device it timed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have died before the call above: then nobody will ever ask for anything.
  if (getppid() != static_cast<pid_t>(atol(argv[2]))) return 0;
  return bench_worker_main(atoi(argv[1]));
}
