#ifndef SG_EXECUTOR_PYTHON_SERVE_H
#define SG_EXECUTOR_PYTHON_SERVE_H

/*
 * The fork server of a zygote.
 *
 * serve(fit, learnt) takes asks from the control socket, which is descriptor
 * 3, and answers each with a warden (executor/order.h).  It returns in
 * workers only, which are forks of this interpreter, one for each run.
 *
 * There may be no order yet: wait(parked), with what serve() has returned,
 * waits for it.  Then the worker is confined, with its request on descriptor
 * 4.  It says whether the final filter is in place, so that the driver must
 * not add it.
 *
 * `fit` is false when the interpreter holds what a fork would not; `learnt`
 * is what trial() gave (hot.h).
 *
 * missing() says that a module cannot be imported, and ends.
 */

#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

PyObject *sg_serve(PyObject *self, PyObject *args);
PyObject *sg_serve_wait(PyObject *self, PyObject *parked);
PyObject *sg_serve_missing(PyObject *self, PyObject *ignored);

#endif
