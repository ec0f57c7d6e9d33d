/* SPDX-License-Identifier: Apache-2.0
 * The note macro, as a C plugin uses it, under the strictest warnings. */
#include <bench/plugin_v1.h>

BENCH_PLUGIN_NOTE("org.bench.test.note", "1.0.0", "Tests", "\"note\"", "\"libnote.so.1\"", 0);
