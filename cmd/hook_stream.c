#include "cmd/hook.h"

#include <ctype.h>

/* What streams and files hold, of commands that only pass texts on. */

static struct sg_str
base_of(const struct sg_hook_call *call)
{
	return call->argc ? sg_hook_base(call->argv[0].text) : SG_STR_NONE;
}

static bool
is_called(const struct sg_hook_call *call, const char *name)
{
	return sg_str_eq(base_of(call), sg_str_c(name));
}

/* ---- echo, printf ---- */

/* Text with the escapes of echo -e and printf undone. */
static void
add_escaped(struct sg_buf *b, struct sg_str s)
{
	static const char from[] = "abefnrtv\\\"'", to[] = "\a\b\x1b\f\n\r\t\v"
							   "\\\"'";

	for (size_t i = 0; i < s.n; i++) {
		const char *at = NULL;

		if (s.p[i] == '\\' && i + 1 < s.n && s.p[i + 1])
			at = strchr(from, s.p[i + 1]);
		sg_buf_char(b, at ? to[at - from] : s.p[i]);
		i += at != NULL;
	}
}

static enum sg_hook_seen
keep(struct sg_hook *h, struct sg_buf *b, struct sg_str *ret)
{
	*ret = sg_arena_dup(h->arena, sg_buf_view(b));
	if (sg_buf_failed(b) || !ret->p)
		return SG_HOOK_UNKNOWN;
	return SG_HOOK_TEXT;
}

static enum sg_hook_seen
of_echo(struct sg_hook *h, const struct sg_hook_call *call, struct sg_buf *b,
	struct sg_str *ret)
{
	bool line = true, escapes = false, words = false;

	for (uint32_t i = 1; i < call->argc; i++) {
		const struct sg_sh_word *w = &call->argv[i];

		if (w->dynamic)
			return SG_HOOK_UNKNOWN;
		if (!words && w->text.n > 1 && w->text.p[0] == '-' &&
		    strspn(w->text.p + 1, "neE") == w->text.n - 1) {
			line = line && !memchr(w->text.p, 'n', w->text.n);
			escapes = memchr(w->text.p, 'e', w->text.n) != NULL;
			continue;
		}
		if (words)
			sg_buf_char(b, ' ');
		words = true;
		if (escapes)
			add_escaped(b, w->text);
		else
			sg_buf_str(b, w->text);
	}
	if (line)
		sg_buf_char(b, '\n');
	return keep(h, b, ret);
}

/* One use of the format; false for what is neither %s, %b nor %%. */
static bool
add_format(struct sg_buf *b, struct sg_str f, const struct sg_hook_call *call,
	   uint32_t *at)
{
	size_t i = 0;

	while (i < f.n) {
		struct sg_str rest = sg_str_slice(f, i, f.n);
		size_t n = sg_str_find(rest, '%');
		char c;

		add_escaped(b, sg_str_slice(rest, 0, n));
		i += n;
		if (i >= f.n)
			break;
		c = i + 1 < f.n ? f.p[i + 1] : '\0';
		i += 2;
		if (c == '%')
			sg_buf_char(b, '%');
		else if (c != 's' && c != 'b')
			return false;
		else if (*at < call->argc && c == 's')
			sg_buf_str(b, call->argv[(*at)++].text);
		else if (*at < call->argc)
			add_escaped(b, call->argv[(*at)++].text);
	}
	return true;
}

static enum sg_hook_seen
of_printf(struct sg_hook *h, const struct sg_hook_call *call, struct sg_buf *b,
	  struct sg_str *ret)
{
	uint32_t at = 2, before;

	for (uint32_t i = 1; i < call->argc; i++)
		if (call->argv[i].dynamic)
			return SG_HOOK_UNKNOWN;
	if (call->argc < 2)
		return SG_HOOK_UNKNOWN;
	/* It is used again while arguments are left. */
	do {
		before = at;
		if (!add_format(b, call->argv[1].text, call, &at))
			return SG_HOOK_UNKNOWN;
	} while (at < call->argc && at > before);
	return keep(h, b, ret);
}

