// SPDX-License-Identifier: Apache-2.0
#include "callable.hpp"

#include <cstring>

namespace libbench {

namespace {

nb::object &error_factory() {
  static auto &factory = *new nb::object;  // outlives the interpreter
  return factory;
}

template <std::size_t N>
std::string text_of(const char (&text)[N]) {
  return std::string(text, ::strnlen(text, N));
}

nb::str decoded(const std::string &text) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace"));
}

/// The exception that is set, as an object with its traceback; clears it.
nb::object take_exception() {
#if PY_VERSION_HEX >= 0x030C0000
  return nb::steal(PyErr_GetRaisedException());
#else
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace) PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return nb::steal(value);
#endif
}

[[noreturn]] void raise_exception(const nb::object &exception) {
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())), exception.ptr());
  throw nb::python_error();
}

std::size_t index_of(const bench_config_v1 *config) {
  return config ? std::size_t(config->index) : 0;
}

bool given(const nb::object &hook) {
  return hook.is_valid() && !hook.is_none();
}

}  // namespace

void set_error_factory(nb::object factory) {
  error_factory() = std::move(factory);
}

void raise(bench_status status, const bench_error_v1 &error) {
  raise_exception(error_factory()(status, nb::str(bench_status_name(status)),
                                  decoded(text_of(error.what)), decoded(text_of(error.where)),
                                  decoded(text_of(error.hint))));
}

Launcher::Launcher(nb::object function, nb::tuple arguments, nb::dict keywords, nb::list configs)
    : function_(std::move(function)), arguments_(arguments), positional_(nb::len(arguments)) {
  const std::size_t count = nb::len(configs);
  for (std::size_t at = 0; at < (count ? count : 1); ++at) {
    Call call;
    for (nb::handle each : arguments_) call.stack.push_back(each.ptr());
    nb::list names;
    const auto add = [&](nb::handle name, nb::handle value) {
      names.append(name);
      kept_.push_back(nb::borrow(value));
      call.stack.push_back(value.ptr());
    };
    for (const auto &[name, value] : keywords) add(name, value);
    if (count)
      for (const auto &[name, value] : nb::cast<nb::dict>(configs[at])) add(name, value);
    if (nb::len(names)) call.names = nb::tuple(names);
    calls_.push_back(std::move(call));
  }
}

Bridge::Bridge(const Launcher &launcher, const Hooks &hooks, std::uint32_t flags)
    : launcher_(launcher), hooks_(hooks) {
  callable_.struct_size = sizeof callable_;
  callable_.flags = flags;
  callable_.user = this;
  callable_.launch = [](void *user, const bench_config_v1 *config, const bench_stream_v1 *,
                        bench_error_v1 *error) {
    auto &self = *static_cast<Bridge *>(user);
    return self.guarded(index_of(config), error, [&] {
      PyObject *result = self.launcher_.call(index_of(config));
      if (!result) return false;
      if (self.hooks_.waits)
        self.results_.push_back(nb::steal(result));
      else
        Py_DECREF(result);
      return !self.hooks_.check_signals || PyErr_CheckSignals() == 0;
    });
  };
  if (hooks_.waits)
    callable_.wait = [](void *user, const bench_config_v1 *config, const bench_stream_v1 *,
                        bench_error_v1 *error) {
      auto &self = *static_cast<Bridge *>(user);
      return self.guarded(index_of(config), error, [&] {
        // Never destroyed: at the program's end there is no interpreter any more.
        static const auto &wait =
            *new nb::object(nb::module_::import_("libbench._frameworks").attr("wait"));
        for (const nb::object &each : self.results_) wait(each);
        self.results_.clear();
        return true;
      });
    };
  if (given(hooks_.prepare))
    callable_.prepare = [](void *user, const bench_config_v1 *config, const bench_stream_v1 *,
                           bench_error_v1 *error) {
      auto &self = *static_cast<Bridge *>(user);
      return self.guarded(index_of(config), error, [&] {
        self.hooks_.prepare();
        return true;
      });
    };
  if (given(hooks_.restore))
    callable_.restore = [](void *user, const bench_config_v1 *config, const bench_stream_v1 *,
                           bench_error_v1 *error) {
      auto &self = *static_cast<Bridge *>(user);
      return self.guarded(index_of(config), error, [&] {
        self.hooks_.restore();
        return true;
      });
    };
  callbacks_.struct_size = sizeof callbacks_;
  callbacks_.user = this;
  if (given(hooks_.pre_hook))
    callbacks_.pre_hook = [](void *user, const bench_config_v1 *config, const bench_stream_v1 *,
                             bench_error_v1 *error) {
      auto &self = *static_cast<Bridge *>(user);
      return self.guarded(index_of(config), error, [&] {
        self.hooks_.pre_hook(index_of(config));
        return true;
      });
    };
  if (given(hooks_.post_hook))
    callbacks_.post_hook = [](void *user, const bench_config_v1 *config, const bench_stream_v1 *,
                              bench_error_v1 *error) {
      auto &self = *static_cast<Bridge *>(user);
      return self.guarded(index_of(config), error, [&] {
        const nb::object exception =
            self.last_exception_.is_valid() ? self.last_exception_ : nb::none();
        self.last_exception_.reset();
        self.hooks_.post_hook(index_of(config), exception);
        return true;
      });
    };
  if (given(hooks_.prune))
    callbacks_.prune = [](void *user, std::uint8_t *keep, std::uint64_t count,
                          bench_error_v1 *error) {
      auto &self = *static_cast<Bridge *>(user);
      return self.guarded(0, error, [&] {
        const nb::list kept = nb::cast<nb::list>(self.hooks_.prune());
        for (std::uint64_t at = 0; at < count; ++at) keep[at] = nb::cast<bool>(kept[at]) ? 1 : 0;
        return true;
      });
    };
  if (given(hooks_.estimate))
    callbacks_.estimate = [](void *user, const bench_config_v1 *config, double *cost,
                             bench_error_v1 *error) {
      auto &self = *static_cast<Bridge *>(user);
      return self.guarded(index_of(config), error, [&] {
        *cost = nb::cast<double>(nb::float_(self.hooks_.estimate(index_of(config))));
        return true;
      });
    };
  callbacks_.should_stop = [](void *user) -> std::int32_t {
    auto &self = *static_cast<Bridge *>(user);
    if (self.ending_.is_valid()) return 1;
    if (!self.hooks_.check_signals) return 0;
    const Held held(self);
    if (PyErr_CheckSignals() == 0) return 0;
    self.ending_ = take_exception();
    return 1;
  };
}

