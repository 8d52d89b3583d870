#ifndef SG_EXECUTOR_PYTHON_FILL_H
#define SG_EXECUTOR_PYTHON_FILL_H

/*
 * fill() takes the free memory between what is allocated, and keeps it, so
 * that forks allocate elsewhere.
 */

#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

PyObject *sg_fill(PyObject *self, PyObject *ignored);

#endif
