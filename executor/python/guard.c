#include "executor/python/guard.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Theory of operation.  An audit hook, set once and never taken off.  It only
 * explains: whoever gets round it meets the filters.  A zygote makes the
 * table that most of its runs will ask for, and its forks only arm it.
 *
 * Entries of one event stand together, as a group, and the first that fits
 * decides; one without a message lets pass.  The hook is called for every
 * event of the interpreter, so what has no group must cost next to nothing.
 *
 * An entry that is `direct` counts only where the program itself does it: in
 * the innermost frame, or through nothing but the library whose event it is.
 * What other libraries do for their own ends is none of its business.
 *
 * Imports are asked about by wrapping the functions that import: a module that
 * is loaded already raises no event, and the event does not tell what the
 * program imports from what C code imports on its behalf.
 */

typedef int (*audit_hook)(const char *event, PyObject *args, void *data);
/* In every CPython from 3.8 on, in the limited API's headers only later. */
extern int PySys_AddAuditHook(audit_hook hook, void *data);

enum { PARTS = 4, PATH_MAX_LEN = 4096, MESSAGE_MAX = 2048, CHAINS = 256 };

struct entry {
	const char *name, *message;
	size_t name_len;
	bool direct;
	size_t next; /* of the same chain, 0: none; entries count from 1 */
};

struct group {
	const char *event;
	size_t len;    /* less the star at its end */
	size_t module; /* bytes before its dot */
	bool prefix, import;
	size_t first, n; /* of the entries */
};

struct guard {
	char *text;   /* owns what the entries point to */
	char *script; /* NULL: not armed */
	struct entry *entries;
	struct group *groups;
	size_t ngroups;
	size_t chain[CHAINS]; /* of modules, by what is before the first dot */
	size_t any;           /* the first entry for any module */
	const struct group *imports; /* or NULL */
	bool starts[256];            /* some event begins with this byte */
	bool busy; /* looking at frames raises events of its own */
};

/* ---- who does it ---- */

/* The file name of a frame's code, as bytes; a new reference or NULL. */
static PyObject *
frame_file(PyObject *frame)
{
	PyObject *code = PyObject_GetAttrString(frame, "f_code");
	PyObject *file = NULL, *bytes = NULL;

	if (code)
		file = PyObject_GetAttrString(code, "co_filename");
	if (file)
		bytes = PyUnicode_AsUTF8String(file);
	Py_XDECREF(code);
	Py_XDECREF(file);
	PyErr_Clear();
	return bytes;
}

static const char *
text_of(PyObject *bytes)
{
	const char *text = bytes ? PyBytes_AsString(bytes) : NULL;

	return text ? text : "";
}

/* Steps to the caller's frame; takes the reference over. */
static PyObject *
step_back(PyObject *frame)
{
	PyObject *back = PyObject_GetAttrString(frame, "f_back");

	Py_DECREF(frame);
	if (back == Py_None) {
		Py_DECREF(back);
		back = NULL;
	}
	PyErr_Clear();
	return back;
}

/* The name stands in the path as a file or folder: "/socket.py". */
static bool
is_module(const char *file, const char *name, size_t n)
{
	while ((file = strchr(file, '/')) != NULL) {
		file++;
		if (strncmp(file, name, n) == 0 &&
		    (file[n] == '.' || file[n] == '/'))
			return true;
	}
	return false;
}

/*
 * Between the program and the event may stand the library that is named by
 * the event, paths as objects, and code that was made from a text.
 */
static bool
is_passed(const struct group *group, const char *file)
{
	static const char text[] = "<string>", frozen[] = "<frozen ";
	size_t skip = sizeof(frozen) - 1;

	if (strcmp(file, text) == 0)
		return true;
	if (group->import)
		return strstr(file, "importlib") != NULL;
	if (strncmp(file, frozen, skip) == 0)
		return strncmp(file + skip, group->event, group->module) == 0 &&
		       file[skip + group->module] == '>';
	return is_module(file, group->event, group->module) ||
	       is_module(file, "pathlib", strlen("pathlib"));
}

