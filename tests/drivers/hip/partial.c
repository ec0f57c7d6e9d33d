/* SPDX-License-Identifier: Apache-2.0 */
/* A HIP runtime that tells its version and has nothing else. */
__attribute__((visibility("default"))) int hipRuntimeGetVersion(int *version) {
  *version = 60241133;
  return 0;
}
