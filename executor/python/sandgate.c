/*
 * _sandgate: what the driver does before the program's first line, in C.
 *
 * Built once for every CPython from 3.9 on (limited API).  It is loaded from
 * the box's own file system; nothing of it is needed outside.
 */

#include "executor/python/guard.h"
#include "executor/python/hot.h"
#include "executor/python/serve.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_SET_MODE_FILTER
#define SECCOMP_SET_MODE_FILTER 1
#endif

enum { RESULT_FD = 3 };

/* The program has its three, and the one on which the driver answers. */
static int
close_rest(void)
{
	return (int)syscall(SYS_close_range, RESULT_FD + 1, ~0u, 0);
}

/* What the kernel was given must be what it runs: one thread, one filter. */
static int
confine(struct sock_filter *insns, size_t n)
{
	struct sock_fprog prog = { (unsigned short)n, insns };

	if (close_rest() < 0)
		return -1;
	/* Its memory and environment are nobody's to read, not even its own
	   through /proc; and no core file. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
}

/* As exit() does, but for what libraries would take apart. */
static PyObject *
leave(PyObject *self, PyObject *arg)
{
	long status = PyLong_AsLong(arg);

	(void)self;
	if (status == -1 && PyErr_Occurred())
		return NULL;
	(void)fflush(NULL);
	_exit((int)status);
}

static PyObject *
lockdown(PyObject *self, PyObject *arg)
{
	char *bytes;
	Py_ssize_t n;

	(void)self;
	if (PyBytes_AsStringAndSize(arg, &bytes, &n) < 0)
		return NULL;
	if (n <= 0 || n % (Py_ssize_t)sizeof(struct sock_filter) ||
	    n / (Py_ssize_t)sizeof(struct sock_filter) > BPF_MAXINSNS) {
		PyErr_SetString(PyExc_ValueError, "not a filter");
		return NULL;
	}
	if (confine((struct sock_filter *)(void *)bytes,
		    (size_t)n / sizeof(struct sock_filter)) != 0)
		return PyErr_SetFromErrno(PyExc_OSError);
	Py_RETURN_NONE;
}

/* Where the worker has added the final filter itself. */
static PyObject *
close_up(PyObject *self, PyObject *ignored)
{
	(void)self;
	(void)ignored;
	if (close_rest() < 0)
		return PyErr_SetFromErrno(PyExc_OSError);
	if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0 ||
	    prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != SECCOMP_MODE_FILTER) {
		PyErr_SetString(PyExc_OSError, "not confined");
		return NULL;
	}
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "close_up", close_up, METH_NOARGS,
	  "close_up(): close what is not needed; the filter is there" },
	{ "guard", sg_guard_set, METH_VARARGS,
	  "guard(table, script): explain what is not allowed" },
	{ "learn", sg_hot_learn, METH_O,
	  "learn(number): the end of a trial; note which pages it used" },
	{ "leave", leave, METH_O,
	  "leave(status): end, with what C has written" },
	{ "lockdown", lockdown, METH_O,
	  "lockdown(filter): close what is not needed, add the filter" },
	{ "missing", sg_serve_missing, METH_NOARGS,
	  "missing(): a module to be imported ahead is not there" },
	{ "serve", sg_serve, METH_VARARGS,
	  "serve(fit, learnt): fork for each run; returns in the forks" },
	{ "trial", sg_hot_trial, METH_NOARGS,
	  "trial(): fork once, for learn()" },
	{ "wait", sg_serve_wait, METH_O,
	  "wait(parked): return when there is an order" },
	{ NULL, NULL, 0, NULL }
};

static struct PyModuleDef module = { PyModuleDef_HEAD_INIT,
				     "_sandgate",
				     NULL,
				     -1,
				     methods,
				     NULL,
				     NULL,
				     NULL,
				     NULL };

PyMODINIT_FUNC PyInit__sandgate(void);

PyMODINIT_FUNC
PyInit__sandgate(void)
{
	return PyModule_Create(&module);
}
