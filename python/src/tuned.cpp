// SPDX-License-Identifier: Apache-2.0
#include "tuned.hpp"

#include <structmember.h>

#include <memory>
#include <utility>
#include <vector>

#include "tuner.hpp"

namespace libbench {

namespace {

constexpr std::size_t most_arguments = 24;  // more take the slow way
constexpr std::size_t most_stack = 64;      // arguments and configuration values of one call

/// Members after the head; made and ended in place, since Python owns the memory.
struct State {
  nb::object tuner_object, function;
  Tuner *tuner = nullptr;
  std::vector<nb::object> names, defaults;  // a null default: the argument is required
  std::vector<std::uint8_t> is_key;
  struct Addition {
    bool slow = false;  // the configuration has a hook that runs before each launch
    std::vector<nb::object> names, values;
    nb::object only_names;  // tuple for calls without keywords of their own
  };
  std::vector<Addition> configs;
  bool passes_more = false;  // unknown keywords belong to the function, and are no arguments
  // The last caller's keyword names (a constant of its code) joined with each configuration's.
  nb::object last_names;
  std::vector<nb::object> joined;
};

struct Tuned {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *weak_references;
  State *state;
};

nb::object &miss_name() {
  static auto &name = *new nb::object(nb::steal(PyUnicode_InternFromString("_miss")));
  return name;
}

PyObject *slow(PyObject *self, PyObject *const *arguments, std::size_t positional,
               PyObject *names) {
  PyObject *given = PyTuple_New(Py_ssize_t(positional));
  PyObject *keywords = PyDict_New();
  if (!given || !keywords) {
    Py_XDECREF(given);
    Py_XDECREF(keywords);
    return nullptr;
  }
  for (std::size_t at = 0; at < positional; ++at)
    PyTuple_SET_ITEM(given, Py_ssize_t(at), Py_NewRef(arguments[at]));
  const Py_ssize_t count = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t at = 0; at < count; ++at)
    PyDict_SetItem(keywords, PyTuple_GET_ITEM(names, at), arguments[positional + std::size_t(at)]);
  PyObject *result = PyObject_CallMethodObjArgs(self, miss_name().ptr(), given, keywords, nullptr);
  Py_DECREF(given);
  Py_DECREF(keywords);
  return result;
}

/// Values by declared argument. False where the slow way must look.
bool bind(const State &state, PyObject *const *arguments, std::size_t positional, PyObject *names,
          PyObject **bound) {
  const std::size_t count = state.names.size();
  if (positional > count || count > most_arguments) return false;
  for (std::size_t at = 0; at < positional; ++at) bound[at] = arguments[at];
  for (std::size_t at = positional; at < count; ++at) bound[at] = nullptr;
  const Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t at = 0; at < keywords; ++at) {
    PyObject *name = PyTuple_GET_ITEM(names, at);
    std::size_t found = 0;
    // Names in code are interned: the pointer tells, or the slow way compares.
    while (found < count && state.names[found].ptr() != name) ++found;
    if (found == count) {
      if (!state.passes_more) return false;
    } else if (bound[found]) {
      return false;  // given twice
    } else {
      bound[found] = arguments[positional + std::size_t(at)];
    }
  }
  for (std::size_t at = positional; at < count; ++at) {
    if (bound[at]) continue;
    bound[at] = state.defaults[at].ptr();
    if (!bound[at]) return false;
  }
  return true;
}

/// The index for `bound`, or -1.
std::int64_t look_up(const State &state, PyObject **bound) {
  // A thread's slots are used again: clearing them would cost more than the lookup.
  thread_local std::vector<Slot> slots(most_arguments);
  const bench_argument_v1 *pointers[most_arguments];
  const std::size_t count = state.names.size();
  for (std::size_t at = 0; at < count; ++at) {
    bench_argument_v1 &raw = slots[at].raw;
    raw.role = 0;
    raw.device_class = nullptr;
    raw.strides = nullptr;
    raw.byte_offset = 0;
    raw.data = nullptr;
    raw.text = nullptr;
    if (!read_quickly(bound[at], state.is_key[at], slots[at])) return -1;
    pointers[at] = &raw;
  }
  std::uint64_t index = 0;
  const bench_status status = bench_tuner_lookup(state.tuner->raw(), pointers, std::uint32_t(count),
                                                 nullptr, &index, nullptr);
  return status == BENCH_OK ? std::int64_t(index) : -1;
}

/// The keyword names of a call with those of configuration `index`; borrowed.
PyObject *joined_names(State &state, PyObject *names, std::size_t index) {
  State::Addition &addition = state.configs[index];
  if (!names || PyTuple_GET_SIZE(names) == 0) return addition.only_names.ptr();
  if (state.last_names.ptr() != names) {
    state.joined.assign(state.configs.size(), nb::object());
    state.last_names = nb::borrow(names);
  }
  nb::object &joined = state.joined[index];
  if (!joined.is_valid()) {
    nb::list all;
    for (nb::handle each : nb::cast<nb::tuple>(nb::handle(names))) all.append(each);
    for (const nb::object &each : addition.names) all.append(each);
    joined = nb::tuple(all);
  }
  return joined.ptr();
}

