/*
 * Runs the attacks in tests/box/attacks/ in the box and holds what came of
 * each against what its head says.
 *
 *	attacks [--warm] FOLDER [NAME]
 *
 * A file holds one group of attacks, each a program under a head:
 *
 *	=== name of the attack
 *	: status=ok out="held" denied=mount
 *	code ...
 *
 * What a head may say:
 *
 *	status=A/B	the status is one of these (default: ok)
 *	exit=N signal=N	exactly
 *	out="text"	standard output, blanks at its ends taken off
 *	has="text" err="text" error="text" hint="text" value="text"
 *			is part of the output, of standard error, of the
 *			exception's name, of the hint, of the value
 *	denied=NAME	is among the refused calls
 *	files=N images=N	exactly so many came out
 *	within=MS	the run took no longer
 *	wall= cpu= memory= workspace= inodes= threads= processes=
 *	output= total= nfiles= filebytes=
 *			limits: milliseconds, bytes (K, M), numbers
 *	input="text"	standard input
 *	root / user	only as root, only as an ordinary user
 *
 * prelude.py stands in front of every program.  After each attack nothing
 * may be left: no child, no descriptor, no control group, no mount.
 */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "executor/box.h"
#include "tests/box/lib/case.h"
#include "tests/box/warmly.h"

enum { ARENA = 512 << 20, TEXT = 8 << 20, GROUPS = 64, WORD = 256 };

struct attack {
	struct sg_str name, head, code;
};

struct suite {
	struct sg_buf prelude;
	const char *only;
	struct sg_warm *warm; /* NULL: cold runs */
	unsigned ran, failed;
	int fds, mounts;
};

/* --- heads --------------------------------------------------------------- */

/* The value of `key` in a head, without its quotes; false when absent. */
static bool
head_get(struct sg_str head, const char *key, char out[WORD])
{
	size_t n = strlen(key), at = 0, len = 0;

	while (at < head.n) {
		struct sg_str rest = sg_str_slice(head, at, head.n);
		bool quoted = false, word = rest.p[0] != ' ';

		if (word && sg_str_starts(rest, sg_str_c(key)) &&
		    (rest.n == n || rest.p[n] == ' ' || rest.p[n] == '=')) {
			for (at += n + (rest.n > n && rest.p[n] == '=');
			     at < head.n && len + 1 < WORD; at++) {
				if (head.p[at] == '"')
					quoted = !quoted;
				else if (head.p[at] == ' ' && !quoted)
					break;
				else
					out[len++] = head.p[at];
			}
			out[len] = '\0';
			return true;
		}
		for (; at < head.n && (word || head.p[at] == ' '); at++) {
			if (head.p[at] == '"')
				quoted = !quoted;
			if (word && head.p[at] == ' ' && !quoted)
				break;
		}
	}
	return false;
}

static uint64_t
number(const char *text)
{
	char *end;
	uint64_t v = strtoull(text, &end, 10);

	return *end == 'K' ? v << 10 : *end == 'M' ? v << 20 : v;
}

static void
set32(struct sg_str head, const char *key, uint32_t *v)
{
	char word[WORD];

	if (head_get(head, key, word))
		*v = (uint32_t)number(word);
}

static void
set64(struct sg_str head, const char *key, uint64_t *v)
{
	char word[WORD];

	if (head_get(head, key, word))
		*v = number(word);
}

static void
set_spec(struct sg_str head, struct sg_box_spec *spec, char input[WORD])
{
	struct sg_box_limits *l = &spec->limits;

	spec->collect = true;
	l->wall_ms = 20000;
	set32(head, "wall", &l->wall_ms);
	set32(head, "cpu", &l->cpu_ms);
	set64(head, "memory", &l->memory);
	set64(head, "workspace", &l->workspace);
	set32(head, "inodes", &l->inodes);
	set32(head, "threads", &l->threads);
	set32(head, "processes", &l->processes);
	set64(head, "output", &l->output);
	set64(head, "total", &l->output_total);
	set32(head, "nfiles", &l->files);
	set64(head, "filebytes", &l->file_bytes);
	if (head_get(head, "input", input)) {
		spec->has_input = true;
		spec->input = sg_str_c(input);
	}
}

/* --- checks -------------------------------------------------------------- */

struct check {
	struct sg_str head;
	const struct sg_result *r;
	unsigned bad;
};

static bool
contains(struct sg_str s, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= s.n; i++)
		if (memcmp(s.p + i, part, n) == 0)
			return true;
	return false;
}

/* True when both say the same, line ends taken as blanks. */
static bool
same_words(struct sg_str got, const char *want)
{
	if (got.n != strlen(want))
		return false;
	for (size_t i = 0; i < got.n; i++)
		if (got.p[i] != want[i] &&
		    !(got.p[i] == '\n' && want[i] == ' '))
			return false;
	return true;
}

