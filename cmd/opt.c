#include "cmd/opt.h"

#include "base/file.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* ---- numbers ---- */

/* Digits at *text; moves it past them.  False for none or too many. */
static bool
take_digits(const char **text, uint64_t *ret)
{
	const char *p = *text;
	uint64_t v = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return false;
	}
	if (p == *text)
		return false;
	*text = p;
	*ret = v;
	return true;
}

int
sg_opt_size(const char *text, uint64_t *ret, struct sg_err *err)
{
	static const struct {
		const char *unit;
		unsigned shift;
	} units[] = {
		{ "", 0 },     { "b", 0 },   { "k", 10 },   { "kb", 10 },
		{ "kib", 10 }, { "m", 20 },  { "mb", 20 },  { "mib", 20 },
		{ "g", 30 },   { "gb", 30 }, { "gib", 30 },
	};
	const char *p = text;
	uint64_t v;

	if (take_digits(&p, &v)) {
		for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
			if (strcasecmp(p, units[i].unit) != 0 ||
			    v > UINT64_MAX >> (units[i].shift + 1))
				continue;
			*ret = v << units[i].shift;
			return SG_OK;
		}
	}
	return sg_err_set(err, SG_EUSAGE,
			  "'%.64s' is not a size such as 512MiB", text);
}

int
sg_opt_time(const char *text, uint64_t *ret, struct sg_err *err)
{
	static const struct {
		const char *unit;
		uint64_t ms;
	} units[] = {
		{ "", 1000 }, { "s", 1000 }, { "ms", 1 }, { "m", 60000 }
	};
	const char *p = text;
	uint64_t whole = 0, part = 0, scale = 1;
	bool good = *p == '.' || take_digits(&p, &whole);

	if (good && *p == '.') {
		p++;
		good = *p >= '0' && *p <= '9';
		for (; *p >= '0' && *p <= '9'; p++) {
			if (scale < 1000000) {
				part = part * 10 + (uint64_t)(*p - '0');
				scale *= 10;
			}
		}
	}
	for (size_t i = 0; good && i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(p, units[i].unit) != 0 ||
		    whole > UINT32_MAX / units[i].ms)
			continue;
		*ret = whole * units[i].ms + part * units[i].ms / scale;
		return SG_OK;
	}
	return sg_err_set(err, SG_EUSAGE,
			  "'%.64s' is not a time such as 2, 0.5s or 500ms",
			  text);
}

static int
whole_number(const char *text, uint64_t *ret, struct sg_err *err)
{
	if (!take_digits(&text, ret) || *text)
		return sg_err_set(err, SG_EUSAGE,
				  "'%.64s' is not a whole number", text);
	return SG_OK;
}

/* ---- one option ---- */

static int
store(const struct sg_opt *o, const char *value, void *fields,
      struct sg_err *err)
{
	void *field = (char *)fields + o->offset;
	struct sg_opt_list *list;
	struct sg_opt_number *number;
	int status = SG_OK;

	switch (o->kind) {
	case SG_OPT_FLAG:
		*(bool *)field = true;
		return SG_OK;
	case SG_OPT_TEXT:
		*(const char **)field = value;
		return SG_OK;
	case SG_OPT_LIST:
		list = field;
		if (list->n == SG_OPT_LIST_MAX)
			return sg_err_set(err, SG_EUSAGE,
					  "option '--%s' is given more than "
					  "%d times",
					  o->name, (int)SG_OPT_LIST_MAX);
		list->v[list->n++] = value;
		return SG_OK;
	case SG_OPT_SIZE:
		status = sg_opt_size(value, field, err);
		break;
	case SG_OPT_TIME:
		status = sg_opt_time(value, field, err);
		break;
	case SG_OPT_COUNT:
		status = whole_number(value, field, err);
		break;
	case SG_OPT_NUMBER:
		number = field;
		number->given = true;
		status = whole_number(value, &number->value, err);
		break;
	case SG_OPT_CONFIG:
	case SG_OPT_END:
	default:
		return sg_err_set(err, SG_EINTERNAL, "a table is wrong");
	}
	if (status == SG_OK && o->kind != SG_OPT_NUMBER &&
	    *(uint64_t *)field == 0)
		status = sg_err_set(err, SG_EUSAGE, "0 makes no sense");
	if (status < 0 && err) {
		char why[SG_ERR_MSG];

		memcpy(why, err->msg, sizeof(why));
		return sg_err_set(err, SG_EUSAGE, "option '--%s': %.300s",
				  o->name, why);
	}
	return status;
}