PyObject *launch(State &state, std::size_t index, PyObject *const *arguments,
                 std::size_t positional, PyObject *names) {
  const State::Addition &addition = state.configs[index];
  const std::size_t given =
      positional + (names ? std::size_t(PyTuple_GET_SIZE(names)) : std::size_t{0});
  const std::size_t total = given + addition.values.size();
  PyObject *stack[most_stack + 1];
  if (total > most_stack) return nullptr;
  // The first place is free: a bound method puts its object there instead of copying the rest.
  for (std::size_t at = 0; at < given; ++at) stack[1 + at] = arguments[at];
  for (std::size_t at = 0; at < addition.values.size(); ++at)
    stack[1 + given + at] = addition.values[at].ptr();
  const nb::object all_names = nb::borrow(joined_names(state, names, index));
  return PyObject_Vectorcall(state.function.ptr(), stack + 1,
                             positional | PY_VECTORCALL_ARGUMENTS_OFFSET,
                             all_names.is_valid() ? all_names.ptr() : nullptr);
}

PyObject *call(PyObject *self, PyObject *const *arguments, std::size_t flagged, PyObject *names) {
  State *state = reinterpret_cast<Tuned *>(self)->state;
  const auto positional = std::size_t(PyVectorcall_NARGS(flagged));
  // The first call: the class above makes the tuner.
  if (!state) return slow(self, arguments, positional, names);
  PyObject *bound[most_arguments];
  if (!bind(*state, arguments, positional, names, bound))
    return slow(self, arguments, positional, names);
  const std::int64_t index = look_up(*state, bound);
  const std::size_t given =
      positional + (names ? std::size_t(PyTuple_GET_SIZE(names)) : std::size_t{0});
  if (index < 0 || state->configs[std::size_t(index)].slow ||
      given + state->configs[std::size_t(index)].values.size() > most_stack)
    return slow(self, arguments, positional, names);
  return launch(*state, std::size_t(index), arguments, positional, names);
}

PyObject *create(PyTypeObject *type, PyObject *, PyObject *) {
  auto *self = reinterpret_cast<Tuned *>(PyType_GenericAlloc(type, 0));
  if (!self) return nullptr;
  self->vectorcall = call;
  self->weak_references = nullptr;
  self->state = nullptr;
  return reinterpret_cast<PyObject *>(self);
}

/// (tuner, function, names, defaults, required, configs, slow, passes_more)
PyObject *prepare(PyObject *self, PyObject *arguments) {
  try {
    const auto given = nb::borrow<nb::tuple>(arguments);
    auto state = std::make_unique<State>();
    state->tuner_object = given[0];
    state->tuner = &nb::cast<Tuner &>(state->tuner_object);
    state->function = given[1];
    const nb::object required = given[4];
    for (nb::handle each : nb::cast<nb::tuple>(given[2])) {
      PyObject *name = Py_NewRef(each.ptr());
      PyUnicode_InternInPlace(&name);
      state->names.push_back(nb::steal(name));
    }
    for (nb::handle each : nb::cast<nb::tuple>(given[3]))
      state->defaults.push_back(each.is(required) ? nb::object() : nb::borrow(each));
    for (std::size_t at = 0; at < state->names.size(); ++at)
      state->is_key.push_back(state->tuner->is_key(at));
    const nb::list slow_configs = nb::cast<nb::list>(given[6]);
    std::size_t position = 0;
    for (nb::handle each : nb::cast<nb::list>(given[5])) {
      State::Addition addition;
      nb::list names;
      for (const auto &[name, value] : nb::cast<nb::dict>(each)) {
        addition.names.push_back(nb::borrow(name));
        addition.values.push_back(nb::borrow(value));
        names.append(name);
      }
      if (nb::len(names)) addition.only_names = nb::tuple(names);
      addition.slow = nb::cast<bool>(slow_configs[position++]);
      state->configs.push_back(std::move(addition));
    }
    state->passes_more = nb::cast<bool>(given[7]);
    auto *tuned = reinterpret_cast<Tuned *>(self);
    delete tuned->state;
    tuned->state = state.release();
    Py_RETURN_NONE;
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  }
  return nullptr;
}

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  const State *state = reinterpret_cast<Tuned *>(self)->state;
  if (!state) return 0;
  Py_VISIT(state->tuner_object.ptr());
  Py_VISIT(state->function.ptr());
  for (const nb::object &each : state->defaults) Py_VISIT(each.ptr());
  for (const State::Addition &config : state->configs)
    for (const nb::object &each : config.values) Py_VISIT(each.ptr());
  return 0;
}

int clear(PyObject *self) {
  auto *tuned = reinterpret_cast<Tuned *>(self);
  delete std::exchange(tuned->state, nullptr);
  return 0;
}

void destroy(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (reinterpret_cast<Tuned *>(self)->weak_references) PyObject_ClearWeakRefs(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

/// As a function in a class becomes a method.
PyObject *bind_method(PyObject *self, PyObject *object, PyObject *) {
  if (!object || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Tuned, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Tuned, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyMethodDef methods[] = {{"_prepare", prepare, METH_VARARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(create)},
                       {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
                       {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void *>(clear)},
                       {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                       {Py_tp_descr_get, reinterpret_cast<void *>(bind_method)},
                       {Py_tp_members, members},
                       {Py_tp_methods, methods},
                       {0, nullptr}};
PyType_Spec spec = {
    "libbench._core.Tuned", sizeof(Tuned), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    slots};

}  // namespace

nb::object make_tuned_type() {
  nb::object type = nb::steal(PyType_FromSpec(&spec));
  if (!type.is_valid()) throw nb::python_error();
  return type;
}

}  // namespace libbench