static bool
asked_by_program(const struct guard *g, const struct group *group)
{
	PyObject *frame = (PyObject *)PyEval_GetFrame(), *file;
	bool asked = false, through = true;

	if (!frame)
		return false;
	Py_INCREF(frame);
	while (frame && through) {
		file = frame_file(frame);
		asked = strcmp(text_of(file), g->script) == 0;
		through = !asked && is_passed(group, text_of(file));
		Py_XDECREF(file);
		frame = step_back(frame);
	}
	Py_XDECREF(frame);
	return asked;
}

/* ---- what is done ---- */

/*
 * An absolute path without "." and ".." into `out`; "/" for a relative one
 * that climbs out, "" for one that does not.
 */
static void
plain_path(const char *path, char out[PATH_MAX_LEN])
{
	bool absolute = *path == '/';
	size_t len = 0, depth = 0;

	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && path[0] == '.' && path[1] == '.') {
			if (depth == 0 && !absolute) {
				memcpy(out, "/", 2);
				return;
			}
			while (depth && out[--len] != '/')
				;
			depth -= depth > 0;
		} else if (n > 0 && !(n == 1 && *path == '.')) {
			if (len + n + 2 > PATH_MAX_LEN)
				break;
			out[len++] = '/';
			memcpy(out + len, path, n);
			len += n;
			depth++;
		}
		path += n;
		path += *path == '/';
	}
	out[len] = '\0';
	if (!absolute)
		out[0] = '\0';
	else if (len == 0)
		memcpy(out, "/", 2);
}

/* The first argument as UTF-8; "" when it is no text.  A new reference. */
static PyObject *
first_text(PyObject *args)
{
	PyObject *first = NULL, *bytes = NULL;

	if (PyTuple_Check(args) && PyTuple_Size(args) > 0)
		first = PyTuple_GetItem(args, 0);
	if (first && PyUnicode_Check(first))
		bytes = PyUnicode_EncodeFSDefault(first);
	else if (first && PyBytes_Check(first)) {
		bytes = first;
		Py_INCREF(bytes);
	}
	PyErr_Clear();
	return bytes;
}

/* It is the name, or lies in it: "os" takes "os.path", "/tmp" "/tmp/a". */
static bool
named(const struct entry *e, const char *text, const char *path)
{
	const char *at = *e->name == '/' ? path : text;
	size_t n = e->name_len;

	if (n == 0)
		return true;
	if (strncmp(at, e->name, n) != 0)
		return false;
	return at[n] == '\0' || at[n] == (*e->name == '/' ? '/' : '.') ||
	       (n == 1 && *e->name == '/');
}

/* Raises the message, with the first argument for "{name}". */
static void
refuse(const struct entry *e, const char *text)
{
	static const char word[] = "{name}";
	const char *at = strstr(e->message, word);
	char out[MESSAGE_MAX];
	PyObject *message;

	if (!at) {
		PyErr_SetString(PyExc_PermissionError, e->message);
		return;
	}
	(void)PyOS_snprintf(out, sizeof(out), "%.*s%.200s%s",
			    (int)(at - e->message), e->message, text,
			    at + sizeof(word) - 1);
	message = PyUnicode_DecodeUTF8(out, (Py_ssize_t)strlen(out), "replace");
	if (message)
		PyErr_SetObject(PyExc_PermissionError, message);
	Py_XDECREF(message);
}

/* What one question is about, as far as it is known yet. */
struct question {
	struct guard *g;
	const struct group *group;
	const char *text;
	int asked; /* by the program; -1: not looked yet */
};

/* True when the entry decides; with an exception, or without. */
static bool
decides(struct question *q, const struct entry *e, const char *path)
{
	if (!named(e, q->text, path))
		return false;
	if (e->direct && q->asked < 0)
		q->asked = asked_by_program(q->g, q->group);
	if (e->direct && !q->asked)
		return false;
	if (*e->message)
		refuse(e, q->text);
	return true;
}

/* 0 or, with an exception, -1. */
static int
ask(struct guard *g, const struct group *group, PyObject *args)
{
	PyObject *bytes = first_text(args);
	struct question q = { g, group, text_of(bytes), -1 };
	char path[PATH_MAX_LEN];

	plain_path(q.text, path);
	for (size_t i = 0; i < group->n; i++)
		if (decides(&q, &g->entries[group->first + i], path))
			break;
	Py_XDECREF(bytes);
	return PyErr_Occurred() ? -1 : 0;
}

