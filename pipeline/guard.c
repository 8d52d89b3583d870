/*
 * Theory of operation.
 *
 * CPython names what a program does by audit events; the capability tables
 * name it by what was written.  The table below joins the two: an event that
 * means a capability is refused when the policy rejects that capability as
 * such, by the rule that rejects it.  Rules that ask for more than a name or
 * a capability depend on the text, and stay with the gate.
 *
 * Imports are refused by name.  A policy that allows by default gives the
 * modules that it rejects; one that rejects by default gives those that it
 * allows, most exact first, and then everything else.
 *
 * Ordinary programs must not notice.  What libraries do for their own ends
 * (matplotlib looks for fonts, asyncio makes a pair of sockets) is let pass
 * by marking entries as direct, except for what the box refuses anyway: there
 * the reason is worth more than the errno.
 */

#include "pipeline/guard.h"

#include "analyzer/modtable.h"
#include "base/vec.h"
#include "executor/limits.h"
#include "executor/request.h"
#include "policy/capability.h"
#include "policy/message.h"

#include <stdlib.h>

enum { GUARD_ARENA = 4 << 20 };

enum reach {
	DIRECT, /* only what the program itself calls */
	ANY,    /* whoever calls it: the box has no such thing */
	ALONE   /* direct, and ANY where no processes may be started */
};

