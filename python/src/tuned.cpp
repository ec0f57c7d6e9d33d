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
  };
  std::vector<Addition> configs;
  bool passes_more = false;  // unknown keywords belong to the function, and are no arguments
  // The last caller's keyword names (a constant of its code) joined with what is added to them: for
  // plain calls, and for calls that are bound to a grid.
  struct Joined {
    nb::object last;
    std::vector<nb::object> names;  // by configuration
  };
  Joined joined[2];
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

/// What a grid adds to the keywords of a launch: "grid" and "warmup".
const std::vector<nb::object> &grid_names() {
  static auto &names =
      *new std::vector<nb::object>{nb::steal(PyUnicode_InternFromString("grid")),
                                   nb::steal(PyUnicode_InternFromString("warmup"))};
  return names;
}

std::size_t keyword_count(PyObject *names) {
  return names ? std::size_t(PyTuple_GET_SIZE(names)) : 0;
}

PyObject *slow(PyObject *self, PyObject *const *arguments, std::size_t positional, PyObject *names,
               PyObject *grid) {
  PyObject *given = PyTuple_New(Py_ssize_t(positional));
  PyObject *keywords = PyDict_New();
  if (!given || !keywords) {
    Py_XDECREF(given);
    Py_XDECREF(keywords);
    return nullptr;
  }
  for (std::size_t at = 0; at < positional; ++at)
    PyTuple_SET_ITEM(given, Py_ssize_t(at), Py_NewRef(arguments[at]));
  for (std::size_t at = 0; at < keyword_count(names); ++at)
    PyDict_SetItem(keywords, PyTuple_GET_ITEM(names, Py_ssize_t(at)), arguments[positional + at]);
  if (grid) {
    PyDict_SetItem(keywords, grid_names()[0].ptr(), grid);
    PyDict_SetItem(keywords, grid_names()[1].ptr(), Py_False);
  }
  PyObject *result = PyObject_CallMethodObjArgs(self, miss_name().ptr(), given, keywords, nullptr);
  Py_DECREF(given);
  Py_DECREF(keywords);
  return result;
}

