// SPDX-License-Identifier: Apache-2.0
// A Python callable as the core's. The GIL is not held while the core waits; each callback takes
// it. What a callback raises is kept and comes out as itself.
#pragma once
#include <bench/bench.h>
#include <nanobind/nanobind.h>
// Here, not where they are used: a file without them would make another caster of the same name.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

namespace libbench {

namespace nb = nanobind;

/// Raises what the library's `status` and texts say, as a class of libbench.errors.
[[noreturn]] void raise(bench_status status, const bench_error_v1 &error);
void set_error_factory(nb::object factory);

/// How one configuration is called: the stack of a vectorcall, made once.
class Launcher {
 public:
  /// `configs`: for each configuration a dict of keyword arguments to add, or empty for one call.
  Launcher(nb::object function, nb::tuple arguments, nb::dict keywords, nb::list configs);
  PyObject *call(std::size_t index) const {
    const Call &each = calls_[index];
    return PyObject_Vectorcall(function_.ptr(), each.stack.data(), positional_, each.names.ptr());
  }
  std::size_t size() const { return calls_.size(); }

 private:
  struct Call {
    std::vector<PyObject *> stack;
    nb::object names;  // tuple, or null for no keywords
  };
  nb::object function_;
  nb::tuple arguments_;
  std::vector<nb::object> kept_;
  std::size_t positional_ = 0;
  std::vector<Call> calls_;
};

/// Hooks that Python may give; each may be None.
struct Hooks {
  nb::object prepare;   // prepare(): before each window, outside it
  nb::object restore;   // restore(): once at the end
  nb::object pre_hook;  // pre_hook(index), post_hook(index, exception)
  nb::object post_hook;
  nb::object prune;     // prune() -> list of booleans
  nb::object estimate;  // estimate(index) -> cost
  nb::object classify;  // classify(exception) -> status
  bool waits = false;   // results have block_until_ready
  bool check_signals = true;
};

/// Lives for one measurement or tune.
class Bridge {
 public:
  Bridge(const Launcher &launcher, const Hooks &hooks, std::uint32_t flags);
  Bridge(const Bridge &) = delete;  // the callable points to it

  const bench_callable_v1 &callable() const { return callable_; }
  const bench_tune_callbacks_v1 &callbacks() const { return callbacks_; }
  /// After the call, with the GIL: raises what ended it, the callbacks' own exception first.
  void finish(bench_status status, const bench_error_v1 &error);
  /// Exceptions by configuration, for the error that says why none was valid.
  nb::dict failures() const { return failures_; }
  /// Runs `body` without the GIL.
  template <typename Body>
  bench_status without_gil(Body &&body) {
    thread_ = PyEval_SaveThread();
    const bench_status status = body();
    PyEval_RestoreThread(thread_);
    return status;
  }

 private:
  /// Holds the GIL. On the thread that released it, and there only: callbacks come from no other.
  struct Held {
    Bridge &bridge;
    explicit Held(Bridge &bridge_) : bridge(bridge_) { PyEval_RestoreThread(bridge.thread_); }
    ~Held() { bridge.thread_ = PyEval_SaveThread(); }
  };
  template <typename Body>
  bench_status guarded(std::size_t index, bench_error_v1 *error, Body &&body);
  bench_status keep_exception(std::size_t index, bench_error_v1 *error);
  nb::object call_with_index(const nb::object &function, std::size_t index);

  const Launcher &launcher_;
  const Hooks hooks_;
  bench_callable_v1 callable_{};
  bench_tune_callbacks_v1 callbacks_{};
  PyThreadState *thread_ = nullptr;
  std::vector<nb::object> results_;  // of launches that are still to be waited for
  nb::object last_exception_;        // for post_hook
  nb::object ending_;                // an exception that ends everything: KeyboardInterrupt
  nb::object first_;                 // the first exception of a callback
  bench_status first_status_ = BENCH_OK;
  nb::dict failures_;
};

}  // namespace libbench