static const struct {
	const char *event, *capability;
	const char *name; /* as messages call it */
	enum reach reach;
} events[] = {
	{ "os.system", "exec.process", "os.system", ALONE },
	{ "os.exec", "exec.process", "os.exec", ALONE },
	{ "os.fork", "exec.process", "os.fork", ALONE },
	{ "os.forkpty", "exec.process", "os.forkpty", ALONE },
	{ "os.posix_spawn", "exec.process", "os.posix_spawn", ALONE },
	{ "os.spawn", "exec.process", "os.spawn", ALONE },
	{ "pty.spawn", "exec.process", "pty.spawn", ALONE },
	{ "subprocess.Popen", "exec.process", "subprocess.Popen", ALONE },
	{ "webbrowser.open", "gui", "webbrowser.open", ANY },
	{ "ctypes.*", "native", "ctypes", DIRECT },
	{ "code.__new__", "reflect.code", "types.CodeType", DIRECT },
	{ "cpython.run_*", "exec.code", "code", DIRECT },
	{ "compile", "exec.code", "compile, exec or eval", DIRECT },
	{ "exec", "exec.code", "exec or eval", DIRECT },
	{ "pickle.find_class", "deserialize", "pickle", DIRECT },
	{ "marshal.load", "deserialize", "marshal.load", DIRECT },
	{ "marshal.loads", "deserialize", "marshal.loads", DIRECT },
	{ "shelve.open", "deserialize", "shelve.open", DIRECT },
	{ "socket.__new__", "net.client", "socket.socket", DIRECT },
	{ "socket.connect", "net.client", "connect", ANY },
	{ "socket.sendmsg", "net.client", "sendmsg", DIRECT },
	{ "socket.sendto", "net.client", "sendto", ANY },
	{ "socket.bind", "net.server", "bind", ANY },
	{ "socket.getaddrinfo", "net.dns", "socket.getaddrinfo", ANY },
	{ "socket.gethostbyname", "net.dns", "socket.gethostbyname", ANY },
	{ "socket.gethostbyaddr", "net.dns", "socket.gethostbyaddr", ANY },
	{ "socket.getnameinfo", "net.dns", "socket.getnameinfo", ANY },
	{ "urllib.Request", "net.client", "urllib.request", ANY },
	{ "http.client.connect", "net.client", "http.client", ANY },
	{ "ftplib.connect", "net.client", "ftplib", ANY },
	{ "imaplib.open", "net.client", "imaplib", ANY },
	{ "nntplib.connect", "net.client", "nntplib", ANY },
	{ "poplib.connect", "net.client", "poplib", ANY },
	{ "smtplib.connect", "net.client", "smtplib", ANY },
	{ "telnetlib.Telnet.open", "net.client", "telnetlib", ANY },
	{ "os.remove", "fs.delete", "os.remove", DIRECT },
	{ "os.rmdir", "fs.delete", "os.rmdir", DIRECT },
	{ "shutil.rmtree", "fs.tree", "shutil.rmtree", DIRECT },
	{ "shutil.copytree", "fs.tree", "shutil.copytree", DIRECT },
	{ "shutil.move", "fs.tree", "shutil.move", DIRECT },
	{ "shutil.make_archive", "archive", "shutil.make_archive", DIRECT },
	{ "shutil.unpack_archive", "archive", "shutil.unpack_archive", DIRECT },
	{ "shutil.copyfile", "fs.write", "shutil.copyfile", DIRECT },
	{ "shutil.chown", "fs.perm", "shutil.chown", DIRECT },
	{ "os.mkdir", "fs.write", "os.mkdir", DIRECT },
	{ "os.rename", "fs.write", "os.rename", DIRECT },
	{ "os.truncate", "fs.write", "os.truncate", DIRECT },
	{ "os.link", "fs.link", "os.link", DIRECT },
	{ "os.symlink", "fs.link", "os.symlink", DIRECT },
	{ "os.chmod", "fs.perm", "os.chmod", DIRECT },
	{ "os.chown", "fs.perm", "os.chown", DIRECT },
	{ "os.setxattr", "fs.perm", "os.setxattr", DIRECT },
	{ "os.removexattr", "fs.perm", "os.removexattr", DIRECT },
	{ "os.utime", "fs.perm", "os.utime", DIRECT },
	{ "os.listdir", "fs.list", "os.listdir", DIRECT },
	{ "os.scandir", "fs.list", "os.scandir", DIRECT },
	{ "os.walk", "fs.list", "os.walk", DIRECT },
	{ "os.fwalk", "fs.list", "os.fwalk", DIRECT },
	{ "glob.glob", "fs.list", "glob.glob", DIRECT },
	{ "os.chdir", "fs.cwd", "os.chdir", DIRECT },
	{ "tempfile.mkdtemp", "fs.temp", "tempfile.mkdtemp", DIRECT },
	{ "tempfile.mkstemp", "fs.temp", "tempfile.mkstemp", DIRECT },
	{ "os.kill", "signal", "os.kill", DIRECT },
	{ "os.killpg", "signal", "os.killpg", DIRECT },
	{ "signal.pthread_kill", "signal", "signal.pthread_kill", DIRECT },
	{ "os.putenv", "env.write", "os.putenv", DIRECT },
	{ "os.unsetenv", "env.write", "os.unsetenv", DIRECT },
	{ "sqlite3.connect", "db", "sqlite3.connect", DIRECT },
	{ "gc.get_objects", "reflect.objects", "gc.get_objects", DIRECT },
	{ "gc.get_referents", "reflect.objects", "gc.get_referents", DIRECT },
	{ "gc.get_referrers", "reflect.objects", "gc.get_referrers", DIRECT },
	{ "sys._getframe", "reflect.frames", "sys._getframe", DIRECT },
	{ "sys._current_frames", "reflect.frames", "sys._current_frames",
	  DIRECT },
	{ "sys.addaudithook", "hook.interpreter", "sys.addaudithook", DIRECT },
	{ "sys.setprofile", "hook.interpreter", "sys.setprofile", DIRECT },
	{ "sys.settrace", "hook.interpreter", "sys.settrace", DIRECT },
	{ "resource.setrlimit", "resource", "resource.setrlimit", DIRECT },
};
enum { NEVENTS = sizeof(events) / sizeof(events[0]) };

/*
 * What C code opens while the program's own line runs: zoneinfo its tables,
 * for one.  There is nothing else in the box below these.
 */
static const char *const libraries[] = { "/usr", "/etc/localtime",
					 "/etc/timezone" };
enum { NLIBRARIES = sizeof(libraries) / sizeof(libraries[0]) };

struct row {
	struct sg_box_guard e;
	struct sg_str rule, hint;
	bool alone; /* counts only where no processes may be started */
};