template <typename Body>
bench_status Bridge::guarded(std::size_t index, bench_error_v1 *error, Body &&body) {
  const Held held(*this);
  try {
    if (body()) return BENCH_OK;
  } catch (nb::python_error &raised) {
    raised.restore();
  } catch (const nb::builtin_exception &raised) {
    PyErr_SetString(PyExc_ValueError, raised.what());
  } catch (const std::exception &raised) {
    PyErr_SetString(PyExc_RuntimeError, raised.what());
  }
  return keep_exception(index, error);
}

bench_status Bridge::keep_exception(std::size_t index, bench_error_v1 *error) {
  nb::object exception = take_exception();
  last_exception_ = exception;
  const bool is_first = !first_.is_valid();
  if (is_first) first_ = exception;
  bench_status status = BENCH_ERROR_CALLABLE_FAILED;
  std::string text;
  try {
    const nb::int_ key(index);
    if (!failures_.contains(key)) failures_[key] = exception;
    text = std::string(Py_TYPE(exception.ptr())->tp_name) + ": " +
           nb::cast<std::string>(nb::str(exception));
    // What is no Exception (an interrupt, an exit) ends the whole tune, not one configuration.
    if (!PyObject_IsInstance(exception.ptr(), PyExc_Exception))
      ending_ = exception;
    else if (given(hooks_.classify))
      status = nb::cast<bench_status>(hooks_.classify(exception));
  } catch (nb::python_error &) {
    text = "an exception whose text cannot be read";
  } catch (const std::exception &) {
    text = "an exception whose text cannot be read";
  }
  results_.clear();
  if (is_first) first_status_ = status;
  if (error && BENCH_HAS(error, hint)) {
    error->status = status;
    std::strncpy(error->what, text.c_str(), sizeof error->what - 1);
    error->what[sizeof error->what - 1] = '\0';
    std::strncpy(error->where, "callable", sizeof error->where - 1);
  }
  return status;
}

void Bridge::finish(bench_status status, const bench_error_v1 &error) {
  results_.clear();
  if (ending_.is_valid()) raise_exception(ending_);
  if (status == BENCH_OK) return;
  // A race that ended without a winner has many reasons, which its error lists.
  const bool listed = status == BENCH_ERROR_NO_VALID_CONFIG || status == BENCH_ERROR_DEVICE_LOST;
  if (first_.is_valid() && !listed && status == first_status_) raise_exception(first_);
  if (listed && first_.is_valid()) {
    try {
      raise(status, error);
    } catch (nb::python_error &raised) {
      nb::object exception = nb::borrow(raised.value());
      exception.attr("failures") = failures_;
      Py_INCREF(first_.ptr());
      PyException_SetCause(exception.ptr(), first_.ptr());  // takes the reference
      raise_exception(exception);
    }
  }
  raise(status, error);
}

}  // namespace libbench