/// Values by declared argument. False where the slow way must look.
bool bind(const State &state, PyObject *const *arguments, std::size_t positional, PyObject *names,
          bool has_grid, PyObject **bound) {
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
      // A grid given twice: the slow way complains.
      if (has_grid && (name == grid_names()[0].ptr() || name == grid_names()[1].ptr()))
        return false;
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
  thread_local bool busy = false;
  if (busy) return -1;  // an argument's own code called a tuned function
  struct Busy {
    Busy() { busy = true; }
    ~Busy() { busy = false; }
  } const held;
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

/// The keyword names of a call with all that is added to them; null for none.
nb::object joined_names(State &state, PyObject *names, bool has_grid, std::size_t index) {
  State::Joined &joined = state.joined[has_grid];
  if (joined.names.empty() || joined.last.ptr() != names) {
    joined.names.assign(state.configs.size(), nb::object());
    joined.last = nb::borrow(names);
  }
  if (joined.names[index].is_valid()) return joined.names[index];
  nb::list all;
  if (names)
    for (nb::handle each : nb::borrow<nb::tuple>(names)) all.append(each);
  if (has_grid)
    for (const nb::object &each : grid_names()) all.append(each);
  for (const nb::object &each : state.configs[index].names) all.append(each);
  if (nb::len(all) == 0) return nb::object();
  nb::object made = nb::tuple(all);
  // Making it may have run a finalizer that called this very function with other names.
  if (joined.last.ptr() == names) joined.names[index] = made;
  return made;
}

PyObject *launch(State &state, std::size_t index, PyObject *const *arguments,
                 std::size_t positional, PyObject *names, PyObject *grid) {
  const State::Addition &addition = state.configs[index];
  const std::size_t given = keyword_count(names) + positional;
  PyObject *stack[most_stack + 1];
  // The first place is free: a bound method puts its object there instead of copying the rest.
  std::size_t size = 1;
  for (std::size_t at = 0; at < given; ++at) stack[size++] = arguments[at];
  if (grid) {
    stack[size++] = grid;
    stack[size++] = Py_False;  // warmup
  }
  for (const nb::object &each : addition.values) stack[size++] = each.ptr();
  // Held: the function may be called again within, with other keywords.
  const nb::object all_names = joined_names(state, names, grid != nullptr, index);
  const nb::object function = state.function;
  return PyObject_Vectorcall(function.ptr(), stack + 1, positional | PY_VECTORCALL_ARGUMENTS_OFFSET,
                             all_names.ptr());
}

PyObject *call_with(PyObject *self, PyObject *const *arguments, std::size_t positional,
                    PyObject *names, PyObject *grid) {
  State *state = reinterpret_cast<Tuned *>(self)->state;
  PyObject *bound[most_arguments];
  // No state: the first call, in which the class above makes the tuner.
  if (!state || !bind(*state, arguments, positional, names, grid != nullptr, bound))
    return slow(self, arguments, positional, names, grid);
  const std::int64_t index = look_up(*state, bound);
  constexpr std::size_t grid_values = 2;
  const std::size_t given = positional + keyword_count(names) + grid_values;
  if (index < 0 || state->configs[std::size_t(index)].slow ||
      given + state->configs[std::size_t(index)].values.size() > most_stack)
    return slow(self, arguments, positional, names, grid);
  return launch(*state, std::size_t(index), arguments, positional, names, grid);
}

PyObject *call(PyObject *self, PyObject *const *arguments, std::size_t flagged, PyObject *names) {
  return call_with(self, arguments, std::size_t(PyVectorcall_NARGS(flagged)), names, nullptr);
}

/// `kernel[grid]`, to be called once: as cheap as it can be made.
struct Bound {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *tuned;
  PyObject *grid;
};

PyObject *call_bound(PyObject *self, PyObject *const *arguments, std::size_t flagged,
                     PyObject *names) {
  const auto *bound = reinterpret_cast<Bound *>(self);
  return call_with(bound->tuned, arguments, std::size_t(PyVectorcall_NARGS(flagged)), names,
                   bound->grid);
}

int traverse_bound(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<Bound *>(self)->tuned);
  Py_VISIT(reinterpret_cast<Bound *>(self)->grid);
  return 0;
}

int clear_bound(PyObject *self) {
  Py_CLEAR(reinterpret_cast<Bound *>(self)->tuned);
  Py_CLEAR(reinterpret_cast<Bound *>(self)->grid);
  return 0;
}

void destroy_bound(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear_bound(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef bound_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Bound, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot bound_slots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(destroy_bound)},
                             {Py_tp_traverse, reinterpret_cast<void *>(traverse_bound)},
                             {Py_tp_clear, reinterpret_cast<void *>(clear_bound)},
                             {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                             {Py_tp_members, bound_members},
                             {0, nullptr}};
PyType_Spec bound_spec = {"libbench._core.Bound", sizeof(Bound), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
                          bound_slots};

PyTypeObject *bound_type() {
  static auto *type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&bound_spec));
  return type;
}

PyObject *bind_grid(PyObject *self, PyObject *grid) {
  PyTypeObject *type = bound_type();
  auto *bound = type ? reinterpret_cast<Bound *>(PyType_GenericAlloc(type, 0)) : nullptr;
  if (!bound) return nullptr;
  bound->vectorcall = call_bound;
  bound->tuned = Py_NewRef(self);
  bound->grid = Py_NewRef(grid);
  return reinterpret_cast<PyObject *>(bound);
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
      for (const auto &[name, value] : nb::cast<nb::dict>(each)) {
        addition.names.push_back(nb::borrow(name));
        addition.values.push_back(nb::borrow(value));
      }
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
                         {"_bind_grid", bind_grid, METH_O, nullptr},
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