struct sg_policy_guard {
	const struct sg_policy *policy;
	struct sg_arena arena; /* of the messages */
	struct {
		struct row *v;
		uint32_t n, room;
	} rows;
	bool failed; /* no memory for a row */
	/* What was filled in last: most scripts have the same exceptions, and
	   its text is long. */
	uint32_t *picked; /* rows; room for all */
	uint32_t npicked;
	struct sg_buf text; /* empty: there was none */
	/* Of each capability the rule that rejects it; empty: none does. */
	struct sg_str rejects[64];
};

/* ---- entries ---- */

static void
add(struct sg_policy_guard *g, const struct sg_box_guard *e,
    const struct sg_policy_decision *d, bool alone)
{
	if (g->rows.n == SG_BOX_GUARD_MAX)
		return;
	if (!SG_VEC_ROOM(&g->rows, 1, SG_BOX_GUARD_MAX))
		g->failed = true;
	else
		g->rows.v[g->rows.n++] = (struct row){ *e, d->rule, d->hint,
						       alone };
}

/* "SG104: 'os.system' starts or controls other processes". */
static struct sg_str
message_of(struct sg_policy_guard *g, const struct sg_policy_decision *d,
	   struct sg_str name, struct sg_str capability)
{
	const struct sg_message_values values = {
		.name = name,
		.module = name,
		.path = name,
		.value = name,
		.capability = capability,
	};
	struct sg_str text = sg_message_fill(d->message, &values, &g->arena);
	size_t n = d->rule.n + 2 + text.n;
	char *p = text.p ? sg_arena_alloc(&g->arena, n + 1) : NULL;

	if (!p)
		return SG_STR_NONE;
	memcpy(p, d->rule.p, d->rule.n);
	memcpy(p + d->rule.n, ": ", 2);
	memcpy(p + d->rule.n + 2, text.p, text.n);
	return (struct sg_str){ p, n };
}

static void
find_rejected(struct sg_policy_guard *g)
{
	struct sg_policy_decision d;

	for (uint32_t i = 0; i < sg_capability_count(); i++)
		if (sg_policy_capability_decision(
			    g->policy, sg_str_c(sg_capability_name(i)), &d) &&
		    d.decision == SG_REJECT)
			g->rejects[i] = d.rule;
}

static void
add_events(struct sg_policy_guard *g)
{
	struct sg_policy_decision d;

	for (uint32_t i = 0; i < NEVENTS; i++) {
		struct sg_str cap = sg_str_c(events[i].capability);
		struct sg_box_guard e = { .event = sg_str_c(events[i].event) };

		if (!sg_policy_capability_decision(g->policy, cap, &d) ||
		    d.decision != SG_REJECT)
			continue;
		e.message = message_of(g, &d, sg_str_c(events[i].name), cap);
		e.direct = events[i].reach != ANY;
		add(g, &e, &d, false);
		e.direct = false;
		if (events[i].reach == ALONE)
			add(g, &e, &d, true);
	}
}

/*
 * What the policy says of paths as such, for what the program itself opens.
 * Relative names stay in the workspace unless they climb out of it.
 */
static void
add_paths(struct sg_policy_guard *g)
{
	struct sg_str cap = SG_STR("fs.outside");
	struct sg_box_guard e = { .event = SG_STR("open"), .direct = true };
	struct sg_policy_decision d;
	const struct sg_str *list;
	uint32_t n;

	if (!sg_policy_capability_decision(g->policy, cap, &d) ||
	    d.decision != SG_REJECT)
		return;
	list = sg_policy_workspace(g->policy, &n);
	for (uint32_t i = 0; i < n; i++) {
		e.name = list[i];
		if (e.name.n && e.name.p[0] == '/')
			add(g, &e, &d, false);
	}
	for (uint32_t i = 0; i < NLIBRARIES; i++) {
		e.name = sg_str_c(libraries[i]);
		add(g, &e, &d, false);
	}
	e.name = SG_STR("/");
	e.message = message_of(g, &d, SG_STR("{name}"), cap);
	add(g, &e, &d, false);
}

/* ---- imports ---- */

static bool
is_plain(struct sg_str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == '*' || name.p[i] == '?' || name.p[i] == '[')
			return false;
	return name.n > 0;
}

