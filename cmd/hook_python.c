#include "cmd/hook.h"

#include <ctype.h>

/* How Python is started: with which text, from where. */

/* ---- names ---- */

struct sg_str
sg_hook_base(struct sg_str path)
{
	size_t from = path.n;

	while (from > 0 && path.p[from - 1] != '/')
		from--;
	return sg_str_slice(path, from, path.n);
}

bool
sg_hook_is_interpreter(struct sg_str base)
{
	static const char *const stems[] = { "python",      "pypy",
					     "ipython",     "graalpy",
					     "micropython", "py" };

	for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); i++) {
		size_t at = strlen(stems[i]);

		if (!sg_str_starts(base, sg_str_c(stems[i])))
			continue;
		/* "python3.11-dbg", "pythonw"; "py" alone. */
		while (at < base.n && (isdigit((unsigned char)base.p[at]) ||
				       strchr(".-dwt", base.p[at])))
			at++;
		if (sg_str_ends(base, SG_STR("-dbg")) ||
		    sg_str_ends(base, SG_STR(".exe")))
			at = base.n;
		if (at == base.n)
			return true;
	}
	return false;
}

bool
sg_hook_is_python(struct sg_str path)
{
	return sg_str_ends(path, SG_STR(".py")) ||
	       sg_str_ends(path, SG_STR(".pyw"));
}

bool
sg_hook_is_notebook(struct sg_str path)
{
	return sg_str_ends(path, SG_STR(".ipynb"));
}

bool
sg_hook_mentions(struct sg_str text)
{
	static const char *const words[] = { "python", "pypy", ".py" };

	for (size_t at = 0; at < text.n; at++) {
		struct sg_str rest = sg_str_slice(text, at, text.n);

		for (size_t i = 0; i < 3; i++)
			if (sg_str_starts(rest, sg_str_c(words[i])))
				return true;
	}
	return false;
}

/* ---- files ---- */

static bool
is_folder(const struct sg_hook *h, struct sg_str name)
{
	static const char main_name[] = "/__main__.py";
	struct sg_str path = sg_arena_printf(h->arena, "%.*s%s",
					     SG_STR_ARG(name), main_name);

	return sg_hook_read(h, sg_hook_path(h, path)).p != NULL;
}

void
sg_hook_run(struct sg_hook *h, struct sg_str name)
{
	struct sg_str text;

	if (is_folder(h, name))
		name = sg_arena_printf(h->arena, "%.*s/__main__.py",
				       SG_STR_ARG(name));
	if (sg_str_ends(name, SG_STR(".pyc")) ||
	    sg_str_ends(name, SG_STR(".pyz")) ||
	    sg_str_ends(name, SG_STR(".zip"))) {
		sg_hook_refuse(h,
			       "'%.*s' is no source text and cannot be judged; "
			       "run the source instead",
			       SG_STR_ARG(name));
		return;
	}
	if (h->lost && name.n && name.p[0] != '/')
		sg_hook_refuse(h,
			       "in which folder '%.*s' is run is only known "
			       "when the shell runs; write its whole path",
			       SG_STR_ARG(name));
	else if (sg_hook_file(h, name, &text) == SG_HOOK_TEXT)
		sg_hook_add(h, name, text, SG_STR_NONE);
	else
		sg_hook_refuse(h,
			       "what '%.*s' will hold when it is run cannot be "
			       "known now; write the file first, then run it "
			       "by a command of its own",
			       SG_STR_ARG(name));
}

static void run_input(struct sg_hook *h, const struct sg_hook_call *call);

static void
run_word(struct sg_hook *h, const struct sg_hook_call *call,
	 const struct sg_sh_word *w)
{
	if (sg_str_eq(w->text, SG_STR("/dev/stdin")) ||
	    sg_str_eq(w->text, SG_STR("/dev/fd/0")) ||
	    sg_str_eq(w->text, SG_STR("/proc/self/fd/0")))
		run_input(h, call);
	else if (w->dynamic)
		sg_hook_refuse(h, "which script Python will run is only known "
				  "when the shell runs; write its name");
	else
		sg_hook_run(h, w->text);
}