/* ---- cat ---- */

static enum sg_hook_seen
of_cat(struct sg_hook *h, const struct sg_hook_call *call, struct sg_buf *b,
       struct sg_str *ret)
{
	bool files = false;
	struct sg_str text;

	for (uint32_t i = 1; i < call->argc; i++) {
		const struct sg_sh_word *w = &call->argv[i];
		bool input = sg_str_eq(w->text, SG_STR("-"));

		if (w->dynamic)
			return SG_HOOK_UNKNOWN;
		if (!input && w->text.n && w->text.p[0] == '-')
			continue;
		files = true;
		if ((input ? sg_hook_input(h, call, &text)
			   : sg_hook_file(h, w->text, &text)) != SG_HOOK_TEXT)
			return SG_HOOK_UNKNOWN;
		sg_buf_str(b, text);
	}
	if (!files)
		return sg_hook_input(h, call, ret);
	return keep(h, b, ret);
}

static enum sg_hook_seen
of_tee(struct sg_hook *h, const struct sg_hook_call *call, struct sg_buf *b,
       struct sg_str *ret)
{
	(void)b;
	return sg_hook_input(h, call, ret);
}

static const struct {
	const char *name;
	enum sg_hook_seen (*output)(struct sg_hook *h,
				    const struct sg_hook_call *call,
				    struct sg_buf *b, struct sg_str *ret);
} speakers[] = {
	{ "echo", of_echo },
	{ "printf", of_printf },
	{ "cat", of_cat },
	{ "tee", of_tee },
};

enum sg_hook_seen
sg_hook_output(struct sg_hook *h, const struct sg_hook_call *call,
	       struct sg_str *ret)
{
	enum sg_hook_seen seen = SG_HOOK_UNKNOWN;
	struct sg_buf b;

	if (h->depth == SG_HOOK_DEPTH)
		return SG_HOOK_UNKNOWN;
	h->depth++;
	sg_buf_init(&b, SG_HOOK_FILE);
	for (size_t i = 0; i < sizeof(speakers) / sizeof(speakers[0]); i++)
		if (is_called(call, speakers[i].name))
			seen = speakers[i].output(h, call, &b, ret);
	sg_buf_release(&b);
	h->depth--;
	return seen;
}

/* ---- standard input ---- */

static enum sg_hook_seen
of_redirection(struct sg_hook *h, const struct sg_sh_redir *r,
	       struct sg_str *ret)
{
	if (r->word.dynamic)
		return SG_HOOK_UNKNOWN;
	if (r->op == SG_SH_DOCUMENT) {
		*ret = r->word.text;
		return SG_HOOK_TEXT;
	}
	if (r->op == SG_SH_STRING) {
		*ret = sg_arena_printf(h->arena, "%.*s\n",
				       SG_STR_ARG(r->word.text));
		return ret->p ? SG_HOOK_TEXT : SG_HOOK_UNKNOWN;
	}
	if (sg_str_eq(r->word.text, SG_STR("/dev/null")))
		return SG_HOOK_EMPTY;
	return sg_hook_file(h, r->word.text, ret) == SG_HOOK_TEXT
		       ? SG_HOOK_TEXT
		       : SG_HOOK_UNKNOWN;
}

enum sg_hook_seen
sg_hook_input(struct sg_hook *h, const struct sg_hook_call *call,
	      struct sg_str *ret)
{
	const struct sg_sh_redir *in = NULL;
	struct sg_hook_call from = { .sh = call->sh };

	for (const struct sg_sh_redir *r = call->cmd->redirs; r; r = r->next)
		if (r->fd <= 0 && (r->op == SG_SH_IN || r->op == SG_SH_STRING ||
				   r->op == SG_SH_DOCUMENT))
			in = r;
	if (in)
		return of_redirection(h, in, ret);
	if (call->cmd->feed == SG_SH_FEED_NONE)
		return SG_HOOK_NOTHING;
	if (call->cmd->feed == SG_SH_FEED_MANY)
		return SG_HOOK_UNKNOWN;
	from.cmd = &call->sh->v[call->cmd->feed];
	from.argv = from.cmd->words;
	from.argc = from.cmd->nwords;
	return sg_hook_output(h, &from, ret) == SG_HOOK_TEXT ? SG_HOOK_TEXT
							     : SG_HOOK_UNKNOWN;
}

