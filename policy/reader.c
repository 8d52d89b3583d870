/* Typed reading of document nodes, one clear error each. */

#include <stdarg.h>
#include <stdio.h>

#include "policy/capability.h"
#include "policy/limits.h"
#include "policy/load.h"

struct sg_mark
sg_load_mark(const struct sg_load *ld, const struct sg_doc_node *at)
{
	return (struct sg_mark){ ld->file, at->line, at->column };
}

/* Names in parentheses are never macros: see the header. */
int(sg_load_fail)(struct sg_load *ld, const struct sg_doc_node *at,
		  const char *code, const char *fmt, ...)
{
	char text[SG_ERR_MSG];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)sg_err_set(ld->err, SG_EPOLICY, "%s", text);
	(void)sg_err_code(ld->err, code);
	(void)sg_err_at(ld->err, ld->file, at->line, at->column);
	return SG_EPOLICY;
}

void
sg_load_place(struct sg_load *ld, const struct sg_doc_node *v, size_t at)
{
	uint32_t line, column;

	sg_doc_place(ld->docs[ld->document].text, v, at, &line, &column);
	(void)sg_err_at(ld->err, ld->file, line, column);
}

int(sg_load_fail_in)(struct sg_load *ld, const struct sg_doc_node *v, size_t at,
		     const char *code, const char *fmt, ...)
{
	char text[SG_ERR_MSG];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)sg_err_set(ld->err, SG_EPOLICY, "%s", text);
	(void)sg_err_code(ld->err, code);
	sg_load_place(ld, v, at);
	return SG_EPOLICY;
}

int(sg_load_nomem)(struct sg_load *ld)
{
	return sg_err_set(ld->err, SG_ENOMEM, "out of memory");
}

void
sg_load_warn(struct sg_load *ld, struct sg_mark mark, const char *code,
	     const char *fmt, ...)
{
	struct sg_policy_warning *w;
	char text[SG_ERR_MSG];
	va_list ap;

	if (!SG_VEC_ROOM(&ld->warnings, 1, SG_POLICY_ITEMS))
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	w = &ld->warnings.v[ld->warnings.n++];
	w->code = code;
	w->file = mark.file;
	w->line = mark.line;
	w->column = mark.column;
	w->message = sg_arena_dup(ld->arena, sg_str_c(text));
}

const char *
sg_load_nearest(struct sg_str word, const char *const *words)
{
	uint32_t cap = (uint32_t)(word.n / 3 + 1), d;
	const char *best = NULL;

	for (; *words != NULL; words++) {
		d = sg_str_distance(word, sg_str_c(*words), cap);
		if (d <= cap && d < word.n) {
			best = *words;
			if (d == 0)
				break;
			cap = d - 1;
		}
	}
	return best;
}

static int
unknown_key(struct sg_load *ld, const struct sg_doc_node *key,
	    const struct sg_field *fields, const char *what)
{
	const char *words[64], *near;
	char all[300] = "";
	size_t len = 0;
	uint32_t n = 0;

	for (; fields[n].key != NULL && n < 63; n++)
		words[n] = fields[n].key;
	words[n] = NULL;
	near = sg_load_nearest(key->text, words);
	if (near != NULL)
		return sg_load_fail(ld, key, "policy.unknown-key",
				    "unknown key '%.*s' in %s; did you mean "
				    "'%s'?",
				    SG_STR_ARG(key->text), what, near);
	for (n = 0; fields[n].key != NULL; n++)
		if (len + strlen(fields[n].key) + 3 < sizeof(all))
			len += (size_t)snprintf(all + len, sizeof(all) - len,
						"%s%s", n > 0 ? ", " : "",
						fields[n].key);
	return sg_load_fail(ld, key, "policy.unknown-key",
			    "unknown key '%.*s' in %s; there are: %s",
			    SG_STR_ARG(key->text), what, all);
}

static const struct sg_field *
field_of(const struct sg_field *fields, struct sg_str key)
{
	const char *k;

	/* Many keys, many tables: no length is counted of one that differs. */
	for (; (k = fields->key) != NULL; fields++)
		if (key.n > 0 && k[0] == key.p[0] &&
		    sg_str_eq(key, sg_str_c(k)))
			return fields;
	return NULL;
}

static const char *
kind_text(const struct sg_doc_node *v)
{
	if (v->kind == SG_DOC_MAP)
		return "a mapping";
	if (v->kind == SG_DOC_LIST)
		return "a list";
	return sg_doc_null(v) ? "nothing" : "a text";
}

