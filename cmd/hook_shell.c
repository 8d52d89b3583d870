#include "cmd/hook.h"

/*
 * Theory of operation.  Each simple command of the line is looked at in
 * turn: what stands before the program (assignments, env, sudo, uv run) is
 * taken off, then the program decides.  Shells within shells are read as
 * well, down to SG_HOOK_DEPTH.  Files that a command writes are remembered for
 * those after it.
 */

/* ---- what stands before the program ---- */

static const struct wrapper {
	const char *name;
	const char *second;  /* "run" of "uv run"; NULL: none */
	const char *values;  /* options that take the next word; each with a
			       blank on both sides */
	uint32_t positional; /* words before the command */
} wrappers[] = {
	{ "env", NULL, " -u --unset -C --chdir ", 0 },
	{ "sudo", NULL, " -u -g -h -p -C -D -R -T -U -r -t ", 0 },
	{ "doas", NULL, " -u -C ", 0 },
	{ "nice", NULL, " -n ", 0 },
	{ "ionice", NULL, " -c -n ", 0 },
	{ "timeout", NULL, " -k -s --signal --kill-after ", 1 },
	{ "time", NULL, " -f -o ", 0 },
	{ "stdbuf", NULL, " -i -o -e ", 0 },
	{ "nohup", NULL, " ", 0 },
	{ "setsid", NULL, " ", 0 },
	{ "exec", NULL, " -a ", 0 },
	{ "command", NULL, " ", 0 },
	{ "builtin", NULL, " ", 0 },
	{ "taskset", NULL, " ", 1 },
	{ "chrt", NULL, " ", 1 },
	{ "flock", NULL, " -w -E ", 1 },
	{ "strace", NULL, " -o -e -s -p -P ", 0 },
	{ "ltrace", NULL, " -o -e -s ", 0 },
	{ "xvfb-run", NULL, " -n -s -e -f -p -w ", 0 },
	{ "unbuffer", NULL, " ", 0 },
	{ "caffeinate", NULL, " -t -w ", 0 },
	{ "numactl", NULL, " ", 0 },
	{ "uv", "run",
	  " --with --with-editable --with-requirements --python -p --project "
	  "--directory --env-file --extra --group --only-group --no-group "
	  "--index --index-url --default-index --extra-index-url --refresh-package "
	  "--package --config-file --cache-dir --color --link-mode ",
	  0 },
	{ "poetry", "run", " -C --directory -P --project ", 0 },
	{ "pdm", "run", " -p --project --venv ", 0 },
	{ "hatch", "run", " -e --env ", 0 },
	{ "pipenv", "run", " ", 0 },
	{ "rye", "run", " -p --pyproject ", 0 },
	{ "pixi", "run", " -e --environment --manifest-path ", 0 },
	{ "conda", "run", " -n --name -p --prefix --cwd ", 0 },
	{ "mamba", "run", " -n --name -p --prefix --cwd ", 0 },
	{ "micromamba", "run", " -n --name -p --prefix --cwd ", 0 },
};

static const struct wrapper *
wrapper_of(const struct sg_hook_call *call)
{
	struct sg_str base = sg_hook_base(call->argv[0].text);

	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
		const struct wrapper *w = &wrappers[i];

		if (sg_str_eq(base, sg_str_c(w->name)) &&
		    (!w->second ||
		     (call->argc > 1 &&
		      sg_str_eq(call->argv[1].text, sg_str_c(w->second)))))
			return w;
	}
	return NULL;
}

static bool
takes_value(const struct wrapper *w, struct sg_str option)
{
	for (const char *at = w->values; *at; at++)
		if (at[0] == ' ' && strncmp(at + 1, option.p, option.n) == 0 &&
		    at[1 + option.n] == ' ')
			return option.n > 0;
	return false;
}

static void
shift(struct sg_hook_call *call, uint32_t n)
{
	n = n < call->argc ? n : call->argc;
	call->argv += n;
	call->argc -= n;
}

