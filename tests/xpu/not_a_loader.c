/* SPDX-License-Identifier: Apache-2.0 */
/* A library by the loader's name without any of its functions. */
extern int bench_not_a_loader;
int bench_not_a_loader = 1;