void
sg_hook_scripts(struct sg_hook *h, const struct sg_hook_call *call)
{
	for (uint32_t i = 1; i < call->argc; i++) {
		const struct sg_sh_word *w = &call->argv[i];
		struct sg_str text;

		if (sg_hook_is_notebook(w->text)) {
			text = sg_hook_read(h, sg_hook_path(h, w->text));
			if (text.p)
				sg_hook_notebook(h, w->text, text, SG_STR_NONE);
		} else if (sg_hook_is_python(w->text)) {
			run_word(h, call, w);
		}
	}
}

/* ---- texts ---- */

static void
add_code(struct sg_hook *h, const char *name, const struct sg_sh_word *w,
	 size_t from)
{
	if (w->dynamic)
		sg_hook_refuse(h,
			       "the code of '%s' has parts that the shell "
			       "fills in, so it cannot be judged; put it into "
			       "single quotes, or give it by <<'EOF', and pass "
			       "values as arguments (sys.argv)",
			       name);
	else
		sg_hook_add(h, sg_str_c(name),
			    sg_str_slice(w->text, from, w->text.n),
			    SG_STR_NONE);
}

static void
run_input(struct sg_hook *h, const struct sg_hook_call *call)
{
	struct sg_str text;

	switch (sg_hook_input(h, call, &text)) {
	case SG_HOOK_TEXT:
		sg_hook_add(h, SG_STR("python -"), text, SG_STR_NONE);
		break;
	case SG_HOOK_UNKNOWN:
		sg_hook_refuse(h, "what Python reads from standard input "
				  "cannot be known now, so it cannot be "
				  "judged; give it by <<'EOF' or as a file");
		break;
	case SG_HOOK_NOTHING:
		/* Agents type into programs later, and no hook sees what. */
		sg_hook_refuse(h,
			       "Python without a script reads lines that "
			       "cannot be known now, so it cannot be judged; "
			       "give the code by <<'EOF' or as a file");
		break;
	case SG_HOOK_EMPTY:
		break;
	}
}

/* ---- python -m ---- */

enum takes { TAKES_SCRIPTS, TAKES_CODE, TAKES_LINES };

static const struct {
	const char *module;
	enum takes takes;
} modules[] = {
	{ "timeit", TAKES_CODE },
	{ "code", TAKES_LINES },
	{ "asyncio", TAKES_LINES },
	{ "bpython", TAKES_LINES },
	{ "ptpython", TAKES_LINES },
	{ "pdb", TAKES_SCRIPTS },
	{ "cProfile", TAKES_SCRIPTS },
	{ "profile", TAKES_SCRIPTS },
	{ "trace", TAKES_SCRIPTS },
	{ "doctest", TAKES_SCRIPTS },
	{ "unittest", TAKES_SCRIPTS },
	{ "coverage", TAKES_SCRIPTS },
	{ "pytest", TAKES_SCRIPTS },
	{ "pyinstrument", TAKES_SCRIPTS },
	{ "kernprof", TAKES_SCRIPTS },
	{ "line_profiler", TAKES_SCRIPTS },
	{ "memory_profiler", TAKES_SCRIPTS },
	{ "scalene", TAKES_SCRIPTS },
	{ "debugpy", TAKES_SCRIPTS },
	{ "streamlit", TAKES_SCRIPTS },
	{ "IPython", TAKES_SCRIPTS },
	{ "jupyter", TAKES_SCRIPTS },
	{ "nbconvert", TAKES_SCRIPTS },
	{ "papermill", TAKES_SCRIPTS },
	{ "runpy", TAKES_SCRIPTS },
};

/* "python -m timeit -s SETUP CODE...": all that are no options. */
static void
run_timeit(struct sg_hook *h, const struct sg_hook_call *call, uint32_t from)
{
	for (uint32_t i = from; i < call->argc; i++) {
		const struct sg_sh_word *w = &call->argv[i];
		bool option = w->text.n > 1 && w->text.p[0] == '-';

		if (option && w->text.p[1] == 's' && w->text.n > 2)
			add_code(h, "timeit -s", w, 2);
		else if (option && strchr("nru", w->text.p[1]) &&
			 w->text.n == 2)
			i++;
		else if (!option)
			add_code(h, "timeit", w, 0);
	}
}