static size_t
chain_of(const char *name)
{
	size_t hash = 5381;

	for (; *name && *name != '.'; name++)
		hash = hash * 33 ^ (unsigned char)*name;
	return hash % CHAINS;
}

/* The same for a module; libraries import all the time. */
static int
ask_module(struct guard *g, PyObject *args)
{
	PyObject *bytes = first_text(args);
	struct question q = { g, g->imports, text_of(bytes), -1 };
	size_t at = g->chain[chain_of(q.text)];

	while (at && !decides(&q, &g->entries[at - 1], q.text))
		at = g->entries[at - 1].next;
	if (!at && g->any)
		(void)decides(&q, &g->entries[g->any - 1], q.text);
	Py_XDECREF(bytes);
	return PyErr_Occurred() ? -1 : 0;
}

static const struct group *
find_group(const struct guard *g, const char *event)
{
	if (!g->starts[(unsigned char)*event])
		return NULL;
	for (size_t i = 0; i < g->ngroups; i++) {
		const struct group *group = &g->groups[i];

		if (!group->import &&
		    strncmp(event, group->event, group->len) == 0 &&
		    (group->prefix || event[group->len] == '\0'))
			return group;
	}
	return NULL;
}

static int
on_event(const char *event, PyObject *args, void *data)
{
	struct guard *g = data;
	const struct group *group;
	int rc;

	if (g->busy)
		return 0;
	group = find_group(g, event);
	if (!group)
		return 0;
	g->busy = true;
	rc = ask(g, group, args);
	g->busy = false;
	return rc;
}

/* ---- imports ---- */

static const char capsule_name[] = "_sandgate.guard";

/* Argument `at`, or the one of that name; borrowed, NULL when not given. */
static PyObject *
argument(PyObject *args, PyObject *kwargs, Py_ssize_t at, const char *name)
{
	if (PyTuple_Size(args) > at)
		return PyTuple_GetItem(args, at);
	return kwargs ? PyDict_GetItemString(kwargs, name) : NULL;
}

/* PyImport_Import() calls so: twice the same globals, and an empty list. */
static bool
from_c_code(PyObject *args)
{
	return PyTuple_Size(args) == 5 &&
	       PyTuple_GetItem(args, 1) == PyTuple_GetItem(args, 2) &&
	       PyList_Check(PyTuple_GetItem(args, 3)) &&
	       PyList_Size(PyTuple_GetItem(args, 3)) == 0;
}

static int
ask_import(struct guard *g, PyObject *name)
{
	PyObject *args = PyTuple_Pack(1, name);
	int rc = args ? ask_module(g, args) : -1;

	Py_XDECREF(args);
	return rc;
}

/* `from a import b` may mean the module a.b. */
static int
ask_names(struct guard *g, PyObject *name, PyObject *list)
{
	Py_ssize_t n = PyTuple_Check(list) ? PyTuple_Size(list) : 0;
	int rc = 0;

	for (Py_ssize_t i = 0; i < n && rc == 0; i++) {
		PyObject *item = PyTuple_GetItem(list, i), *full;

		if (!PyUnicode_Check(item))
			continue;
		full = PyUnicode_FromFormat("%U.%U", name, item);
		rc = full ? ask_import(g, full) : -1;
		Py_XDECREF(full);
	}
	return rc;
}

/* `self` is what to call, the position of the level, the guard. */
static PyObject *
checked_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
	PyObject *call = PyTuple_GetItem(self, 0);
	struct guard *g = PyCapsule_GetPointer(PyTuple_GetItem(self, 2),
					       capsule_name);
	Py_ssize_t at = PyLong_AsSsize_t(PyTuple_GetItem(self, 1));
	PyObject *name = argument(args, kwargs, 0, "name");
	PyObject *level = argument(args, kwargs, at, "level");
	PyObject *list = argument(args, kwargs, 3, "fromlist");

	if (!g)
		return NULL;
	if (g->script && g->imports && !g->busy && name &&
	    PyUnicode_Check(name) && !from_c_code(args) &&
	    (!level || !PyLong_Check(level) || PyLong_AsLong(level) == 0)) {
		int rc;

		g->busy = true;
		rc = ask_import(g, name);
		if (rc == 0 && list)
			rc = ask_names(g, name, list);
		g->busy = false;
		if (rc < 0)
			return NULL;
	}
	PyErr_Clear();
	return PyObject_Call(call, args, kwargs);
}