static struct sg_str
trimmed(struct sg_str s)
{
	while (s.n && strchr(" \n\t", s.p[s.n - 1]))
		s.n--;
	while (s.n && strchr(" \n\t", s.p[0]))
		s = sg_str_slice(s, 1, s.n);
	return s;
}

static void
wrong(struct check *c, const char *key, const char *want, struct sg_str got)
{
	if (got.n > 1500)
		got.n = 1500;
	printf("    %s: wanted '%s', got '%.*s'\n", key, want, SG_STR_ARG(got));
	c->bad++;
}

static void
check_part(struct check *c, const char *key, struct sg_str got)
{
	char want[WORD];

	if (head_get(c->head, key, want) && !contains(got, want))
		wrong(c, key, want, got);
}

static void
check_number(struct check *c, const char *key, long long got)
{
	char want[WORD], text[32];

	if (!head_get(c->head, key, want))
		return;
	(void)snprintf(text, sizeof(text), "%lld", got);
	if (strcmp(text, want) != 0)
		wrong(c, key, want, sg_str_c(text));
}

static void
check_status(struct check *c)
{
	char want[WORD] = "ok";
	const char *got = sg_run_status_name(c->r->status);
	struct sg_str rest;

	(void)head_get(c->head, "status", want);
	for (rest = sg_str_c(want); rest.n;) {
		size_t n = sg_str_find(rest, '/');

		if (sg_str_eq(sg_str_slice(rest, 0, n), sg_str_c(got)))
			return;
		rest = sg_str_slice(rest, n + 1, rest.n);
	}
	wrong(c, "status", want, sg_str_c(got));
}

static void
check_denied(struct check *c)
{
	char want[WORD];

	if (!head_get(c->head, "denied", want))
		return;
	for (uint32_t i = 0; i < c->r->ndenied; i++)
		if (sg_str_eq(c->r->denied[i].name, sg_str_c(want)))
			return;
	wrong(c, "denied", want,
	      c->r->ndenied ? c->r->denied[0].name : SG_STR("nothing"));
}

static unsigned
check_result(struct sg_str head, const struct sg_result *r, uint64_t ms)
{
	struct check c = { head, r, 0 };
	char want[WORD];

	check_status(&c);
	check_number(&c, "exit", r->exit_code);
	check_number(&c, "signal", r->signal);
	check_number(&c, "files", r->nfiles);
	check_number(&c, "images", r->nimages);
	check_part(&c, "has", r->out.text);
	check_part(&c, "err", r->err.text);
	check_part(&c, "error", r->error.name);
	check_part(&c, "hint", r->hint);
	check_part(&c, "value", r->value.repr);
	check_denied(&c);
	if (head_get(head, "out", want) &&
	    !same_words(trimmed(r->out.text), want))
		wrong(&c, "out", want, r->out.text);
	if (head_get(head, "within", want) && ms > number(want))
		wrong(&c, "within", want, SG_STR("longer"));
	if (c.bad && r->err.text.n)
		printf("    stderr: %.*s\n",
		       SG_STR_ARG(sg_str_slice(r->err.text, 0, 2000)));
	return c.bad;
}

/* --- the host ------------------------------------------------------------ */

static int
count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		(void)closedir(d);
	return n;
}

static int
count_mounts(void)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	int c, n = 0;

	while (f && (c = fgetc(f)) != EOF)
		n += c == '\n';
	if (f)
		(void)fclose(f);
	return n;
}

static unsigned
check_host(const struct suite *s)
{
	unsigned bad = 0;
	int st;

	/* The zygote is one. */
	if (!s->warm &&
	    (waitpid(-1, &st, WNOHANG | __WALL) != -1 || errno != ECHILD)) {
		printf("    a child is left\n");
		bad++;
	}
	if (count_fds() != s->fds) {
		printf("    %d descriptors, %d before\n", count_fds(), s->fds);
		bad++;
	}
	if (count_mounts() != s->mounts) {
		printf("    %d mounts, %d before\n", count_mounts(), s->mounts);
		bad++;
	}
	if (box_groups()) {
		printf("    a control group is left\n");
		bad++;
	}
	return bad;
}

/* --- running ------------------------------------------------------------- */

static bool
is_for_us(struct sg_str head)
{
	char word[WORD];

	return !(head_get(head, "root", word) && geteuid() != 0) &&
	       !(head_get(head, "user", word) && geteuid() == 0);
}

