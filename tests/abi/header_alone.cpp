// SPDX-License-Identifier: Apache-2.0
// The same as header_alone.c.
#include HEADER

#include HEADER /* twice: the guards */

int header_alone(void);
int header_alone(void) {
  return BENCH_ABI_MAJOR;
}
