/*
 * _sandgate: what the driver does before the program's first line, in C.
 *
 * Built once for every CPython from 3.9 on (limited API).  It is loaded from
 * the box's own file system; nothing of it is needed outside.
 */

#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_SET_MODE_FILTER
#define SECCOMP_SET_MODE_FILTER 1
#endif

enum { RESULT_FD = 3 };

/* What the kernel was given must be what it runs: one thread, one filter. */
static int
confine(struct sock_filter *insns, size_t n)
{
	struct sock_fprog prog = { (unsigned short)n, insns };

	if (syscall(SYS_close_range, RESULT_FD + 1, ~0u, 0) < 0)
		return -1;
	/* Its memory and environment are nobody's to read, not even its own
	   through /proc; and no core file. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
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

/* --- run-time guard ------------------------------------------------------ */

/*
 * An audit hook, set once and never taken off.  It only explains: whoever
 * gets round it meets the filters.
 */

typedef int (*audit_hook)(const char *event, PyObject *args, void *data);
/* In every CPython from 3.8 on, in the limited API's headers only later. */
extern int PySys_AddAuditHook(audit_hook hook, void *data);

struct entry {
	const char *event, *name, *message;
	size_t event_len; /* less the star at its end */
	int prefix;
};

struct guard {
	char *text; /* owns what the entries point to */
	char *script;
	struct entry *entries;
	size_t n;
	int busy; /* looking at frames raises events of its own */
};

/* The file name of a frame's code; a new reference. */
static PyObject *
frame_file(PyObject *frame)
{
	PyObject *code = PyObject_GetAttrString(frame, "f_code");
	PyObject *file = NULL;

	if (code)
		file = PyObject_GetAttrString(code, "co_filename");
	Py_XDECREF(code);
	return file;
}

/* 1: the import system's own frame, 2: the program's, 0: another's. */
static int
frame_kind(PyObject *frame, const struct guard *g)
{
	PyObject *file = frame_file(frame), *bytes = NULL;
	const char *name = NULL;
	int kind = 0;

	if (file)
		bytes = PyUnicode_AsUTF8String(file);
	if (bytes)
		name = PyBytes_AsString(bytes);
	if (name && strcmp(name, g->script) == 0)
		kind = 2;
	else if (name && strstr(name, "importlib"))
		kind = 1;
	Py_XDECREF(bytes);
	Py_XDECREF(file);
	PyErr_Clear();
	return kind;
}

/* True when the code that asks for a module is the program's own. */
static int
asked_by_program(const struct guard *g)
{
	PyObject *frame = (PyObject *)PyEval_GetFrame(), *back;
	int kind = 1;

	Py_XINCREF(frame);
	while (frame && frame != Py_None) {
		kind = frame_kind(frame, g);
		if (kind != 1)
			break;
		back = PyObject_GetAttrString(frame, "f_back");
		Py_DECREF(frame);
		frame = back;
	}
	Py_XDECREF(frame);
	PyErr_Clear();
	return kind == 2;
}

/* The first argument is the name, or lies in it: "os" takes "os.path". */
static int
names(const struct entry *e, PyObject *args)
{
	size_t n = strlen(e->name);
	PyObject *first, *bytes = NULL;
	const char *text = NULL;
	int hit = 0;

	if (n == 0)
		return 1;
	if (!PyTuple_Check(args) || PyTuple_Size(args) < 1)
		return 0;
	first = PyTuple_GetItem(args, 0);
	if (first && PyUnicode_Check(first))
		bytes = PyUnicode_AsUTF8String(first);
	if (bytes)
		text = PyBytes_AsString(bytes);
	if (text && strncmp(text, e->name, n) == 0)
		hit = text[n] == '\0' || text[n] == '.';
	Py_XDECREF(bytes);
	PyErr_Clear();
	return hit;
}

static int
on_event(const char *event, PyObject *args, void *data)
{
	struct guard *g = data;
	int hit = 0;

	if (g->busy)
		return 0;
	for (size_t i = 0; i < g->n && !hit; i++) {
		const struct entry *e = &g->entries[i];

		if (strncmp(event, e->event, e->event_len) != 0 ||
		    (!e->prefix && event[e->event_len] != '\0'))
			continue;
		g->busy = 1;
		hit = names(e, args) &&
		      (strcmp(event, "import") != 0 || asked_by_program(g));
		g->busy = 0;
		if (hit)
			PyErr_SetString(PyExc_PermissionError, e->message);
	}
	return hit ? -1 : 0;
}

/* Cuts the text, of which every part is ended by NUL, into entries. */
static int
cut(struct guard *g, size_t len)
{
	size_t parts = 0, at = 0;

	for (size_t i = 0; i < len; i++)
		parts += g->text[i] == '\0';
	if (parts % 3 || (len && g->text[len - 1] != '\0'))
		return -1;
	g->entries = calloc(parts / 3 + 1, sizeof(*g->entries));
	if (!g->entries)
		return -1;
	for (g->n = 0; g->n < parts / 3; g->n++) {
		struct entry *e = &g->entries[g->n];

		e->event = g->text + at;
		at += strlen(e->event) + 1;
		e->name = g->text + at;
		at += strlen(e->name) + 1;
		e->message = g->text + at;
		at += strlen(e->message) + 1;
		e->event_len = strlen(e->event);
		e->prefix = e->event_len && e->event[e->event_len - 1] == '*';
		e->event_len -= (size_t)e->prefix;
	}
	return 0;
}

/* A copy that lives as long as the interpreter; NULL without memory. */
static char *
keep_bytes(PyObject *bytes, size_t *ret_len)
{
	char *from, *to;
	Py_ssize_t n;

	if (PyBytes_AsStringAndSize(bytes, &from, &n) < 0)
		return NULL;
	to = malloc((size_t)n + 1);
	if (!to)
		return NULL;
	memcpy(to, from, (size_t)n);
	to[n] = '\0';
	*ret_len = (size_t)n;
	return to;
}

static PyObject *
set_guard(PyObject *self, PyObject *args)
{
	PyObject *table, *script;
	struct guard *g = calloc(1, sizeof(*g));
	size_t len = 0, script_len = 0;

	(void)self;
	if (g && PyArg_ParseTuple(args, "SS", &table, &script)) {
		g->text = keep_bytes(table, &len);
		g->script = keep_bytes(script, &script_len);
		if (g->text && g->script && cut(g, len) == 0 &&
		    PySys_AddAuditHook(on_event, g) == 0)
			Py_RETURN_NONE;
		if (!PyErr_Occurred())
			PyErr_SetString(PyExc_ValueError, "not a guard");
	}
	if (g) {
		free(g->text);
		free(g->script);
		free(g->entries);
	}
	free(g);
	return PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

static PyMethodDef methods[] = {
	{ "guard", set_guard, METH_VARARGS,
	  "guard(table, script): explain what is not allowed" },
	{ "lockdown", lockdown, METH_O,
	  "lockdown(filter): close what is not needed, add the filter" },
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