static int
unknown(const struct sg_opt *table, const char *given, size_t n,
	struct sg_err *err)
{
	struct sg_str want = { given, n };
	const char *best = NULL;
	uint32_t nearest = 3;

	for (const struct sg_opt *o = table; o->kind != SG_OPT_END; o++) {
		uint32_t d = sg_str_distance(want, sg_str_c(o->name), 3);

		if (sg_str_starts(sg_str_c(o->name), want) && n >= 3)
			d = 1;
		if (d < nearest && d * 2 <= want.n) {
			nearest = d;
			best = o->name;
		}
	}
	if (best)
		return sg_err_set(err, SG_EUSAGE,
				  "unknown option '--%.*s'; did you mean "
				  "'--%s'?",
				  (int)n, given, best);
	return sg_err_set(err, SG_EUSAGE, "unknown option '--%.*s'", (int)n,
			  given);
}

struct cursor {
	const struct sg_opt *table;
	char **argv;
	int argc, at;
	void *fields;
	bool help;
};

/* The value of an option: after '=' or the next argument. */
static int
with_value(struct cursor *c, const struct sg_opt *o, const char *attached,
	   struct sg_err *err)
{
	if (o->offset == SIZE_MAX && o->kind == SG_OPT_FLAG) {
		c->help = true;
		return SG_OK;
	}
	if (o->kind == SG_OPT_FLAG) {
		if (attached)
			return sg_err_set(err, SG_EUSAGE,
					  "option '--%s' takes no value",
					  o->name);
		return store(o, NULL, c->fields, err);
	}
	if (!attached) {
		if (c->at + 1 >= c->argc)
			return sg_err_set(err, SG_EUSAGE,
					  "option '--%s' wants %s", o->name,
					  o->value);
		attached = c->argv[++c->at];
	}
	if (o->kind == SG_OPT_CONFIG) /* it was read before all others */
		return SG_OK;
	return store(o, attached, c->fields, err);
}

static int
long_option(struct cursor *c, const char *text, struct sg_err *err)
{
	size_t n = strcspn(text, "=");
	struct sg_str name = { text, n };

	for (const struct sg_opt *o = c->table; o->kind != SG_OPT_END; o++) {
		if (sg_str_eq(name, sg_str_c(o->name)))
			return with_value(c, o, text[n] ? text + n + 1 : NULL,
					  err);
	}
	return unknown(c->table, text, n, err);
}

/* Letters together (-qv), the last of which may have its value attached. */
static int
letters(struct cursor *c, const char *text, struct sg_err *err)
{
	int status = SG_OK;

	for (; *text && status == SG_OK; text++) {
		const struct sg_opt *o = c->table;

		while (o->kind != SG_OPT_END && o->letter != *text)
			o++;
		if (o->kind == SG_OPT_END)
			return sg_err_set(err, SG_EUSAGE,
					  "unknown option '-%c'", *text);
		if (o->kind != SG_OPT_FLAG)
			return with_value(c, o, text[1] ? text + 1 : NULL, err);
		status = with_value(c, o, NULL, err);
	}
	return status;
}

/* ---- files of options ---- */

enum { CONFIG_MAX = 1 << 20 };

/* The value of the option that names a file; NULL when it is not given. */
static const char *
config_of(const struct sg_opt *table, int argc, char **argv)
{
	const struct sg_opt *o = table;
	const char *path = NULL;
	size_t n;

	while (o->kind != SG_OPT_END && o->kind != SG_OPT_CONFIG)
		o++;
	if (o->kind == SG_OPT_END)
		return NULL;
	n = strlen(o->name);
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *a = argv[i];

		if (strncmp(a, "--", 2) != 0 || strncmp(a + 2, o->name, n) != 0)
			continue;
		if (a[n + 2] == '=')
			path = a + n + 3;
		else if (a[n + 2] == '\0' && i + 1 < argc)
			path = argv[i + 1];
	}
	return path;
}

