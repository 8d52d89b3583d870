#include "cmd/shell_read.h"

#include <ctype.h>

/*
 * Theory of operation.  One pass over the text.  Lists call themselves for
 * groups and substitutions, down to SG_SH_DEPTH; each finished simple command
 * goes to the end of the table.  Here-documents wait until the line ends, as
 * in the shell.  Words are in shell_word.c.
 */

/* A simple command that is being read. */
struct current {
	struct sg_sh_word words[SG_SH_WORDS];
	uint32_t n;
	struct sg_sh_redir *redirs, **last;
	int feed;
	bool skip;  /* what is left up to the separator are no words */
	bool group; /* a compound command stands here */
	bool none;  /* nothing at all was read */
};

static void
begin(struct current *c, int feed)
{
	c->n = 0;
	c->redirs = NULL;
	c->last = &c->redirs;
	c->feed = feed;
	c->skip = c->group = false;
	c->none = true;
}

/* ---- finished commands ---- */

/* Bytes of "NAME" when the word is "NAME=..." , else 0. */
size_t
sg_sh_assigns(const struct sg_sh_word *w)
{
	size_t n = 0;

	while (n < w->plain &&
	       (w->text.p[n] == '_' || isalnum((unsigned char)w->text.p[n])))
		n++;
	if (n == 0 || n >= w->plain || isdigit((unsigned char)w->text.p[0]))
		return 0;
	return w->text.p[n] == '=' ? n : 0;
}

/* Remembers a value, or that there is none that is known. */
static void
set_variable(struct sg_sh *sh, const struct sg_sh_word *w)
{
	size_t n = sg_sh_assigns(w);
	struct sg_str name = sg_str_slice(w->text, 0, n);
	uint32_t i = 0;

	while (i < sh->nvars && !sg_str_eq(sh->vars[i].name, name))
		i++;
	if (i == SG_SH_VARS)
		return;
	if (w->dynamic) {
		if (i < sh->nvars)
			sh->vars[i] = sh->vars[--sh->nvars];
		return;
	}
	sh->vars[i].name = name;
	sh->vars[i].value = sg_str_slice(w->text, n + 1, w->text.n);
	sh->nvars += i == sh->nvars;
}

/* What the next command of a pipeline reads from. */
static int
finish(struct sg_sh_reader *r, struct current *c)
{
	struct sg_sh *sh = r->sh;
	struct sg_sh_command *cmd;
	struct sg_sh_word *words;
	uint32_t set = 0;

	if (c->n == 0 && (c->group || !c->redirs))
		return SG_SH_FEED_MANY;
	while (set < c->n && sg_sh_assigns(&c->words[set]))
		set++;
	for (uint32_t i = 0; set == c->n && i < set; i++)
		set_variable(sh, &c->words[i]);
	words = SG_NEWN(sh->arena, struct sg_sh_word, c->n + 1u);
	if (!words || sh->n == SG_SH_COMMANDS) {
		sg_sh_fail(r, words ? SG_ELIMIT : SG_ENOMEM,
			   "too many commands");
		return SG_SH_FEED_NONE;
	}
	memcpy(words, c->words, c->n * sizeof(*words));
	cmd = &sh->v[sh->n];
	*cmd = (struct sg_sh_command){ words, c->n, c->redirs, c->feed };
	return (int)sh->n++;
}

/* ---- here-documents ---- */

static struct sg_str
take_line(struct sg_sh_reader *r)
{
	struct sg_str rest = sg_str_slice(r->text, r->at, r->text.n);
	size_t n = sg_str_find(rest, '\n');

	r->at += n < rest.n ? n + 1 : n;
	return sg_str_slice(rest, 0, n);
}

static void
read_document(struct sg_sh_reader *r, const struct sg_sh_document *d)
{
	struct sg_buf b;

	sg_buf_init(&b, SG_SH_TEXT + 1);
	while (r->at < r->text.n) {
		struct sg_str line = take_line(r);

		while (d->strip && line.n && line.p[0] == '\t')
			line = sg_str_slice(line, 1, line.n);
		if (sg_str_eq(line, d->end))
			break;
		sg_buf_str(&b, line);
		sg_buf_char(&b, '\n');
	}
	d->redir->word.text = sg_arena_dup(r->sh->arena, sg_buf_view(&b));
	sg_buf_release(&b);
	if (!d->quoted)
		sg_sh_expand_document(r, &d->redir->word);
}

static void
read_documents(struct sg_sh_reader *r)
{
	for (uint32_t i = 0; i < r->ndocuments; i++)
		read_document(r, &r->documents[i]);
	r->ndocuments = 0;
}

/* ---- redirections ---- */

