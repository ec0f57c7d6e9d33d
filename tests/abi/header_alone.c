/* SPDX-License-Identifier: Apache-2.0
 * The ABI's headers, alone, under every language that a vendor may build with. */
#include HEADER

#include HEADER /* twice: the guards */

int header_alone(void);
int header_alone(void) {
  return BENCH_ABI_MAJOR;
}