static char *
trim(char *s)
{
	size_t n;

	while (*s == ' ' || *s == '\t')
		s++;
	n = strlen(s);
	while (n > 0 && strchr(" \t\r", s[n - 1]))
		s[--n] = '\0';
	return s;
}

/* One line; it is taken apart in its place. */
static int
config_line(struct cursor *c, char *line, struct sg_err *err)
{
	const struct sg_opt *o = c->table;
	char *value = strchr(line, '='), *name;

	if (value)
		*value++ = '\0';
	name = trim(line);
	if (*name == '\0' && !value)
		return SG_OK;
	while (o->kind != SG_OPT_END && strcmp(o->name, name) != 0)
		o++;
	if (o->kind == SG_OPT_END)
		return unknown(c->table, name, strlen(name), err);
	if (o->kind == SG_OPT_CONFIG || o->offset == SIZE_MAX)
		return sg_err_set(err, SG_EUSAGE,
				  "option '--%s' makes no sense in a file",
				  o->name);
	if (!value && o->kind != SG_OPT_FLAG)
		return sg_err_set(err, SG_EUSAGE, "option '--%s' wants %s",
				  o->name, o->value);
	if (value && o->kind == SG_OPT_FLAG)
		return sg_err_set(err, SG_EUSAGE,
				  "option '--%s' takes no value", o->name);
	return store(o, value ? trim(value) : NULL, c->fields, err);
}

/* `text` ends in NUL and stays, for the fields to point into. */
static int
config_text(struct cursor *c, const char *path, char *text, struct sg_err *err)
{
	unsigned number = 1;

	for (char *next = text; next; number++) {
		char *line = next, *comment;
		char why[SG_ERR_MSG];

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		comment = strchr(line, '#');
		/* A value may hold one, in the middle of a word. */
		while (comment && comment > line && comment[-1] != ' ' &&
		       comment[-1] != '\t')
			comment = strchr(comment + 1, '#');
		if (comment)
			*comment = '\0';
		if (config_line(c, line, err) == SG_OK)
			continue;
		memcpy(why, err->msg, sizeof(why));
		return sg_err_set(err, SG_EUSAGE, "%.200s:%u: %.250s", path,
				  number, why);
	}
	return SG_OK;
}

/* Room for the arguments, and behind them for the file of options. */
static int
make_room(struct cursor *c, struct sg_args *args, struct sg_err *err)
{
	const char *path = config_of(c->table, c->argc, c->argv);
	size_t words = ((size_t)c->argc + 1) * sizeof(*args->v);
	struct sg_buf b;
	char *text;
	int status = SG_OK;

	sg_buf_init(&b, CONFIG_MAX);
	if (path && (status = sg_file_read(path, &b, err)) < 0)
		(void)sg_err_set(
			err, SG_EUSAGE, "cannot read '%.200s': %s", path,
			status == SG_ELIMIT ? "it is too long"
					    : "there is no such file, or "
					      "it cannot be opened");
	if (status == SG_OK) {
		args->v = calloc(1, words + b.len + 1);
		if (!args->v)
			status = sg_err_set(err, SG_ENOMEM, "no memory");
	}
	if (status == SG_OK && b.len) {
		text = (char *)args->v + words;
		memcpy(text, b.data, b.len);
		status = config_text(c, path, text, err);
	}
	sg_buf_release(&b);
	return status;
}

int
sg_opt_parse(const struct sg_opt *table, int argc, char **argv, void *fields,
	     struct sg_args *ret, struct sg_err *err)
{
	struct cursor c = { table, argv, argc, 1, fields, false };
	struct sg_args args = { 0 };
	int status = make_room(&c, &args, err);

	for (; c.at < argc && status == SG_OK && !c.help; c.at++) {
		const char *a = argv[c.at];

		if (args.dashes || a[0] != '-' || a[1] == '\0') {
			args.v[args.n++] = a;
		} else if (strcmp(a, "--") == 0) {
			args.dashes = true;
			args.before = args.n;
		} else if (a[1] == '-') {
			status = long_option(&c, a + 2, err);
		} else {
			status = letters(&c, a + 1, err);
		}
	}
	if (!args.dashes)
		args.before = args.n;
	args.help = c.help;
	if (status < 0) {
		free(args.v);
		return status;
	}
	*ret = args;
	return SG_OK;
}
