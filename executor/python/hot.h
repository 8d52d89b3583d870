#ifndef SG_EXECUTOR_PYTHON_HOT_H
#define SG_EXECUTOR_PYTHON_HOT_H

/*
 * The pages that most runs of a zygote write to or read.
 *
 * A fork shares its pages until it writes to one; each first write stops the
 * program for the kernel to copy it.  So a zygote lets one fork do what a
 * program does, and notes which pages it has made its own; each worker then
 * has these copied at once, while it waits for its order.
 *
 * trial() gives free memory back, and forks.  The child gets a number and
 * calls learn(number) at its end, which does not return; the zygote waits
 * for it and gets bytes.
 *
 * sort(few, many) makes one of what two trials gave, of a program that does
 * what nearly all do, and of one that does what many do.  later(learnt) is
 * what of that is only for the second kind, in the zygote that is about to
 * serve.
 */

#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "base/str.h"

PyObject *sg_hot_sort(PyObject *self, PyObject *args);
PyObject *sg_hot_later(PyObject *self, PyObject *learnt);
PyObject *sg_hot_trial(PyObject *self, PyObject *ignored);
PyObject *sg_hot_learn(PyObject *self, PyObject *number);

struct hot;

/*
 * What of it is the zygote's, once nothing more is mapped or unmapped; in
 * memory that stays.  NULL: nothing.
 */
struct hot *sg_hot_keep(struct sg_str learnt);
/*
 * Has forks copy what of it is written to, where the kernel does that, and
 * joins the pages between to large ones.
 */
void sg_hot_settle(struct hot *hot);
/* Copies the rest, in a fork, but for what is later. */
void sg_hot_heat(const struct hot *hot);
/*
 * Copies what later() gave, in a fork that has been sealed, once `fd` has had
 * nothing to read for a while, and until it has.
 */
void sg_hot_idle(int fd, struct sg_str later);

#endif
