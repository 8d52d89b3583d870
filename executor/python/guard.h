#ifndef SG_EXECUTOR_PYTHON_GUARD_H
#define SG_EXECUTOR_PYTHON_GUARD_H

/*
 * The run-time guard: refusals with a reason, inside the interpreter.
 *
 * guard(table) makes one of the table of executor/request.h.  Making it may
 * be long before the program, in a zygote: until arm(guard, script) it lets
 * everything pass.  `script` is the program's file name; what is armed stays.
 *
 * checked(guard, call, level) takes what does imports, and how many arguments
 * stand before that of the level, and gives what asks the guard first.
 */

#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

PyObject *sg_guard_new(PyObject *self, PyObject *table);
PyObject *sg_guard_checked(PyObject *self, PyObject *args);
PyObject *sg_guard_arm(PyObject *self, PyObject *args);

#endif
