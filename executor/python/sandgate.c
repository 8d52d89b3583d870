/*
 * _sandgate: what the driver does before the program's first line, in C.
 *
 * Built once for every CPython from 3.9 on (limited API).  It is loaded from
 * the box's own file system; nothing of it is needed outside.
 */

#include "executor/python/fill.h"
#include "executor/python/guard.h"
#include "executor/python/hot.h"
#include "executor/python/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SECCOMP_SET_MODE_FILTER
#define SECCOMP_SET_MODE_FILTER 1
#endif

enum { RESULT_FD = 3, REQUEST_FD = 4, LENGTH = 4, FIRST_ROOM = 16384 };

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

/* NULL, or an exception. */
static PyObject *
lockdown(PyObject *filter)
{
	char *bytes;
	Py_ssize_t n;

	if (PyBytes_AsStringAndSize(filter, &bytes, &n) < 0)
		return NULL;
	if (n <= 0 || n % (Py_ssize_t)sizeof(struct sock_filter) ||
	    n / (Py_ssize_t)sizeof(struct sock_filter) > BPF_MAXINSNS) {
		PyErr_SetString(PyExc_ValueError, "not a filter");
		return NULL;
	}
	if (confine((struct sock_filter *)(void *)bytes,
		    (size_t)n / sizeof(struct sock_filter)) != 0)
		return PyErr_SetFromErrno(PyExc_OSError);
	return filter;
}

/* Where the worker has added the final filter itself. */
static PyObject *
close_up(PyObject *none)
{
	if (close_rest() < 0)
		return PyErr_SetFromErrno(PyExc_OSError);
	if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0 ||
	    prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != SECCOMP_MODE_FILTER) {
		PyErr_SetString(PyExc_OSError, "not confined");
		return NULL;
	}
	return none;
}

/* Nanoseconds, eight bytes, little endian. */
static void
put_time(clockid_t clock, unsigned char *to)
{
	struct timespec t = { 0, 0 };
	uint64_t ns;

	(void)clock_gettime(clock, &t);
	ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	for (int i = 0; i < 8; i++)
		to[i] = (unsigned char)(ns >> 8 * i);
}

static PyObject *
start(PyObject *self, PyObject *filter)
{
	/* As Run.send() would; see executor/frame.h. */
	unsigned char frame[5 + 16] = { 'S', 16 };
	ssize_t n;

	(void)self;
	if (!(filter == Py_None ? close_up(filter) : lockdown(filter)))
		return NULL;
	put_time(CLOCK_MONOTONIC, frame + 5);
	put_time(CLOCK_PROCESS_CPUTIME_ID, frame + 13);
	do
		n = write(RESULT_FD, frame, sizeof(frame));
	while (n < 0 && errno == EINTR);
	Py_RETURN_NONE;
}

/* --- the request ---------------------------------------------------------- */

struct text {
	char *p;
	size_t n, room;
};

/* All that comes, until nobody can write any more; false with errno. */
static bool
read_request(struct text *t)
{
	for (;;) {
		ssize_t n;

		if (t->n == t->room) {
			size_t room = t->room ? t->room * 2 : FIRST_ROOM;
			char *p = realloc(t->p, room);

			if (!p)
				return false;
			t->p = p;
			t->room = room;
		}
		n = read(REQUEST_FD, t->p + t->n, t->room - t->n);
		if (n == 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
		t->n += n > 0 ? (size_t)n : 0;
	}
}

/* A list of the texts, each with its length in front (executor/request.h). */
static PyObject *
cut_request(const struct text *t)
{
	PyObject *list = PyList_New(0), *text;
	size_t at = 0;

	while (list && t->n - at >= LENGTH) {
		const unsigned char *p = (const unsigned char *)t->p + at;
		size_t n = p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 |
			   (size_t)p[3] << 24;

		at += LENGTH;
		if (n > t->n - at)
			n = t->n - at;
		text = PyBytes_FromStringAndSize(t->p + at, (Py_ssize_t)n);
		at += n;
		if (!text || PyList_Append(list, text) < 0) {
			Py_DECREF(list);
			list = NULL;
		}
		Py_XDECREF(text);
	}
	return list;
}

static PyObject *
request(PyObject *self, PyObject *later)
{
	struct text t = { NULL, 0, 0 };
	PyObject *list = NULL;
	Py_ssize_t n;
	char *p;

	(void)self;
	if (PyBytes_AsStringAndSize(later, &p, &n) < 0)
		return NULL;
	sg_hot_idle(REQUEST_FD, (struct sg_str){ p, (size_t)n });
	if (read_request(&t))
		list = cut_request(&t);
	else
		(void)PyErr_SetFromErrno(PyExc_OSError);
	free(t.p);
	return list;
}

/* By system call: opendir() takes 32 KiB for what is nearly always empty. */
static PyObject *
bare(PyObject *self, PyObject *ignored)
{
	struct entry {
		uint64_t inode, next;
		unsigned short size;
		char kind, name[];
	};
	_Alignas(uint64_t) char room[256];
	int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool empty = fd >= 0;
	long n = 1, at;

	(void)self;
	(void)ignored;
	while (empty && n > 0) {
		n = syscall(SYS_getdents64, fd, room, sizeof(room));
		empty = n >= 0;
		for (at = 0; empty && at < n;) {
			const struct entry *e = (void *)(room + at);

			empty = strcmp(e->name, ".") == 0 ||
				strcmp(e->name, "..") == 0;
			at += e->size;
		}
	}
	if (fd >= 0)
		(void)close(fd);
	return PyBool_FromLong(empty);
}

static PyMethodDef methods[] = {
	{ "arm", sg_guard_arm, METH_VARARGS,
	  "arm(guard, script): from now on it explains" },
	{ "bare", bare, METH_NOARGS,
	  "bare(): nothing is in the working folder" },
	{ "checked", sg_guard_checked, METH_VARARGS,
	  "checked(guard, call, level): what asks the guard first" },
	{ "fill", sg_fill, METH_NOARGS,
	  "fill(): take what is free between what is not" },
	{ "guard", sg_guard_new, METH_O,
	  "guard(table): one that explains what is not allowed" },
	{ "learn", sg_hot_learn, METH_O,
	  "learn(number): the end of a trial; note which pages it used" },
	{ "later", sg_hot_later, METH_O,
	  "later(learnt): the part that is for some programs" },
	{ "leave", leave, METH_O,
	  "leave(status): end, with what C has written" },
	{ "missing", sg_serve_missing, METH_NOARGS,
	  "missing(): a module to be imported ahead is not there" },
	{ "request", request, METH_O,
	  "request(later): its texts, when all is there; see hot.h" },
	{ "serve", sg_serve, METH_VARARGS,
	  "serve(fit, learnt): fork for each run; returns in the forks" },
	{ "sort", sg_hot_sort, METH_VARARGS,
	  "sort(few, many): what trials gave, in one" },
	{ "start", start, METH_O,
	  "start(filter): close what is not needed, add the filter (None: it "
	  "is there), and say that the program starts" },
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
