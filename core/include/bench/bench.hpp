// SPDX-License-Identifier: Apache-2.0
// The C++17 API over bench.h: header-only, so that no C++ type crosses the library's boundary. It
// also compiles with -fno-exceptions -fno-rtti.
//
//   auto context = bench::Context::create().value();
//   auto tuner = bench::Tuner::create(context, {"saxpy/1", {{{"unroll", 1}}, {{"unroll", 4}}},
//                                               {"x", "n"}, {"n"}}).value();
//   bench::Arguments arguments(tuner);
//   arguments.set("n", n).set("x", bench::tensor(x, {n}, bench::cpu()));
//   auto index = tuner.lookup(arguments, launch).value();
//
// Every call gives a Result: ask ok() and error(), or take value(), which throws bench::Error
// (without exceptions: aborts). An exception that a callback threw is what value() throws.
#ifndef BENCH_BENCH_HPP
#define BENCH_BENCH_HPP

#include <bench/bench.h>

#include <bench/cpp/argument.hpp>
#include <bench/cpp/autotuner.hpp>
#include <bench/cpp/callable.hpp>
#include <bench/cpp/context.hpp>
#include <bench/cpp/result.hpp>
#include <bench/cpp/tuner.hpp>

#endif
