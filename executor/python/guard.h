#ifndef SG_EXECUTOR_PYTHON_GUARD_H
#define SG_EXECUTOR_PYTHON_GUARD_H

/*
 * The run-time guard: refusals with a reason, inside the interpreter.
 *
 * guard(table, script) sets it, once, for a program whose file name is
 * `script`; the table is that of executor/request.h.  It returns a function
 * that takes what does imports, and how many arguments stand before that of
 * the level, and gives what asks the guard first.
 */

#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

PyObject *sg_guard_set(PyObject *self, PyObject *args);

#endif
