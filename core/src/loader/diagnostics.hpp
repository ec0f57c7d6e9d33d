// SPDX-License-Identifier: Apache-2.0
// The loader's numbered messages. A number is never used for another meaning again.
#pragma once

namespace bench::loader::code {

inline constexpr const char *searched = "BENCH-L001";       // a folder was searched
inline constexpr const char *folder_absent = "BENCH-L002";  // a folder does not exist
inline constexpr const char *element_relative =
    "BENCH-L003";  // a search path element is not absolute
inline constexpr const char *environment_ignored = "BENCH-L004";  // elevated, or switched off
inline constexpr const char *world_writable = "BENCH-L005";       // anybody may replace it
inline constexpr const char *filtered = "BENCH-L006";             // BENCH_PLUGINS leaves it out
inline constexpr const char *not_elf =
    "BENCH-L010";  // directory, text, empty, 32-bit, other CPU, truncated
inline constexpr const char *duplicate = "BENCH-L011";      // the same plugin was found before
inline constexpr const char *probe_crashed = "BENCH-L020";  // a signal ended the probe
inline constexpr const char *probe_exited = "BENCH-L021";   // the plugin ended the probe by exit
inline constexpr const char *probe_hung = "BENCH-L022";     // no answer in time
inline constexpr const char *open_failed = "BENCH-L023";    // undefined symbols and the like
inline constexpr const char *dependency_missing = "BENCH-L024";  // a library it links is not there
inline constexpr const char *no_entry = "BENCH-L025";            // no bench_plugin_v1
inline constexpr const char *entry_refused = "BENCH-L026";       // the entry returned no table
inline constexpr const char *incompatible = "BENCH-L027";        // wants a newer core
inline constexpr const char *table_bad = "BENCH-L028";      // the table breaks a rule of the ABI
inline constexpr const char *no_helper = "BENCH-L029";      // probed in this process instead
inline constexpr const char *printed = "BENCH-L030";        // the plugin wrote to stdout or stderr
inline constexpr const char *probed = "BENCH-L031";         // probed in a child
inline constexpr const char *from_cache = "BENCH-L032";     // known from an earlier probe
inline constexpr const char *no_note = "BENCH-L033";        // carries no description
inline constexpr const char *static_tls = "BENCH-L034";     // initial-exec TLS
inline constexpr const char *no_device = "BENCH-L040";      // good, but no usable device
inline constexpr const char *shadowed = "BENCH-L041";       // another plugin serves the class
inline constexpr const char *chosen = "BENCH-L042";         // serves the class
inline constexpr const char *loaded = "BENCH-L043";         // loaded in this process
inline constexpr const char *state_changed = "BENCH-L044";  // loading changed the process
inline constexpr const char *open_instance_failed = "BENCH-L045";  // its open() failed

}  // namespace bench::loader::code