/* A module of the project, as a file; those that are installed are not ours. */
static void
run_own_module(struct sg_hook *h, struct sg_str name)
{
	static const char *const ends[] = { ".py", "/__main__.py" };
	struct sg_buf b;

	sg_buf_init(&b, 4096);
	sg_buf_str(&b, name);
	for (size_t i = 0; i < b.len; i++)
		if (b.data[i] == '.')
			b.data[i] = '/';
	for (size_t i = 0; i < 2 && !sg_buf_failed(&b); i++) {
		struct sg_str path =
			sg_arena_printf(h->arena, "%.*s%s",
					SG_STR_ARG(sg_buf_view(&b)), ends[i]);
		struct sg_str text;

		if (sg_hook_file(h, path, &text) != SG_HOOK_NOTHING)
			sg_hook_run(h, path);
	}
	sg_buf_release(&b);
}

static void
run_module(struct sg_hook *h, const struct sg_hook_call *call, uint32_t at,
	   size_t from)
{
	const struct sg_sh_word *w = &call->argv[at];
	struct sg_str name = sg_str_slice(w->text, from, w->text.n);
	struct sg_hook_call rest = *call;

	if (w->dynamic) {
		sg_hook_refuse(h, "which module 'python -m' will run is only "
				  "known when the shell runs; write its name");
		return;
	}
	rest.argv += at;
	rest.argc -= at;
	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		if (!sg_str_eq(name, sg_str_c(modules[i].module)))
			continue;
		if (modules[i].takes == TAKES_CODE)
			run_timeit(h, call, at + 1);
		else if (modules[i].takes == TAKES_LINES)
			run_input(h, call);
		else
			sg_hook_scripts(h, &rest);
		return;
	}
	run_own_module(h, name);
}

/* ---- the command line of Python ---- */

enum what { GO_ON, DONE };

/* The value of a letter: what is attached, or the next word. */
static bool
value_of(const struct sg_hook_call *call, uint32_t *at, size_t letter,
	 size_t *ret_from)
{
	*ret_from = 0;
	if (letter + 1 < call->argv[*at].text.n) {
		*ret_from = letter + 1;
		return true;
	}
	return ++*at < call->argc;
}

/* "-Bc CODE": letters together, the last of which may take a value. */
static enum what
read_letters(struct sg_hook *h, const struct sg_hook_call *call, uint32_t *at)
{
	const struct sg_sh_word *w = &call->argv[*at];
	size_t from;

	for (size_t i = 1; i < w->text.n; i++) {
		char c = w->text.p[i];

		if (strchr("Vh?", c))
			return DONE;
		if (c == 'i')
			run_input(h, call);
		if (!strchr("cmWXQ", c))
			continue;
		if (!value_of(call, at, i, &from))
			return DONE;
		if (c == 'c')
			add_code(h, "python -c", &call->argv[*at], from);
		else if (c == 'm')
			run_module(h, call, *at, from);
		return c == 'c' || c == 'm' ? DONE : GO_ON;
	}
	return GO_ON;
}

static enum what
read_option(struct sg_hook *h, const struct sg_hook_call *call, uint32_t *at)
{
	const struct sg_sh_word *w = &call->argv[*at];

	if (w->text.n < 2 || w->text.p[0] != '-') {
		if (sg_str_eq(w->text, SG_STR("-")))
			run_input(h, call);
		else
			run_word(h, call, w);
		return DONE;
	}
	if (w->text.p[1] != '-')
		return read_letters(h, call, at);
	if (sg_str_eq(w->text, SG_STR("--check-hash-based-pycs")))
		++*at;
	return sg_str_eq(w->text, SG_STR("--help")) ||
			       sg_str_eq(w->text, SG_STR("--version"))
		       ? DONE
		       : GO_ON;
}

void
sg_hook_python(struct sg_hook *h, const struct sg_hook_call *call, bool script)
{
	uint32_t at = script ? 0 : 1;

	if (script) {
		run_word(h, call, &call->argv[0]);
		return;
	}
	for (; at < call->argc; at++)
		if (read_option(h, call, &at) == DONE)
			return;
	if (call->appended)
		sg_hook_refuse(h, "which script Python will run comes from "
				  "another command; write its name");
	else
		run_input(h, call);
}