static PyMethodDef checked_def = { "__import__",
				   (PyCFunction)(void (*)(void))checked_call,
				   METH_VARARGS | METH_KEYWORDS,
				   "imports a module, if it may be imported" };

PyObject *
sg_guard_checked(PyObject *self, PyObject *args)
{
	PyObject *guard, *call, *at, *bound, *made;

	(void)self;
	if (!PyArg_ParseTuple(args, "OOO", &guard, &call, &at))
		return NULL;
	bound = PyTuple_Pack(3, call, at, guard);
	if (!bound)
		return NULL;
	made = PyCFunction_New(&checked_def, bound);
	Py_DECREF(bound);
	return made;
}

/* ---- the table ---- */

/* At the end of its chain: the order of the table holds. */
static void
add_module(struct guard *g, size_t i)
{
	size_t *at = &g->chain[chain_of(g->entries[i].name)];

	while (*at)
		at = &g->entries[*at - 1].next;
	*at = i + 1;
}

static void
add_entry(struct guard *g, size_t i, const char *part[PARTS])
{
	struct group *last = g->ngroups ? &g->groups[g->ngroups - 1] : NULL;
	size_t len = strlen(part[0]);

	if (!last || strcmp(last->event, part[0]) != 0) {
		last = &g->groups[g->ngroups++];
		last->event = part[0];
		last->prefix = len && part[0][len - 1] == '*';
		last->len = len - last->prefix;
		last->module = strcspn(part[0], ".");
		last->import = strcmp(part[0], "import") == 0;
		last->first = i;
		if (last->import)
			g->imports = last;
		else
			g->starts[(unsigned char)part[0][0]] = true;
	}
	last->n++;
	g->entries[i] = (struct entry){ .name = part[1],
					.message = part[3],
					.name_len = strlen(part[1]),
					.direct = part[2][0] == 'd' };
	if (last->import && *part[1])
		add_module(g, i);
	else if (last->import && !g->any)
		g->any = i + 1;
}

/* Cuts the text, of which every part is ended by NUL, into entries. */
static bool
cut(struct guard *g, size_t len)
{
	const char *part[PARTS];
	size_t parts = 0, at = 0;

	for (size_t i = 0; i < len; i++)
		parts += g->text[i] == '\0';
	if (parts % PARTS || (len && g->text[len - 1] != '\0'))
		return false;
	g->entries = calloc(parts / PARTS + 1, sizeof(*g->entries));
	g->groups = calloc(parts / PARTS + 1, sizeof(*g->groups));
	if (!g->entries || !g->groups)
		return false;
	for (size_t i = 0; i < parts / PARTS; i++) {
		for (size_t k = 0; k < PARTS; k++) {
			part[k] = g->text + at;
			at += strlen(part[k]) + 1;
		}
		add_entry(g, i, part);
	}
	return true;
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

static void
drop(struct guard *g)
{
	if (!g)
		return;
	free(g->text);
	free(g->entries);
	free(g->groups);
	free(g);
}

PyObject *
sg_guard_new(PyObject *self, PyObject *table)
{
	struct guard *g = calloc(1, sizeof(*g));
	PyObject *capsule = NULL;
	size_t len = 0;

	(void)self;
	if (g)
		g->text = keep_bytes(table, &len);
	if (g && g->text && !cut(g, len))
		PyErr_SetString(PyExc_ValueError, "not a guard");
	if (g && g->entries && g->groups && !PyErr_Occurred())
		capsule = PyCapsule_New(g, capsule_name, NULL);
	if (capsule)
		return capsule;
	drop(g);
	return PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

PyObject *
sg_guard_arm(PyObject *self, PyObject *args)
{
	PyObject *capsule, *script;
	struct guard *g;
	size_t len;

	(void)self;
	if (!PyArg_ParseTuple(args, "OS", &capsule, &script))
		return NULL;
	g = PyCapsule_GetPointer(capsule, capsule_name);
	if (!g)
		return NULL;
	if (g->script) {
		PyErr_SetString(PyExc_ValueError, "armed already");
		return NULL;
	}
	g->script = keep_bytes(script, &len);
	if (!g->script || PySys_AddAuditHook(on_event, g) != 0)
		return PyErr_Occurred() ? NULL : PyErr_NoMemory();
	Py_RETURN_NONE;
}