static void
drop_assignments(struct sg_hook_call *call)
{
	while (call->argc &&
	       memchr(call->argv[0].text.p ? call->argv[0].text.p : "", '=',
		      call->argv[0].plain))
		shift(call, 1);
}

/* "uv run -m x" and "uv run x.py": Python without its name. */
static bool
is_bare_python(const struct wrapper *w, const struct sg_sh_word *word)
{
	return w->second && (sg_str_eq(word->text, SG_STR("-m")) ||
			     sg_str_eq(word->text, SG_STR("-")));
}

/* "command -v python3" only asks. */
static bool
is_asking(const struct wrapper *w, struct sg_str option)
{
	return w->name && strcmp(w->name, "command") == 0 && option.n > 1 &&
	       option.p[0] == '-' && strchr("vV", option.p[option.n - 1]);
}

/* Takes one wrapper off.  True when what is left are arguments of Python. */
static bool
unwrap(struct sg_hook_call *call, const struct wrapper *w)
{
	uint32_t positional = w->positional;

	shift(call, w->second ? 2 : 1);
	while (call->argc) {
		struct sg_str text = call->argv[0].text;

		if (is_bare_python(w, &call->argv[0]))
			return true;
		if (is_asking(w, text)) {
			shift(call, call->argc);
			break;
		}
		if (sg_str_eq(text, SG_STR("--"))) {
			shift(call, 1);
			break;
		}
		if (text.n > 1 && text.p[0] == '-')
			shift(call, takes_value(w, text) ? 2 : 1);
		else if (positional > 0 && positional--)
			shift(call, 1);
		else
			break;
	}
	drop_assignments(call);
	return false;
}

/* ---- shells ---- */

static bool
is_one_of(struct sg_str base, const char *const *names)
{
	for (; *names; names++)
		if (sg_str_eq(base, sg_str_c(*names)))
			return true;
	return false;
}

static void
shell_text(struct sg_hook *h, const struct sg_sh_word *w)
{
	if (!w->dynamic)
		sg_hook_shell(h, w->text);
	else if (sg_hook_mentions(w->text))
		sg_hook_refuse(h, "a shell is given a text with Python in it "
				  "and parts that are only known when it runs; "
				  "write it out");
}

static void
shell_file(struct sg_hook *h, const struct sg_sh_word *w)
{
	struct sg_str text;

	if (!w->dynamic && sg_hook_file(h, w->text, &text) == SG_HOOK_TEXT)
		sg_hook_shell(h, text);
}

static void
run_shell(struct sg_hook *h, const struct sg_hook_call *call)
{
	bool command = false;
	struct sg_str text;
	uint32_t i = 1;

	for (; i < call->argc; i++) {
		struct sg_str s = call->argv[i].text;

		if (s.n < 2 || (s.p[0] != '-' && s.p[0] != '+'))
			break;
		if (sg_str_eq(s, SG_STR("--"))) {
			i++;
			break;
		}
		if (s.p[1] != '-' && memchr(s.p, 'c', s.n))
			command = true;
		/* "-o pipefail" */
		if (s.p[1] != '-' && s.p[s.n - 1] == 'o')
			i++;
	}
	if (i < call->argc && command)
		shell_text(h, &call->argv[i]);
	else if (i < call->argc && !sg_str_eq(call->argv[i].text, SG_STR("-")))
		shell_file(h, &call->argv[i]);
	else if (sg_hook_input(h, call, &text) == SG_HOOK_TEXT)
		sg_hook_shell(h, text);
}

static void
run_eval(struct sg_hook *h, const struct sg_hook_call *call)
{
	struct sg_sh_word w = { .text = SG_STR("") };

	for (uint32_t i = 1; i < call->argc; i++) {
		w.text = sg_arena_printf(h->arena, "%.*s %.*s",
					 SG_STR_ARG(w.text),
					 SG_STR_ARG(call->argv[i].text));
		w.dynamic = w.dynamic || call->argv[i].dynamic;
	}
	shell_text(h, &w);
}