static const struct {
	const char *text;
	enum sg_sh_op op;
	bool strip;
} operators[] = {
	{ "<<<", SG_SH_STRING, false },  { "<<-", SG_SH_DOCUMENT, true },
	{ "<<", SG_SH_DOCUMENT, false }, { "<&", SG_SH_COPY, false },
	{ "<>", SG_SH_OUT, false },      { "<", SG_SH_IN, false },
	{ "&>>", SG_SH_APPEND, false },  { "&>", SG_SH_OUT, false },
	{ ">>", SG_SH_APPEND, false },   { ">&", SG_SH_COPY, false },
	{ ">|", SG_SH_OUT, false },      { ">", SG_SH_OUT, false },
};
enum { NOPERATORS = sizeof(operators) / sizeof(operators[0]) };

static int
operator_at(const struct sg_sh_reader *r)
{
	struct sg_str rest = sg_str_slice(r->text, r->at, r->text.n);

	for (int i = 0; i < NOPERATORS; i++)
		if (sg_str_starts(rest, sg_str_c(operators[i].text)))
			return i;
	return -1;
}

static void
await_document(struct sg_sh_reader *r, struct sg_sh_redir *redir, bool strip)
{
	struct sg_sh_document *d;

	if (r->ndocuments == SG_SH_DOCUMENTS) {
		sg_sh_fail(r, SG_ELIMIT, "too many here-documents");
		return;
	}
	d = &r->documents[r->ndocuments++];
	d->redir = redir;
	d->end = redir->word.text;
	d->strip = strip;
	d->quoted = redir->word.plain < redir->word.text.n || r->quoted;
	redir->word = (struct sg_sh_word){ .text = SG_STR_NONE };
}

static void
read_redirection(struct sg_sh_reader *r, struct current *c, int fd, int op)
{
	struct sg_sh_redir *redir = SG_NEW(r->sh->arena, struct sg_sh_redir);

	r->at += strlen(operators[op].text);
	sg_sh_blanks(r);
	if (!redir) {
		sg_sh_fail(r, SG_ENOMEM, "no memory");
		return;
	}
	redir->op = operators[op].op;
	redir->fd = fd;
	if (!sg_sh_word(r, &redir->word)) {
		sg_sh_fail(r, SG_EPARSE, "a redirection without a name");
		return;
	}
	*c->last = redir;
	c->last = &redir->next;
	if (redir->op == SG_SH_DOCUMENT)
		await_document(r, redir, operators[op].strip);
}

/* "2>": digits right before an operator. */
static bool
read_numbered(struct sg_sh_reader *r, struct current *c)
{
	size_t at = r->at;
	int fd = -1, op;

	while (at < r->text.n && at < r->at + 3 &&
	       isdigit((unsigned char)r->text.p[at]))
		at++;
	if (at > r->at) {
		if (at >= r->text.n ||
		    (r->text.p[at] != '<' && r->text.p[at] != '>'))
			return false;
		fd = 0;
		for (size_t i = r->at; i < at; i++)
			fd = fd * 10 + (r->text.p[i] - '0');
	}
	if (sg_sh_is_process(r, at))
		return false;
	at -= r->at;
	r->at += at;
	op = operator_at(r);
	if (op < 0) {
		r->at -= at;
		return false;
	}
	read_redirection(r, c, fd, op);
	return true;
}

/* ---- words of a command ---- */

/* Words that lead a command without being part of it; true ones take the
 * rest of their line as no command. */
static const struct {
	const char *word;
	bool skips;
} reserved[] = {
	{ "if", false },     { "then", false }, { "elif", false },
	{ "else", false },   { "fi", false },   { "while", false },
	{ "until", false },  { "do", false },   { "done", false },
	{ "{", false },      { "}", false },    { "!", false },
	{ "coproc", false }, { "esac", false }, { "for", true },
	{ "select", true },  { "case", true },  { "function", true },
};

static bool
take_reserved(struct sg_sh_reader *r, struct current *c,
	      const struct sg_sh_word *w)
{
	(void)r;
	if (c->n > 0 || w->plain < w->text.n)
		return false;
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
		if (!sg_str_eq(w->text, sg_str_c(reserved[i].word)))
			continue;
		c->skip = reserved[i].skips;
		c->group = c->group || w->text.p[0] == '}' ||
			   sg_str_eq(w->text, SG_STR("done")) ||
			   sg_str_eq(w->text, SG_STR("fi")) ||
			   sg_str_eq(w->text, SG_STR("esac"));
		if (sg_str_eq(w->text, SG_STR("case")))
			r->cases++;
		if (sg_str_eq(w->text, SG_STR("esac")) && r->cases)
			r->cases--;
		return true;
	}
	return false;
}