/* ---- files ---- */

enum sg_hook_seen
sg_hook_file(struct sg_hook *h, struct sg_str name, struct sg_str *ret)
{
	struct sg_str path = sg_hook_path(h, name);

	/* The last that the command line itself does to it. */
	for (uint32_t i = h->nfiles; i-- > 0;) {
		if (!sg_str_eq(h->files[i].path, path))
			continue;
		*ret = h->files[i].text;
		return h->files[i].known ? SG_HOOK_TEXT : SG_HOOK_UNKNOWN;
	}
	*ret = sg_hook_read(h, path);
	return ret->p ? SG_HOOK_TEXT : SG_HOOK_NOTHING;
}

static void
will_hold(struct sg_hook *h, struct sg_str name, bool known, struct sg_str text)
{
	if (h->nfiles == SG_HOOK_FILES) {
		sg_hook_refuse(h, "the command line writes more files than "
				  "can be followed");
		return;
	}
	h->files[h->nfiles++] = (struct sg_hook_file){
		.path = sg_hook_path(h, name),
		.text = text,
		.known = known,
	};
}

static void
will_write(struct sg_hook *h, const struct sg_sh_word *w, bool append,
	   enum sg_hook_seen seen, struct sg_str text)
{
	struct sg_str before;
	bool known = seen == SG_HOOK_TEXT && !w->dynamic;

	if (append && known) {
		enum sg_hook_seen there = sg_hook_file(h, w->text, &before);

		known = there != SG_HOOK_UNKNOWN;
		if (there == SG_HOOK_TEXT)
			text = sg_arena_printf(h->arena, "%.*s%.*s",
					       SG_STR_ARG(before),
					       SG_STR_ARG(text));
	}
	if (known)
		sg_hook_write(h, w->text, text);
	will_hold(h, w->text, known, text);
}

/* Programs whose arguments may be files that they make or change. */
static const char *const writers[] = {
	"cp",  "mv",   "ln",    "install", "dd",  "curl",   "wget",
	"sed", "perl", "patch", "rsync",   "scp", "touch",  "truncate",
	"awk", "gawk", "unzip", "tar",     "git", "base64", "tr",
};

static bool
is_writer(const struct sg_hook_call *call)
{
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++)
		if (is_called(call, writers[i]))
			return true;
	return false;
}

void
sg_hook_writes(struct sg_hook *h, const struct sg_hook_call *call)
{
	struct sg_str text = SG_STR_NONE;
	enum sg_hook_seen seen = SG_HOOK_UNKNOWN;
	bool append = false;

	for (const struct sg_sh_redir *r = call->cmd->redirs; r; r = r->next) {
		if ((r->op != SG_SH_OUT && r->op != SG_SH_APPEND) ||
		    sg_str_eq(r->word.text, SG_STR("/dev/null")))
			continue;
		seen = r->fd == 2 ? SG_HOOK_UNKNOWN
				  : sg_hook_output(h, call, &text);
		will_write(h, &r->word, r->op == SG_SH_APPEND, seen, text);
	}
	if (is_called(call, "tee"))
		seen = sg_hook_input(h, call, &text);
	else if (!is_writer(call))
		return;
	else
		seen = SG_HOOK_UNKNOWN;
	for (uint32_t i = 1; i < call->argc; i++) {
		const struct sg_sh_word *w = &call->argv[i];

		if (sg_str_eq(w->text, SG_STR("-a")) ||
		    sg_str_eq(w->text, SG_STR("--append")))
			append = true;
		else if (w->text.n && w->text.p[0] != '-')
			will_write(h, w, append, seen, text);
	}
}