/* Which capability of the module it is that the rule rejects. */
static struct sg_str
capability_of(const struct sg_policy_guard *g, struct sg_str module,
	      const struct sg_policy_decision *d)
{
	const struct sg_cap_entry *e;
	struct sg_name name;

	sg_name_init(&name, module);
	e = sg_capability_find(&name);
	for (uint32_t i = 0; e && i < sg_capability_count(); i++)
		if (e->caps >> i & 1 && g->rejects[i].n &&
		    sg_str_eq(g->rejects[i], d->rule))
			return sg_str_c(sg_capability_name(i));
	return SG_STR_NONE;
}

static void
add_import(struct sg_policy_guard *g, struct sg_str name,
	   const struct sg_policy_decision *d, struct sg_str shown)
{
	const struct sg_box_guard e = {
		.event = SG_STR("import"),
		.name = name,
		.message = d->decision == SG_REJECT
				   ? message_of(g, d, shown,
						capability_of(g, name, d))
				   : SG_STR_NONE,
		.direct = true,
	};

	add(g, &e, d, false);
}

/* Rejected, or not though what it lies in is. */
static void
consider(struct sg_policy_guard *g, struct sg_str name)
{
	struct sg_policy_decision d, above;
	size_t dot = name.n;

	while (dot > 0 && name.p[dot - 1] != '.')
		dot--;
	above.decision = SG_PASS;
	if (dot > 1)
		sg_policy_import_decision(
			g->policy, sg_str_slice(name, 0, dot - 1), &above);
	sg_policy_import_decision(g->policy, name, &d);
	if ((d.decision == SG_REJECT) != (above.decision == SG_REJECT))
		add_import(g, name, &d, name);
}

static void
add_listed(struct sg_policy_guard *g)
{
	uint32_t n = sg_policy_import_count(g->policy);
	struct sg_policy_import row;
	struct sg_policy_decision d;

	for (uint32_t i = 0; i < n; i++) {
		sg_policy_import(g->policy, i, &row);
		if (!is_plain(row.module))
			continue;
		sg_policy_import_decision(g->policy, row.module, &d);
		add_import(g, row.module, &d, row.module);
	}
}

/*
 * "subprocess" of "subprocess.**": a module all of which is named.  Empty when
 * it is no module, as far as is known.
 */
static struct sg_str
whole_module(struct sg_str glob)
{
	struct sg_modinfo info;

	if (glob.n > 3 && memcmp(glob.p + glob.n - 3, ".**", 3) == 0)
		glob.n -= 3;
	if (!is_plain(glob))
		return SG_STR_NONE;
	if (sg_str_find(glob, '.') == glob.n)
		return glob;
	if (sg_modtable_find(glob, &info) &&
	    (info.kind == SG_MOD_LISTED || info.kind == SG_MOD_MODULE))
		return glob;
	return SG_STR_NONE;
}

static void
consider_glob(struct sg_str glob, void *ctx)
{
	struct sg_str name = whole_module(glob);

	if (name.n)
		consider(ctx, name);
}

/* What may be rejected of all that a policy allows by default. */
static void
add_known(struct sg_policy_guard *g)
{
	uint32_t n;
	const struct sg_cap_entry *caps = sg_capability_entries(&n);

	for (uint32_t i = 0; i < n; i++)
		if (caps[i].flags & SG_CAP_MODULE)
			consider(g, sg_str_c(caps[i].glob));
	sg_policy_import_names(g->policy, consider_glob, g);
}

/* The most exact first, by name among those; what fits any name last. */
static int
by_exactness(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->e.name.n != y->e.name.n)
		return x->e.name.n < y->e.name.n ? 1 : -1;
	return sg_str_cmp(x->e.name, y->e.name);
}

static void
add_imports(struct sg_policy_guard *g)
{
	uint32_t from = g->rows.n;
	struct sg_policy_decision d;

	add_listed(g);
	if (sg_policy_import_default(g->policy)) {
		add_known(g);
	} else {
		/* A name that no module has stands for all not listed. */
		sg_policy_import_decision(g->policy, SG_STR("-"), &d);
		if (d.decision == SG_REJECT)
			add_import(g, SG_STR_NONE, &d, SG_STR("{name}"));
	}
	if (g->rows.n > from)
		qsort(g->rows.v + from, g->rows.n - from, sizeof(*g->rows.v),
		      by_exactness);
}