static void
run_source(struct sg_hook *h, const struct sg_hook_call *call)
{
	bool before = h->lenient;

	/* Settings of a shell, more than a program. */
	h->lenient = true;
	if (call->argc > 1)
		shell_file(h, &call->argv[1]);
	h->lenient = before;
}

static void
run_patch(struct sg_hook *h, const struct sg_hook_call *call)
{
	struct sg_str text;

	if (call->argc > 1 && !call->argv[1].dynamic)
		sg_hook_patch(h, call->argv[1].text);
	else if (call->argc == 1 &&
		 sg_hook_input(h, call, &text) == SG_HOOK_TEXT)
		sg_hook_patch(h, text);
	else
		sg_hook_refuse(h, "a patch that is only known when the shell "
				  "runs cannot be judged; write it out");
}

/* ---- folders ---- */

static void
run_cd(struct sg_hook *h, const struct sg_hook_call *call)
{
	const struct sg_sh_word *w = NULL;

	for (uint32_t i = 1; i < call->argc; i++)
		if (call->argv[i].text.n && call->argv[i].text.p[0] != '-')
			w = &call->argv[i];
	if (!w || w->dynamic || h->nfolders == SG_HOOK_FOLDERS) {
		h->lost = true;
		return;
	}
	/* The newest is looked into first. */
	h->folders[h->nfolders] = sg_hook_path(h, w->text);
	h->nfolders++;
}

/* ---- programs ---- */

static void run_command(struct sg_hook *h, struct sg_hook_call call);

/* find: what stands after each -exec. */
static void
run_found(struct sg_hook *h, const struct sg_hook_call *call)
{
	static const char *const before[] = { "-exec",  "-execdir",     "-ok",
					      "-okdir", "-x",           "-X",
					      "--exec", "--exec-batch", NULL };

	for (uint32_t i = 1; i + 1 < call->argc; i++) {
		struct sg_hook_call rest = *call;

		if (!is_one_of(call->argv[i].text, before))
			continue;
		shift(&rest, i + 1);
		rest.appended = true;
		run_command(h, rest);
	}
}

/* xargs and the like: the first word that is neither option nor value. */
static void
run_carried(struct sg_hook *h, const struct sg_hook_call *call)
{
	static const struct wrapper options = {
		.values =
			" -a --arg-file -d --delimiter -E -I -L -n --max-args "
			"-P --max-procs -s --max-chars -j --jobs -N -C "
			"--colsep --delay --retries --joblog --results "
			"--tmpdir -S --sshlogin --wd --workdir --header "
			"--halt --load --memfree --nice --tagstring ",
	};
	struct sg_hook_call rest = *call;

	(void)unwrap(&rest, &options);
	rest.appended = true;
	if (rest.argc)
		run_command(h, rest);
}

/* A program by its path: perhaps a script. */
static void
run_path(struct sg_hook *h, const struct sg_hook_call *call)
{
	const struct sg_sh_word *w = &call->argv[0];
	struct sg_str text, line;

	if (sg_hook_is_python(w->text)) {
		sg_hook_python(h, call, true);
		return;
	}
	if (w->dynamic || !memchr(w->text.p, '/', w->text.n))
		return;
	switch (sg_hook_file(h, w->text, &text)) {
	case SG_HOOK_UNKNOWN:
	case SG_HOOK_NOTHING:
	case SG_HOOK_EMPTY:
		return;
	case SG_HOOK_TEXT:
		break;
	}
	line = sg_str_slice(text, 0, sg_str_find(text, '\n'));
	if (!sg_str_starts(line, SG_STR("#!")))
		return;
	if (sg_hook_mentions(line))
		sg_hook_run(h, w->text);
	else if (sg_str_ends(line, SG_STR("sh")))
		sg_hook_shell(h, text);
}