static void
read_word(struct sg_sh_reader *r, struct current *c)
{
	struct sg_sh_word w;

	if (!sg_sh_word(r, &w)) {
		if (r->status == SG_OK)
			sg_sh_fail(r, SG_EPARSE, "a stray character");
		return;
	}
	c->none = false;
	if (c->skip || take_reserved(r, c, &w))
		return;
	if (c->n == SG_SH_WORDS)
		sg_sh_fail(r, SG_ELIMIT, "too many words");
	else
		c->words[c->n++] = w;
}

/* ---- lists ---- */

/* `(`: a group, an array, or the empty pair of a function. */
static void
read_open(struct sg_sh_reader *r, struct current *c)
{
	uint32_t cases = r->cases;

	r->at++;
	sg_sh_blanks(r);
	if (c->n == 1 && r->at < r->text.n && r->text.p[r->at] == ')') {
		r->at++;
		begin(c, SG_SH_FEED_NONE);
		return;
	}
	if (c->n == 0)
		c->group = true;
	r->cases = 0;
	sg_sh_list(r, ')');
	r->cases = cases;
}

static bool
at_end(const struct sg_sh_reader *r, char stop)
{
	return r->status != SG_OK || r->at >= r->text.n ||
	       (stop && r->text.p[r->at] == stop && r->cases == 0);
}

/* The separator that stands here, as a pipe or not; 0 bytes: none. */
static size_t
separator(const struct sg_sh_reader *r, bool *ret_pipe)
{
	char a = r->text.p[r->at];
	char b = r->at + 1 < r->text.n ? r->text.p[r->at + 1] : '\0';

	*ret_pipe = a == '|' && b != '|';
	switch (a) {
	case '|':
		return b == '|' || b == '&' ? 2 : 1;
	case '&':
		return b == '>' ? 0 : b == '&' ? 2 : 1;
	case ';':
	case '\n':
	case ')':
		return 1;
	default:
		return 0;
	}
}

static void
read_part(struct sg_sh_reader *r, struct current *c)
{
	size_t n;
	bool pipe;

	n = separator(r, &pipe);
	if (n > 0) {
		bool line = r->text.p[r->at] == '\n';
		bool keep = line && c->none;
		int from = finish(r, c);

		r->at += n;
		if (line)
			read_documents(r);
		/* A pipe goes on after the end of its line. */
		begin(c, pipe ? from : keep ? c->feed : SG_SH_FEED_NONE);
	} else if (r->text.p[r->at] == '(') {
		read_open(r, c);
		c->none = false;
	} else if (read_numbered(r, c)) {
		c->none = false;
	} else {
		read_word(r, c);
	}
}

void
sg_sh_list(struct sg_sh_reader *r, char stop)
{
	struct current *c = SG_NEW(r->sh->arena, struct current);

	if (!c || r->depth == SG_SH_DEPTH) {
		sg_sh_fail(r, c ? SG_ELIMIT : SG_ENOMEM, "nested too deeply");
		return;
	}
	r->depth++;
	begin(c, SG_SH_FEED_NONE);
	for (sg_sh_blanks(r); !at_end(r, stop); sg_sh_blanks(r))
		read_part(r, c);
	if (r->status == SG_OK)
		(void)finish(r, c);
	if (r->status == SG_OK && stop) {
		if (r->at >= r->text.n)
			sg_sh_fail(r, SG_EPARSE, "an unclosed parenthesis");
		r->at++;
	} else if (r->status == SG_OK) {
		read_documents(r);
	}
	r->depth--;
}

/* ---- all of it ---- */

int
sg_sh_init(struct sg_sh *sh, const char *home, struct sg_arena *arena,
	   struct sg_err *err)
{
	*sh = (struct sg_sh){ .arena = arena, .home = home };
	sh->v = SG_NEWN(arena, struct sg_sh_command, SG_SH_COMMANDS);
	return sh->v ? SG_OK : sg_err_set(err, SG_ENOMEM, "no memory");
}

int
sg_sh_parse(struct sg_sh *sh, struct sg_str text, struct sg_err *err)
{
	struct sg_sh_reader r = { .sh = sh, .text = text };

	if (text.n > SG_SH_TEXT)
		return sg_err_set(err, SG_ELIMIT,
				  "a command line of more than %d bytes",
				  (int)SG_SH_TEXT);
	sg_sh_list(&r, '\0');
	if (r.status != SG_OK)
		return sg_err_set(err, r.status, "%s", r.why);
	if (sg_arena_failed(sh->arena))
		return sg_err_set(err, SG_ENOMEM, "no memory");
	return SG_OK;
}