int
sg_load_map(struct sg_load *ld, const struct sg_doc_node *map,
	    const struct sg_field *fields, const char *what, void *into)
{
	const struct sg_field *f;
	const struct sg_doc_node *v;
	int rc;

	if (map->kind != SG_DOC_MAP)
		return sg_load_fail(ld, map, "policy.type",
				    "%s must be a mapping, not %s", what,
				    kind_text(map));
	for (v = map->first; v != NULL; v = v->next)
		if (field_of(fields, v->key->text) == NULL)
			return unknown_key(ld, v->key, fields, what);
	for (f = fields; f->key != NULL; f++)
		if ((f->flags & SG_FIELD_REQUIRED) != 0 &&
		    sg_doc_get(map, f->key) == NULL)
			return sg_load_fail(ld, map, "policy.missing-key",
					    "%s needs the key '%s'", what,
					    f->key);
	for (v = map->first; v != NULL; v = v->next) {
		f = field_of(fields, v->key->text);
		if (f == NULL || (f->flags & SG_FIELD_SKIP) != 0)
			continue;
		rc = f->read(ld, v, into);
		if (rc != SG_OK)
			return rc;
	}
	return SG_OK;
}

int
sg_load_list(struct sg_load *ld, const struct sg_doc_node *list,
	     const char *what)
{
	if (list->kind != SG_DOC_LIST)
		return sg_load_fail(ld, list, "policy.type",
				    "%s must be a list, not %s", what,
				    kind_text(list));
	return SG_OK;
}

int
sg_load_text(struct sg_load *ld, const struct sg_doc_node *v,
	     struct sg_str *ret)
{
	if (v->kind != SG_DOC_SCALAR || sg_doc_null(v))
		return sg_load_fail(ld, v, "policy.type",
				    "a text is wanted here, not %s",
				    kind_text(v));
	*ret = v->text;
	return SG_OK;
}

int
sg_load_bool(struct sg_load *ld, const struct sg_doc_node *v, bool *ret)
{
	if (v->kind == SG_DOC_SCALAR && v->plain) {
		if (sg_str_eq(v->text, SG_STR("true"))) {
			*ret = true;
			return SG_OK;
		}
		if (sg_str_eq(v->text, SG_STR("false"))) {
			*ret = false;
			return SG_OK;
		}
	}
	return sg_load_fail(ld, v, "policy.type", "write true or false here");
}