static const char *const shells[] = { "sh",     "bash",    "dash", "zsh",
				      "ksh",    "ash",     "fish", "su",
				      "script", "runuser", NULL };
static const char *const evals[] = { "eval", "watch", NULL };
static const char *const patchers[] = { "apply_patch", "applypatch", NULL };
static const char *const sources[] = { "source", ".", NULL };
static const char *const cds[] = { "cd", "pushd", NULL };
static const char *const carriers[] = { "xargs", "parallel", "entr", NULL };
static const char *const finders[] = { "find", "fd", "fdfind", NULL };
static const char *const runners[] = { "pytest",    "py.test",  "streamlit",
				       "coverage",  "kernprof", "mprof",
				       "scalene",   "marimo",   "panel",
				       "bokeh",     "chainlit", "jupyter",
				       "papermill", "jupytext", "pyinstrument",
				       "voila",     "runipy",   NULL };

static const struct {
	const char *const *names;
	void (*run)(struct sg_hook *h, const struct sg_hook_call *call);
} programs[] = {
	{ shells, run_shell },        { evals, run_eval },
	{ sources, run_source },      { cds, run_cd },
	{ carriers, run_carried },    { finders, run_found },
	{ runners, sg_hook_scripts }, { patchers, run_patch },
};

/* "{python3,x.py}", or a variable that holds a whole command. */
static bool
is_hidden(const struct sg_hook_call *call)
{
	if (sg_hook_mentions(call->argv[0].text))
		return true;
	for (uint32_t i = 0; i < call->sh->nvars; i++)
		if (sg_hook_mentions(call->sh->vars[i].value))
			return true;
	return false;
}

static void
run_program(struct sg_hook *h, const struct sg_hook_call *call)
{
	struct sg_str base = sg_hook_base(call->argv[0].text);

	if (sg_hook_is_interpreter(base)) {
		sg_hook_python(h, call, false);
		return;
	}
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (is_one_of(base, programs[i].names)) {
			programs[i].run(h, call);
			return;
		}
	if (call->argv[0].dynamic && is_hidden(call))
		sg_hook_refuse(h, "which program runs is only known when the "
				  "shell runs, and it may be Python; write "
				  "its name");
	else if (call->argv[0].dynamic && base.n == 0)
		sg_hook_scripts(h, call); /* "$PYTHON x.py" */
	else
		run_path(h, call);
}

static void
run_command(struct sg_hook *h, struct sg_hook_call call)
{
	const struct wrapper *w;

	drop_assignments(&call);
	while (call.argc && (w = wrapper_of(&call)) != NULL) {
		if (!unwrap(&call, w))
			continue;
		/* As if the interpreter stood before it. */
		call.argv--;
		call.argc++;
		sg_hook_python(h, &call, false);
		return;
	}
	if (call.argc)
		run_program(h, &call);
	sg_hook_writes(h, &call);
}

void
sg_hook_shell(struct sg_hook *h, struct sg_str text)
{
	struct sg_sh *sh = SG_NEW(h->arena, struct sg_sh);
	struct sg_err err;

	sg_err_clear(&err);
	if (!sh || h->depth == SG_HOOK_DEPTH ||
	    sg_sh_init(sh, h->home, h->arena, &err) < 0) {
		sg_hook_refuse(h, "shells within shells, too deep to follow");
		return;
	}
	h->depth++;
	if (sg_sh_parse(sh, text, &err) < 0) {
		if (!h->lenient && sg_hook_mentions(text))
			sg_hook_refuse(h,
				       "a command line with Python in it "
				       "cannot be read: %s",
				       err.msg);
	} else {
		for (uint32_t i = 0; i < sh->n && !h->why[0]; i++) {
			struct sg_hook_call call = {
				.sh = sh,
				.cmd = &sh->v[i],
				.argv = sh->v[i].words,
				.argc = sh->v[i].nwords,
			};

			run_command(h, call);
		}
	}
	h->depth--;
}