static void
run_attack(struct suite *s, const struct attack *a)
{
	struct sg_box_spec spec;
	struct sg_arena arena;
	struct sg_result r;
	struct sg_err err;
	struct sg_buf code;
	char input[WORD], text[1024];
	uint64_t begun = sg_clock_mono();
	unsigned bad;

	sg_box_spec_init(&spec);
	set_spec(a->head, &spec, input);
	spec.warm = s->warm;
	sg_buf_init(&code, TEXT);
	sg_buf_str(&code, sg_buf_view(&s->prelude));
	sg_buf_str(&code, a->code);
	spec.code = sg_buf_view(&code);
	sg_arena_init(&arena, ARENA);
	sg_err_clear(&err);
	if (sg_box_run(&spec, &arena, &r, &err) < 0) {
		printf("    %s\n", sg_err_format(&err, text, sizeof(text)));
		bad = 1;
	} else {
		bad = check_result(a->head, &r,
				   (sg_clock_mono() - begun) / 1000000);
		/* Processes are only counted right by a control group. */
		if (s->warm && !r.warm.n &&
		    !(geteuid() != 0 && spec.limits.processes)) {
			printf("    it was a cold run\n");
			bad++;
		}
	}
	sg_arena_release(&arena);
	sg_buf_release(&code);
	if (s->warm)
		sg_warm_rest(s->warm);
	bad += check_host(s);
	s->ran++;
	s->failed += bad > 0;
	if (bad)
		printf("FAILED: %.*s\n", SG_STR_ARG(a->name));
	fflush(stdout);
}

/* The next line of *s, taken off it. */
static struct sg_str
take_line(struct sg_str *s)
{
	size_t n = sg_str_find(*s, '\n');
	struct sg_str line = sg_str_slice(*s, 0, n);

	*s = sg_str_slice(*s, n + 1, s->n);
	return line;
}

static void
run_text(struct suite *s, struct sg_str text)
{
	struct attack a = { SG_STR_NONE, SG_STR_NONE, SG_STR_NONE };
	struct sg_str rest = text, line;

	while (rest.n) {
		line = take_line(&rest);
		if (!sg_str_starts(line, SG_STR("=== ")))
			continue;
		a.name = sg_str_slice(line, 4, line.n);
		a.head = SG_STR_NONE;
		if (sg_str_starts(rest, SG_STR(": "))) {
			line = take_line(&rest);
			a.head = sg_str_slice(line, 2, line.n);
		}
		a.code = rest;
		while (rest.n && !sg_str_starts(rest, SG_STR("=== ")))
			(void)take_line(&rest);
		a.code.n = (size_t)(rest.p - a.code.p);
		if (s->only && !contains(a.name, s->only))
			continue;
		if (is_for_us(a.head))
			run_attack(s, &a);
	}
}

static int
is_group(const struct dirent *e)
{
	return sg_str_ends(sg_str_c(e->d_name), SG_STR(".attacks"));
}

static int
load(const char *folder, const char *name, struct sg_buf *out)
{
	char path[1024];
	struct sg_err err;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	sg_buf_init(out, TEXT);
	sg_err_clear(&err);
	if (sg_file_read(path, out, &err) == SG_OK)
		return 0;
	printf("cannot read %s\n", path);
	return -1;
}

/* Nothing can be tested where the box cannot be built. */
static bool
works(void)
{
	const struct sg_layer *layers;
	struct sg_arena arena;
	struct sg_err err;
	uint32_t n;
	bool meets = false;

	sg_arena_init(&arena, ARENA);
	sg_err_clear(&err);
	if (sg_box_probe(SG_REQUIRE_STANDARD, &arena, &layers, &n, &meets,
			 &err) < 0)
		printf("%s\n", err.msg);
	sg_arena_release(&arena);
	return meets;
}

int
main(int argc, char **argv)
{
	struct suite s = { .only = NULL };
	const char *must = getenv("SG_BOX_MUST_WORK");
	struct dirent **names;
	struct sg_buf text;
	int n;

	if (!works()) {
		printf("the box cannot be built on this host\n");
		return must && *must == '1';
	}
	if (!warm_option(&argc, argv, 1, 0, &s.warm))
		return 1;
	if (argc < 2)
		return 2;
	s.only = argc > 2 ? argv[2] : NULL;
	if (load(argv[1], "prelude.py", &s.prelude) < 0)
		return 2;
	n = scandir(argv[1], &names, is_group, alphasort);
	if (s.warm)
		sg_warm_rest(s.warm);
	s.fds = count_fds();
	s.mounts = count_mounts();
	for (int i = 0; i < n; i++) {
		if (load(argv[1], names[i]->d_name, &text) < 0)
			return 2;
		run_text(&s, sg_buf_view(&text));
		sg_buf_release(&text);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	sg_buf_release(&s.prelude);
	printf("%u passed, %u failed (attacks, as %s%s)\n", s.ran - s.failed,
	       s.failed, geteuid() == 0 ? "root" : "an ordinary user",
	       s.warm ? ", warm" : "");
	sg_warm_free(s.warm);
	return s.failed || !s.ran;
}