/* ---- the guard ---- */

int
sg_policy_guard_new(const struct sg_policy *policy,
		    struct sg_policy_guard **ret, struct sg_err *err)
{
	struct sg_policy_guard *g = calloc(1, sizeof(*g));

	if (!g)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	g->policy = policy;
	sg_arena_init(&g->arena, GUARD_ARENA);
	find_rejected(g);
	add_events(g);
	add_paths(g);
	add_imports(g);
	sg_buf_init(&g->text, SG_BOX_GUARD_TEXT);
	g->picked = SG_NEWN(&g->arena, uint32_t, g->rows.n + 1u);
	if (g->failed || sg_arena_failed(&g->arena)) {
		sg_policy_guard_free(g);
		return sg_err_set(err, SG_ENOMEM,
				  "no memory for the run-time guard");
	}
	*ret = g;
	return SG_OK;
}

void
sg_policy_guard_free(struct sg_policy_guard *g)
{
	if (!g)
		return;
	sg_arena_release(&g->arena);
	sg_buf_release(&g->text);
	free(g->rows.v);
	free(g);
}

/* Notes the next row that was picked; true when it is the same as before. */
static bool
pick(struct sg_policy_guard *g, uint32_t at, uint32_t row)
{
	bool same = at < g->npicked && g->picked[at] == row;

	g->picked[at] = row;
	return same;
}

/* Whether a row holds for a script. */
static bool
holds(const struct sg_policy_guard *g, const struct row *r, const char *path,
      const struct sg_digest *submitted, const struct sg_box_spec *box)
{
	if (r->alone && box->limits.processes)
		return false;
	return !r->e.message.n ||
	       !sg_policy_excepted(g->policy, r->rule, path, submitted);
}

int
sg_policy_guard_fill(struct sg_policy_guard *g, const char *path,
		     const struct sg_digest *submitted, struct sg_arena *arena,
		     struct sg_box_spec *box, struct sg_err *err)
{
	struct sg_box_guard *v = SG_NEWN(arena, struct sg_box_guard,
					 g->rows.n + 1u);
	bool same = g->text.len > 0;
	uint32_t n = 0;
	int status = SG_OK;

	if (!v)
		return sg_err_set(err, SG_ENOMEM,
				  "no memory for the run-time guard");
	for (uint32_t i = 0; i < g->rows.n; i++) {
		if (!holds(g, &g->rows.v[i], path, submitted, box))
			continue;
		same &= pick(g, n, i);
		v[n++] = g->rows.v[i].e;
	}
	if (!same || n != g->npicked) {
		sg_buf_reset(&g->text);
		status = sg_request_guard(v, n, &g->text, err);
	}
	if (status < 0)
		sg_buf_reset(&g->text);
	g->npicked = n;
	box->guard = v;
	box->nguard = n;
	box->guard_text = sg_buf_view(&g->text);
	return status;
}

void
sg_policy_guard_explain(const struct sg_policy_guard *g, struct sg_arena *arena,
			struct sg_result *r)
{
	if (!r->error.is_set ||
	    !sg_str_eq(r->error.name, SG_STR("PermissionError")))
		return;
	for (uint32_t i = 0; i < g->rows.n; i++) {
		struct sg_str rule = g->rows.v[i].rule, v = r->error.value;

		if (!g->rows.v[i].e.message.n || !sg_str_starts(v, rule) ||
		    !sg_str_starts(sg_str_slice(v, rule.n, v.n), SG_STR(": ")))
			continue;
		r->hint = sg_arena_printf(
			arena,
			"Rule %.*s of the policy refused this while the "
			"program ran%s%.*s. It will be refused again.",
			SG_STR_ARG(rule), g->rows.v[i].hint.n ? ": " : "",
			SG_STR_ARG(g->rows.v[i].hint));
		return;
	}
}
