/*
 * The terminals of the grammar in a skeleton.  Lines end where the skeleton's
 * do, a space at the beginning of a line is a level of indentation, every
 * name that is no keyword is one letter, every literal is a zero.
 */

#include <ctype.h>

#include "analyzer/parse.h"
#include "analyzer/parse_table.h"

/* --- resolving --------------------------------------------------------------- */

static uint32_t
word_slot(const char *s, uint32_t n)
{
	return ((unsigned char)s[0] * 7u + (unsigned char)s[1] * 31u +
		(unsigned char)s[n - 1] * 3u + n) %
	       SG_PARSE_WORDS;
}

static void
add_word(struct sg_parse *p, const char *text, uint16_t symbol)
{
	uint32_t n = (uint32_t)strlen(text), i = word_slot(text, n);

	while (p->words[i].n)
		i = (i + 1) % SG_PARSE_WORDS;
	memcpy(p->words[i].text, text, n);
	p->words[i].n = (uint8_t)n;
	p->words[i].symbol = symbol;
}

/* Operators lie by their first character, the longest first. */
static bool
add_operators(struct sg_parse *p, char first)
{
	const TSLanguage *l = p->language;

	for (uint32_t n = 3; n > 0; n--) {
		for (uint16_t s = 1; s < l->token_count; s++) {
			const char *name = s == p->ellipsis
						   ? "..."
						   : l->symbol_names[s];
			struct sg_parse_text *op = &p->operators[p->noperators];

			if (name[0] != first || strlen(name) != n ||
			    s == p->except_star)
				continue;
			if (p->noperators + 1 == SG_PARSE_OPERATORS)
				return false;
			if (!p->first_operator[(unsigned char)first])
				p->first_operator[(unsigned char)first] =
					(uint8_t)p->noperators;
			memcpy(op->text, name, n);
			op->n = (uint8_t)n;
			op->symbol = s;
			p->noperators++;
		}
	}
	return true;
}

bool
sg_parse_token_init(struct sg_parse *p)
{
	const TSLanguage *l = p->language;
	const struct {
		const char *name;
		uint16_t *symbol;
	} wanted[] = {
		{ "identifier", &p->identifier }, { "integer", &p->integer },
		{ "ellipsis", &p->ellipsis },     { ".", &p->dot },
		{ "_newline", &p->newline },      { "_indent", &p->indent },
		{ "_dedent", &p->dedent },
	};

	for (uint16_t s = 1; s < l->token_count; s++) {
		const char *name = l->symbol_names[s];

		for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
			if (strcmp(name, wanted[i].name) == 0)
				*wanted[i].symbol = s;
		/* That of `except*` has the same name, and comes later. */
		if (strcmp(name, "*") == 0)
			*(p->star ? &p->except_star : &p->star) = s;
		if (strlen(name) < 2 || strlen(name) > 8)
			continue;
		if (strcmp(name, "true") == 0)
			add_word(p, "True", s);
		else if (strcmp(name, "false") == 0)
			add_word(p, "False", s);
		else if (strcmp(name, "none") == 0)
			add_word(p, "None", s);
		else if (isalpha((unsigned char)name[0]) &&
			 !l->symbol_metadata[s].named)
			add_word(p, name, s);
	}
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (!*wanted[i].symbol)
			return false;
	p->noperators = 1;
	for (int c = '!'; c < 127; c++)
		if (!isalnum(c) && c != '_' && c != '\\' &&
		    !add_operators(p, (char)c))
			return false;
	return p->except_star != 0;
}

/* --- reading ----------------------------------------------------------------- */

void
sg_parse_token_begin(struct sg_parse *p, const char *text, uint32_t size)
{
	p->text = text;
	p->size = size;
	p->at = p->last_end = 0;
	p->level = p->dedents = 0;
}

static bool
give(struct sg_parse *p, struct sg_parse_token *ret, uint16_t symbol,
     uint32_t start)
{
	*ret = (struct sg_parse_token){ .start = start,
					.end = p->at,
					.symbol = symbol };
	p->last_end = p->at;
	return true;
}

/* A token without text, at the end of the one before. */
static bool
give_empty(const struct sg_parse *p, struct sg_parse_token *ret,
	   uint16_t symbol)
{
	*ret = (struct sg_parse_token){ .start = p->last_end,
					.end = p->last_end,
					.symbol = symbol };
	return true;
}

/* The end of a line is that of a statement, or the beginning of a block. */
static bool
read_line_end(struct sg_parse *p, struct sg_parse_token *ret)
{
	uint32_t level = 0;

	while (p->at < p->size &&
	       (p->text[p->at] == '\n' || p->text[p->at] == ' ')) {
		level = p->text[p->at] == '\n' ? 0 : level + 1;
		p->at++;
	}
	if (p->at == p->size)
		level = 0;
	if (level > p->level) {
		p->level++;
		return level == p->level && give_empty(p, ret, p->indent);
	}
	p->dedents = p->level - level;
	p->level = level;
	return give_empty(p, ret, p->newline);
}

static bool
read_word(struct sg_parse *p, struct sg_parse_token *ret)
{
	uint32_t start = p->at, n = 1;

	while (start + n < p->size &&
	       isalpha((unsigned char)p->text[start + n]))
		n++;
	p->at += n;
	if (n == 1)
		return give(p, ret, p->identifier, start);
	for (uint32_t i = word_slot(p->text + start, n); p->words[i].n;
	     i = (i + 1) % SG_PARSE_WORDS)
		if (p->words[i].n == n &&
		    memcmp(p->words[i].text, p->text + start, n) == 0)
			return give(p, ret, p->words[i].symbol, start);
	return false;
}

static bool
read_operator(struct sg_parse *p, struct sg_parse_token *ret)
{
	uint32_t start = p->at;
	const struct sg_parse_text *op =
		&p->operators[p->first_operator[p->text[start] & 0x7f]];

	for (; op->n && op->text[0] == p->text[start]; op++) {
		if (op->n > p->size - start ||
		    memcmp(op->text, p->text + start, op->n) != 0)
			continue;
		p->at += op->n;
		return give(p, ret, op->symbol, start);
	}
	return false;
}

bool
sg_parse_token_next(struct sg_parse *p, struct sg_parse_token *ret)
{
	char c;

	if (p->dedents) {
		p->dedents--;
		return give_empty(p, ret, p->dedent);
	}
	while (p->at < p->size && p->text[p->at] == ' ')
		p->at++;
	if (p->at == p->size)
		return give_empty(p, ret, 0);
	c = p->text[p->at];
	if (c == '\n')
		return read_line_end(p, ret);
	if (isalpha((unsigned char)c))
		return read_word(p, ret);
	if (c == '0') {
		p->at++;
		return give(p, ret, p->integer, p->at - 1);
	}
	return read_operator(p, ret);
}
