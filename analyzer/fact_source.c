/*
 * What stands in the text beside the program: coding cookies, byte order
 * marks, controls that turn the direction of text, characters nobody sees,
 * and comments that ask a checker to look away.
 */

#include "analyzer/factlist.h"
#include "base/utf8.h"
#include "base/vec.h"

static void
add(struct sg_values *v, uint32_t start, uint32_t end, struct sg_str name)
{
	struct sg_facts *f = v->facts;

	sg_fact_add(v, SG_FACT_SOURCE, 0, name, 0);
	if (f->n)
		f->v[f->n - 1].range = (struct sg_range){ start, end };
}

/* Without regard to the case of letters. */
static bool
begins(struct sg_str s, const char *what)
{
	size_t k = 0;

	while (what[k] && k < s.n && (s.p[k] | 0x20) == (what[k] | 0x20))
		k++;
	return !what[k];
}

static bool
contains(struct sg_str s, const char *what)
{
	for (size_t i = 0; i < s.n; i++)
		if (begins(sg_str_slice(s, i, s.n), what))
			return true;
	return false;
}

/* Requests to look away, by their first letter. */
static bool
suppresses(struct sg_str s)
{
	static const char *const requests[] = {
		"bandit: skip",   "codeql[",   "devskim:",
		"lgtm[",          "noqa",      "nosec",
		"nosemgrep",      "nosonar",   "pylint: disable",
		"pylint:disable", "sandgate:", "semgrep: ignore",
		"skipcq",
	};
	const size_t n = sizeof(requests) / sizeof(*requests);

	for (size_t i = 0; i < s.n; i++) {
		char c = (char)(s.p[i] | 0x20);

		if (c != 'n' && c != 's' && c != 'p' && c != 'b' && c != 'c' &&
		    c != 'd' && c != 'l')
			continue;
		for (size_t k = 0; k < n; k++)
			if (requests[k][0] == c &&
			    begins(sg_str_slice(s, i, s.n), requests[k]))
				return true;
	}
	return false;
}

static void
comment(struct sg_values *v, const struct sg_source *s,
	const struct sg_range *c)
{
	struct sg_str text = sg_str_slice(s->text, c->start, c->end);

	if (suppresses(text))
		add(v, c->start, c->end, SG_STR("suppression"));
	if (s->nlines > 2 && c->start >= s->line_starts[2])
		return;
	if (contains(text, "coding:") || contains(text, "coding="))
		add(v, c->start, c->end, SG_STR("cookie"));
}

static struct sg_str
odd_character(uint32_t cp)
{
	if ((cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) ||
	    cp == 0x200e || cp == 0x200f || cp == 0x61c)
		return SG_STR("bidi");
	if ((cp >= 0x200b && cp <= 0x200d) || cp == 0x2060 || cp == 0xfeff ||
	    (cp >= 0x2061 && cp <= 0x2064) || cp == 0xad || cp == 0x180e ||
	    (cp >= 0xe0000 && cp <= 0xe007f) || cp == 0x115f || cp == 0x1160 ||
	    cp == 0x3164 || cp == 0xffa0 || cp == 0x2028 || cp == 0x2029)
		return SG_STR("invisible");
	return SG_STR_NONE;
}

static void
characters(struct sg_values *v, struct sg_str text)
{
	size_t i = 0;

	for (;;) {
		uint32_t cp, n;
		uint64_t w;

		while (i + 8 <= text.n) {
			memcpy(&w, text.p + i, 8);
			if (w & 0x8080808080808080u)
				break;
			i += 8;
		}
		while (i < text.n && !((uint8_t)text.p[i] & 0x80))
			i++;
		if (i >= text.n)
			return;
		n = sg_utf8_decode(text, i, &cp);
		if (n) {
			struct sg_str name = odd_character(cp);

			if (name.n)
				add(v, (uint32_t)i, (uint32_t)(i + n), name);
		}
		i += n ? n : 1;
	}
}

void
sg_fact_source(struct sg_values *v, const struct sg_source *s,
	       const struct sg_range *comments, uint32_t ncomments)
{
	if (s->ndrift && s->drift[0].at == 0 && s->drift[0].removed == 3)
		add(v, 0, 0, SG_STR("bom"));
	for (uint32_t i = 0; i < ncomments; i++)
		comment(v, s, &comments[i]);
	characters(v, s->text);
}