/* The factor of a unit, 0 when it is none. */
static uint64_t
unit_factor(struct sg_str unit)
{
	static const struct {
		const char *unit;
		uint64_t factor;
	} units[] = {
		{ "", 1 },      { "KiB", 1u << 10 }, { "MiB", 1u << 20 },
		{ "KB", 1000 }, { "MB", 1000000 },   { "kB", 1000 },
		{ "ms", 1 },    { "s", 1000 },
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (sg_str_eq(unit, sg_str_c(units[i].unit)))
			return units[i].factor;
	return 0;
}

int
sg_load_number(struct sg_load *ld, const struct sg_doc_node *v, uint32_t min,
	       uint32_t max, uint32_t *ret)
{
	uint64_t n = 0, factor;
	size_t i;

	if (v->kind != SG_DOC_SCALAR || sg_doc_null(v))
		return sg_load_fail(ld, v, "policy.type",
				    "a number is wanted here, not %s",
				    kind_text(v));
	for (i = 0; i < v->text.n && i < 10; i++) {
		if (v->text.p[i] < '0' || v->text.p[i] > '9')
			break;
		n = n * 10 + (uint64_t)(v->text.p[i] - '0');
	}
	factor = unit_factor(sg_str_slice(v->text, i, v->text.n));
	if (i == 0 || factor == 0)
		return sg_load_fail(ld, v, "policy.type",
				    "'%.*s' is not a whole number, with a "
				    "unit right behind it where one is "
				    "wanted: 5000, 64KiB, 2MiB, 250ms, 1s",
				    SG_STR_ARG(v->text));
	n *= factor;
	if (n < min || n > max)
		return sg_load_fail(ld, v, "policy.range",
				    "%.*s is not between %u and %u",
				    SG_STR_ARG(v->text), min, max);
	*ret = (uint32_t)n;
	return SG_OK;
}

int
sg_load_choice(struct sg_load *ld, const struct sg_doc_node *v,
	       const struct sg_choice *table, int *ret)
{
	const char *words[80], *near;
	char all[200] = "";
	struct sg_str s;
	uint32_t n = 0;
	size_t len = 0;
	int rc = sg_load_text(ld, v, &s);

	if (rc != SG_OK)
		return rc;
	for (; table[n].word != NULL && n < 79; n++) {
		if (sg_str_eq(s, sg_str_c(table[n].word))) {
			*ret = table[n].value;
			return SG_OK;
		}
		words[n] = table[n].word;
		if (len + strlen(words[n]) + 3 < sizeof(all))
			len += (size_t)snprintf(all + len, sizeof(all) - len,
						"%s%s", n > 0 ? ", " : "",
						words[n]);
	}
	words[n] = NULL;
	near = sg_load_nearest(s, words);
	if (near != NULL)
		return sg_load_fail(ld, v, "policy.value",
				    "'%.*s' is none of: %s; did you mean "
				    "'%s'?",
				    SG_STR_ARG(s), all, near);
	return sg_load_fail(ld, v, "policy.value", "'%.*s' is none of: %s",
			    SG_STR_ARG(s), all);
}

/* --- regexes and capabilities ------------------------------------------ */

/* "\\b" in double quotes is a backspace by the time YAML has read it. */
static void
warn_control(struct sg_load *ld, const struct sg_doc_node *v,
	     struct sg_str pattern)
{
	size_t i;

	for (i = 0; i < pattern.n; i++)
		if ((unsigned char)pattern.p[i] < ' ' && pattern.p[i] != '\n' &&
		    pattern.p[i] != '\t')
			break;
	if (i < pattern.n)
		sg_load_warn(ld, sg_load_mark(ld, v), "policy.regex-control",
			     "the regex has a control character: in double "
			     "quotes YAML reads the backslashes, so write it "
			     "in single quotes");
}

int
sg_load_new_regex(struct sg_load *ld, const struct sg_doc_node *v,
		  struct sg_str pattern, struct sg_regex **ret,
		  size_t *ret_offset)
{
	int rc;

	if (pattern.n == 0)
		return sg_load_fail(ld, v, "policy.regex",
				    "an empty regex matches everything");
	if (ld->regexes.n >= SG_POLICY_REGEXES)
		return sg_load_fail(ld, v, "policy.size",
				    "the policy has too many regexes");
	if (!SG_VEC_ROOM(&ld->regexes, 1, SG_POLICY_REGEXES))
		return sg_load_nomem(ld);
	rc = sg_regex_new(pattern, ret, ret_offset, ld->err);
	if (rc != SG_OK)
		return rc;
	ld->regexes.v[ld->regexes.n++] = *ret;
	warn_control(ld, v, pattern);
	if (sg_regex_matches_empty(*ret))
		sg_load_warn(ld, sg_load_mark(ld, v), "policy.regex-empty",
			     "the regex matches the empty text, so it "
			     "matches everywhere");
	return SG_OK;
}

int
sg_load_regex(struct sg_load *ld, const struct sg_doc_node *v,
	      struct sg_regex **ret)
{
	struct sg_str s;
	size_t offset = 0;
	int rc = sg_load_text(ld, v, &s);

	if (rc != SG_OK)
		return rc;
	rc = sg_load_new_regex(ld, v, s, ret, &offset);
	if (rc == SG_EPOLICY)
		sg_load_place(ld, v, offset);
	return rc;
}

static int
unknown_capability(struct sg_load *ld, const struct sg_doc_node *v,
		   struct sg_str glob)
{
	const char *words[65], *near;
	uint32_t i, n = sg_capability_count();

	for (i = 0; i < n; i++) {
		struct sg_str name = sg_str_c(sg_capability_name(i));

		if (sg_str_starts(name, glob) && name.n > glob.n &&
		    name.p[glob.n] == '.')
			return sg_load_fail(ld, v, "policy.unknown-capability",
					    "there is no capability '%.*s'; "
					    "did you mean '%.*s.*'?",
					    SG_STR_ARG(glob), SG_STR_ARG(glob));
	}

	for (i = 0; i < n && i < 64; i++)
		words[i] = sg_capability_name(i);
	words[i] = NULL;
	near = sg_load_nearest(glob, words);
	if (near != NULL)
		return sg_load_fail(ld, v, "policy.unknown-capability",
				    "there is no capability '%.*s'; did you "
				    "mean '%s'?",
				    SG_STR_ARG(glob), near);
	return sg_load_fail(ld, v, "policy.unknown-capability",
			    "there is no capability '%.*s'", SG_STR_ARG(glob));
}

int
sg_load_capabilities(struct sg_load *ld, const struct sg_doc_node *v,
		     uint64_t *ret_mask, struct sg_strs *ret_globs)
{
	struct sg_strs globs;
	uint64_t mask = 0, one;
	uint32_t i;
	int rc = sg_load_strs(ld, v, &globs);

	if (rc != SG_OK)
		return rc;
	for (i = 0; i < globs.n; i++) {
		one = sg_capability_mask(globs.v[i]);
		if (one == 0)
			return unknown_capability(ld, sg_load_item(ld, v, i),
						  globs.v[i]);
		mask |= one;
	}
	*ret_mask = mask;
	if (ret_globs != NULL)
		*ret_globs = globs;
	return SG_OK;
}

bool
sg_load_setting(struct sg_load *ld, uint32_t id, const struct sg_doc_node *at,
		bool same)
{
	struct sg_setting *s = &ld->settings[id];

	if (s->set && s->depth < ld->depth)
		return false;
	if (s->set && s->depth == ld->depth) {
		if (!same && !s->conflict) {
			s->conflict = true;
			s->mark = sg_load_mark(ld, at);
		}
		return false;
	}
	*s = (struct sg_setting){ .set = true,
				  .depth = ld->depth,
				  .mark = sg_load_mark(ld, at) };
	return true;
}
