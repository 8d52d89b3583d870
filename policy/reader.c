/* Typed reading of document nodes, one clear error each. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "policy/canon.h"
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
	for (; fields->key != NULL; fields++)
		if (sg_str_eq(key, sg_str_c(fields->key)))
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
		if ((f->flags & SG_FIELD_SKIP) != 0)
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

/* --- lists and $references ------------------------------------------- */

/* Looks in the document itself, then in what it extends, nearest first. */
static struct sg_named_list *
find_list(struct sg_load *ld, struct sg_str name)
{
	struct sg_named_list *l, *best = NULL;
	uint32_t i;

	for (i = 0; i < ld->lists.n; i++) {
		l = &ld->lists.v[i];
		if (!sg_str_eq(l->name, name) ||
		    ld->docs[l->document].depth < ld->depth)
			continue;
		if (l->document == ld->document)
			return l;
		if (best == NULL || ld->docs[l->document].depth <
					    ld->docs[best->document].depth)
			best = l;
	}
	return best;
}

static int
unknown_list(struct sg_load *ld, const struct sg_doc_node *v,
	     struct sg_str name)
{
	const char *words[64], *near;
	uint32_t i;

	for (i = 0; i < ld->lists.n && i < 63; i++)
		words[i] = ld->lists.v[i].name.p;
	words[i] = NULL;
	near = sg_load_nearest(name, words);
	if (near != NULL)
		return sg_load_fail(ld, v, "policy.unknown-list",
				    "there is no list '%.*s'; did you mean "
				    "'%s'?",
				    SG_STR_ARG(name), near);
	return sg_load_fail(ld, v, "policy.unknown-list",
			    "there is no list '%.*s'", SG_STR_ARG(name));
}

struct str_vec {
	struct sg_str *v;
	uint32_t n, room;
};

static int
add_str(struct sg_load *ld, const struct sg_doc_node *v, struct str_vec *out,
	const struct sg_str *items, uint32_t n)
{
	if (out->n + n > SG_POLICY_ITEMS)
		return sg_load_fail(ld, v, "policy.size",
				    "the list has too many items");
	if (!SG_VEC_ROOM(out, n, SG_POLICY_ITEMS))
		return sg_load_nomem(ld);
	if (n > 0)
		memcpy(out->v + out->n, items, n * sizeof(*items));
	out->n += n;
	return SG_OK;
}

static int
add_item(struct sg_load *ld, const struct sg_doc_node *v, struct str_vec *out)
{
	struct sg_named_list *l;
	struct sg_str s;
	int rc = sg_load_text(ld, v, &s);

	if (rc != SG_OK)
		return rc;
	if (s.n == 0)
		return sg_load_fail(ld, v, "policy.value",
				    "an empty text says nothing here");
	if (s.n < 2 || s.p[0] != '$')
		return add_str(ld, v, out, &s, 1);
	s = sg_str_slice(s, 1, s.n);
	l = find_list(ld, s);
	if (l == NULL)
		return unknown_list(ld, v, s);
	l->used = true;
	return add_str(ld, v, out, l->items.v, l->items.n);
}

int
sg_load_strs(struct sg_load *ld, const struct sg_doc_node *v,
	     struct sg_strs *ret)
{
	struct str_vec out = { NULL, 0, 0 };
	const struct sg_doc_node *item;
	struct sg_str *copy;
	int rc = SG_OK;

	if (v->kind == SG_DOC_SCALAR) {
		rc = add_item(ld, v, &out);
	} else if (v->kind == SG_DOC_MAP) {
		rc = sg_load_fail(ld, v, "policy.type",
				  "a text or a list of texts is wanted here, "
				  "not a mapping");
	} else {
		if (v->first == NULL)
			rc = sg_load_fail(ld, v, "policy.value",
					  "the list is empty");
		for (item = v->first; rc == SG_OK && item != NULL;
		     item = item->next)
			rc = add_item(ld, item, &out);
	}
	if (rc == SG_OK) {
		copy = SG_NEWN(ld->arena, struct sg_str, out.n);
		if (copy == NULL) {
			rc = sg_load_nomem(ld);
		} else {
			if (out.n > 0)
				memcpy(copy, out.v, out.n * sizeof(*copy));
			*ret = (struct sg_strs){ copy, out.n };
		}
	}
	free(out.v);
	return rc;
}

int
sg_load_canon(struct sg_load *ld, bool builtins, struct sg_strs *names)
{
	struct sg_str *v = NULL, s;
	uint32_t i;

	for (i = 0; i < names->n; i++) {
		s = names->v[i];
		if (builtins && sg_canon_is_builtin(s))
			s = sg_arena_printf(ld->arena, "builtins.%.*s",
					    SG_STR_ARG(s));
		else
			s = sg_canon(s, ld->arena);
		if (s.p == names->v[i].p)
			continue;
		if (v == NULL && s.p != NULL)
			v = SG_NEWN(ld->arena, struct sg_str, names->n);
		if (v == NULL || s.p == NULL)
			return sg_load_nomem(ld);
		if (names->v != v)
			memcpy(v, names->v, names->n * sizeof(*v));
		v[i] = s;
		names->v = v;
	}
	return SG_OK;
}

const struct sg_doc_node *
sg_load_item(struct sg_load *ld, const struct sg_doc_node *v, uint32_t index)
{
	const struct sg_doc_node *item = v->first;
	const struct sg_named_list *l;
	uint32_t n;

	for (; v->kind == SG_DOC_LIST && item != NULL; item = item->next) {
		n = 1;
		if (item->text.n > 1 && item->text.p[0] == '$') {
			l = find_list(
				ld, sg_str_slice(item->text, 1, item->text.n));
			n = l != NULL ? l->items.n : 1;
		}
		if (index < n)
			return item;
		index -= n;
	}
	return v;
}

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
