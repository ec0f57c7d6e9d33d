/* SPDX-License-Identifier: Apache-2.0 */
__attribute__((visibility("default"))) int zoo_lost(void) {
  return 1;
}
