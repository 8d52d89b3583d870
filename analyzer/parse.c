#include "analyzer/parse.h"

#include <stdlib.h>

#include "analyzer/parse_table.h"
#include "base/clock.h"
#include "base/vec.h"

/*
 * Theory of operation
 *
 * The grammar is compiled to the tables of an LR parser: what to do in a
 * state at a terminal (shift it, or reduce what a rule takes to the symbol
 * it makes), and which state follows a symbol.  tree-sitter's runtime reads
 * them for editors: it keeps what an edit does not touch, mends what does not
 * fit, and so counts references and costs for each token.  A skeleton is
 * either right or refused, once.  What is left of the parser is this file.
 * It needs a fraction of the time, tells memory that is refused, and
 * has a place for every limit.
 *
 * Where the table has two things to do, both are done: `(a, b` may become
 * a tuple or targets.  Each way is a version, a chain of entries down to the
 * first; versions share what they have in common.  A version ends where the
 * text does not fit.  Two that have come to the same states are one from then
 * on: the heavier one, as the grammar weighs its rules, or the one whose
 * node has the lower symbol, as the runtime chooses.
 *
 * Entries lie in one array, each above the one before it.  While there is
 * only one version, all above its top is free again.
 *
 * A rule that the grammar hides and that has one child adds nothing, so that
 * no node is made for it.  Tokens that the walk does not look at are none
 * either.
 */

enum {
	FIRST_STATE = 1, /* of every grammar; 0 is for mending errors */
	MAX_ITEMS = 1u << 26,
	MAX_ALIKE = 256,       /* entries that two versions are compared over */
	CLOCK_EVERY = 1u << 12 /* tokens between looks at the clock */
};

static const struct named {
	const char *name;
	enum sg_rule rule;
} named[] = {
#define NAMED(name, text) { text, SG_RULE_##name },
	SG_RULE_LEAVES(NAMED) SG_RULE_INNER(NAMED)
#undef NAMED
};

/* --- the tables -------------------------------------------------------------- */

static uint8_t
rule_of(const TSLanguage *language, TSSymbol symbol)
{
	const char *name = ts_language_symbol_name(language, symbol);

	if (ts_language_symbol_type(language, symbol) != TSSymbolTypeRegular)
		return SG_RULE_TOKEN;
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (strcmp(name, named[i].name) == 0)
			return (uint8_t)named[i].rule;
	return SG_RULE_UNKNOWN;
}

bool
sg_parse_init(struct sg_parse *p)
{
	const TSLanguage *l = tree_sitter_python();

	memset(p, 0, sizeof(*p));
	memset(p->slots, 0xff, sizeof(p->slots));
	p->language = l;
	if (l->abi_version < TREE_SITTER_MIN_COMPATIBLE_LANGUAGE_VERSION ||
	    l->abi_version > TREE_SITTER_LANGUAGE_VERSION)
		return false;
	p->nrules = ts_language_symbol_count(l);
	p->rules = calloc(p->nrules, sizeof(*p->rules));
	p->has_alias = calloc(l->production_id_count, sizeof(*p->has_alias));
	if (!p->rules || !p->has_alias)
		return false;
	for (uint32_t i = 0; i < p->nrules; i++)
		p->rules[i] = rule_of(l, (TSSymbol)i);
	for (uint32_t i = 0; i < l->production_id_count; i++)
		for (uint32_t k = 0; k < l->max_alias_sequence_length; k++)
			if (l->alias_sequences
				    [i * l->max_alias_sequence_length + k])
				p->has_alias[i] = true;
	return sg_parse_token_init(p);
}

void
sg_parse_release(struct sg_parse *p)
{
	free(p->rules);
	free(p->has_alias);
	free(p->nodes.v);
	free(p->kids.v);
	free(p->entries.v);
}

/* The table's entry: for a terminal an index of its actions, else a state. */
static uint32_t
table_entry(const TSLanguage *l, uint32_t state, uint32_t symbol)
{
	const uint16_t *data;
	uint32_t groups;

	if (state < l->large_state_count)
		return l->parse_table[state * l->symbol_count + symbol];
	data = l->small_parse_table +
	       l->small_parse_table_map[state - l->large_state_count];
	for (groups = *data++; groups; groups--) {
		uint32_t value = *data++, n = *data++;

		for (; n; n--)
			if (*data++ == symbol)
				return value;
	}
	return 0;
}

static inline uint32_t
look_up(struct sg_parse *p, uint32_t state, uint32_t symbol)
{
	uint32_t key = state << 9 | symbol;
	uint32_t slot = (key * UINT32_C(2654435769)) >> 19;

	if (p->slots[slot].key != key) {
		p->slots[slot].key = key;
		p->slots[slot].entry = table_entry(p->language, state, symbol);
	}
	return p->slots[slot].entry;
}

/* --- nodes ------------------------------------------------------------------- */

static bool
fail(struct sg_parse *p, enum sg_parse_end end)
{
	if (p->end == SG_PARSE_GOOD)
		p->end = end;
	return false;
}

static uint32_t
add_node(struct sg_parse *p, struct sg_parse_node node)
{
	if (!SG_VEC_ROOM(&p->nodes, 1, MAX_ITEMS)) {
		(void)fail(p, p->nodes.n < MAX_ITEMS ? SG_PARSE_NO_MEMORY
						     : SG_PARSE_LIMIT);
		return 0;
	}
	p->nodes.v[p->nodes.n] = node;
	return p->nodes.n++;
}

/* The child under the name that its parent gives it. */
static uint32_t
aliased(struct sg_parse *p, const struct sg_parse_entry *e, uint8_t rule)
{
	struct sg_parse_node node = { .start = e->start,
				      .end = e->end,
				      .kids = p->kids.n,
				      .rule = rule };

	if (rule == SG_RULE_TOKEN)
		return 0;
	if (e->node && p->rules[e->symbol] != SG_RULE_TOKEN) {
		node.kids = p->nodes.v[e->node].kids;
		node.nkids = p->nodes.v[e->node].nkids;
	} else if (e->node) {
		p->kids.v[p->kids.n++] = e->node;
		node.nkids = 1;
	}
	return add_node(p, node);
}

/* What a rule makes of its children. */
struct span {
	uint32_t prev; /* the entry below them */
	uint32_t node;
	uint32_t start, end;
};

/*
 * Makes the node of a rule over `n` children, the last of which is the entry
 * `top`.
 */
static bool
make_node(struct sg_parse *p, const TSParseAction *a, uint32_t top,
	  struct span *ret)
{
	const TSLanguage *l = p->language;
	const uint16_t *aliases =
		p->has_alias[a->reduce.production_id]
			? l->alias_sequences +
				  (size_t)a->reduce.production_id *
					  l->max_alias_sequence_length
			: NULL;
	struct sg_parse_node node = { .rule = p->rules[a->reduce.symbol] };
	uint32_t n = a->reduce.child_count, base = p->kids.n;

	/* As many again for children that get another name. */
	if (!SG_VEC_ROOM(&p->kids, 2 * n, MAX_ITEMS))
		return fail(p, p->kids.n < MAX_ITEMS ? SG_PARSE_NO_MEMORY
						     : SG_PARSE_LIMIT);
	node.kids = p->kids.n += n;
	ret->start = ret->end = p->last_end;
	for (uint32_t i = n; i-- > 0;) {
		const struct sg_parse_entry *child = &p->entries.v[top];
		uint32_t kid = child->node;

		if (aliases && aliases[i])
			kid = aliased(p, child, p->rules[aliases[i]]);
		if (kid)
			p->kids.v[--node.kids] = kid;
		if (i == n - 1)
			ret->end = child->end;
		ret->start = child->start;
		top = child->prev;
	}
	if (p->end != SG_PARSE_GOOD)
		return false;
	ret->prev = top;
	node.nkids = (uint16_t)(base + n - node.kids);
	if (node.rule == SG_RULE_TOKEN && node.nkids <= 1) {
		ret->node = node.nkids ? p->kids.v[node.kids] : 0;
		if (p->kids.n == base + n)
			p->kids.n = base;
		return true;
	}
	node.start = ret->start;
	node.end = ret->end;
	ret->node = add_node(p, node);
	return ret->node != 0;
}

/* --- versions ---------------------------------------------------------------- */

/* The place of a new entry, above `prev`; NULL when it failed. */
static inline struct sg_parse_entry *
push(struct sg_parse *p, struct sg_parse_version *v, uint32_t prev)
{
	struct sg_parse_entry *e;

	if (p->nversions == 1)
		p->entries.n = prev + 1;
	if (!SG_VEC_ROOM(&p->entries, 1, MAX_ITEMS)) {
		(void)fail(p, p->entries.n < MAX_ITEMS ? SG_PARSE_NO_MEMORY
						       : SG_PARSE_LIMIT);
		return NULL;
	}
	v->top = p->entries.n++;
	e = &p->entries.v[v->top];
	e->prev = prev;
	return e;
}

static bool
shift(struct sg_parse *p, struct sg_parse_version *v, uint16_t state,
      const struct sg_parse_token *token)
{
	uint8_t rule = p->rules[token->symbol];
	struct sg_parse_entry *e;
	uint32_t node = 0;

	if (rule != SG_RULE_TOKEN) {
		node = add_node(p,
				(struct sg_parse_node){ .start = token->start,
							.end = token->end,
							.rule = rule });
		if (!node)
			return false;
	}
	e = push(p, v, v->top);
	if (!e)
		return false;
	e->node = node;
	e->start = token->start;
	e->end = token->end;
	e->state = state;
	e->symbol = token->symbol;
	return true;
}

/* A rule that adds nothing to its only child. */
static bool
is_idle(const struct sg_parse *p, const TSParseAction *a)
{
	return a->reduce.child_count == 1 &&
	       p->rules[a->reduce.symbol] == SG_RULE_TOKEN &&
	       !p->has_alias[a->reduce.production_id];
}

static bool
reduce(struct sg_parse *p, struct sg_parse_version *v, const TSParseAction *a)
{
	const struct sg_parse_entry *top = &p->entries.v[v->top];
	struct span span = { .prev = top->prev,
			     .node = top->node,
			     .start = top->start,
			     .end = top->end };
	struct sg_parse_entry *e;
	uint32_t state;

	if (!is_idle(p, a) && !make_node(p, a, v->top, &span))
		return false;
	v->weight += a->reduce.dynamic_precedence;
	state = look_up(p, p->entries.v[span.prev].state, a->reduce.symbol);
	e = push(p, v, span.prev);
	if (!e)
		return false;
	e->node = span.node;
	e->start = span.start;
	e->end = span.end;
	e->state = (uint16_t)state;
	e->symbol = a->reduce.symbol;
	return true;
}

/* What is left to do at a terminal after all idle rules, as long as there is
 * one way to read the text. */
static const TSParseActionEntry *
idle(struct sg_parse *p, uint16_t terminal)
{
	struct sg_parse_entry *top = &p->entries.v[p->versions[0].top];
	uint32_t below = p->entries.v[top->prev].state;

	for (;;) {
		const TSParseActionEntry *actions = p->language->parse_actions +
						    look_up(p, top->state,
							    terminal);
		const TSParseAction *a = &actions[1].action;

		if (actions->entry.count != 1 ||
		    a->type != TSParseActionTypeReduce || !is_idle(p, a))
			return actions;
		p->versions[0].weight += a->reduce.dynamic_precedence;
		top->symbol = a->reduce.symbol;
		top->state = (uint16_t)look_up(p, below, top->symbol);
	}
}

/* A copy of a version, to go another way; NULL when there are too many. */
static struct sg_parse_version *
fork_version(struct sg_parse *p, struct sg_parse_version v)
{
	if (p->nversions == SG_MAX_VERSIONS) {
		(void)fail(p, SG_PARSE_LIMIT);
		return NULL;
	}
	p->versions[p->nversions] = v;
	return &p->versions[p->nversions++];
}

/*
 * Does what the table says of the terminal, once; *ret_done: the version has
 * shifted it, or came to its end.
 */
static bool
step(struct sg_parse *p, uint32_t index, const struct sg_parse_token *token,
     bool *ret_done)
{
	struct sg_parse_version *v = &p->versions[index], *other;
	const TSParseActionEntry *actions;
	const TSParseAction *last = NULL;

	if (p->nversions == 1)
		actions = idle(p, token->symbol);
	else
		actions = p->language->parse_actions +
			  look_up(p, p->entries.v[v->top].state, token->symbol);

	for (uint32_t i = 1; i <= actions->entry.count; i++) {
		const TSParseAction *a = &actions[i].action;

		if (a->type == TSParseActionTypeRecover ||
		    (a->type == TSParseActionTypeShift &&
		     (a->shift.repetition || a->shift.extra)))
			continue;
		if (last) {
			other = fork_version(p, *v);
			if (!other || !reduce(p, other, last))
				return false;
		}
		last = a;
	}
	*ret_done = true;
	if (!last) {
		v->top = 0;
		return true;
	}
	if (last->type == TSParseActionTypeShift)
		return shift(p, v, last->shift.state, token);
	if (last->type == TSParseActionTypeAccept) {
		p->root = p->entries.v[v->top].node;
		p->nodes.v[p->root].end = p->size;
		return true;
	}
	*ret_done = false;
	return reduce(p, v, last);
}

/* --- versions that meet ------------------------------------------------------ */

/* Whether both are in the same states from here on; *ret_a and *ret_b are the
 * last entries in which they differ. */
static bool
alike(const struct sg_parse *p, uint32_t *ret_a, uint32_t *ret_b)
{
	uint32_t a = *ret_a, b = *ret_b;

	for (uint32_t i = 0; i < MAX_ALIKE && a != b; i++) {
		if (p->entries.v[a].state != p->entries.v[b].state)
			return false;
		*ret_a = a;
		*ret_b = b;
		a = p->entries.v[a].prev;
		b = p->entries.v[b].prev;
	}
	return a == b;
}

static bool
is_better(const struct sg_parse *p, const struct sg_parse_version *v,
	  uint32_t at, const struct sg_parse_version *than, uint32_t than_at)
{
	if (v->weight != than->weight)
		return v->weight > than->weight;
	return p->entries.v[at].symbol < p->entries.v[than_at].symbol;
}

/* Drops versions that ended, and all but one of those that are alike. */
static void
settle(struct sg_parse *p)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->nversions; i++) {
		struct sg_parse_version v = p->versions[i];
		uint32_t k = 0;

		if (!v.top)
			continue;
		for (; k < kept; k++) {
			uint32_t a = v.top, b = p->versions[k].top;

			if (!alike(p, &a, &b))
				continue;
			if (is_better(p, &v, a, &p->versions[k], b))
				p->versions[k] = v;
			break;
		}
		if (k == kept)
			p->versions[kept++] = v;
	}
	p->nversions = kept;
}

/* --- the whole --------------------------------------------------------------- */

static bool
is_known(struct sg_parse *p, uint16_t symbol)
{
	for (uint32_t i = 0; i < p->nversions; i++)
		if (look_up(p, p->entries.v[p->versions[i].top].state, symbol))
			return true;
	return false;
}

/* What two terminals are written alike: the dots of a relative import, and
 * the star of an `except`. */
static void
choose_symbol(struct sg_parse *p, struct sg_parse_token *token)
{
	if (token->symbol == p->star && is_known(p, p->except_star)) {
		token->symbol = p->except_star;
	} else if (token->symbol == p->ellipsis && !is_known(p, p->ellipsis)) {
		token->symbol = p->dot;
		token->end = p->at = p->last_end = token->start + 1;
	}
}

static bool
advance(struct sg_parse *p, const struct sg_parse_token *token)
{
	for (uint32_t i = 0; i < p->nversions; i++) {
		bool done = false;

		while (!done)
			if (!step(p, i, token, &done))
				return false;
	}
	if (p->nversions > 1 || !p->versions[0].top)
		settle(p);
	return p->nversions != 0 || fail(p, SG_PARSE_SYNTAX);
}

static bool
begin(struct sg_parse *p)
{
	struct sg_parse_entry *first;

	p->end = SG_PARSE_GOOD;
	p->root = 0;
	p->reached = 0;
	p->nodes.n = p->entries.n = p->kids.n = 0;
	if (!SG_VEC_ROOM(&p->nodes, 1, MAX_ITEMS) ||
	    !SG_VEC_ROOM(&p->entries, 2, MAX_ITEMS))
		return fail(p, SG_PARSE_NO_MEMORY);
	p->nodes.n = p->entries.n = 1;
	p->nversions = 1;
	p->versions[0] = (struct sg_parse_version){ .top = 0 };
	first = push(p, &p->versions[0], 0);
	if (!first)
		return false;
	*first = (struct sg_parse_entry){ .state = FIRST_STATE };
	return true;
}

enum sg_parse_end
sg_parse_run(struct sg_parse *p, const char *text, uint32_t size,
	     uint64_t deadline)
{
	struct sg_parse_token token;

	if (!begin(p))
		return p->end;
	sg_parse_token_begin(p, text, size);
	for (uint32_t count = 1;; count++) {
		if (!sg_parse_token_next(p, &token)) {
			p->reached = p->at;
			return SG_PARSE_SYNTAX;
		}
		p->reached = token.start;
		choose_symbol(p, &token);
		if (!advance(p, &token))
			return p->end;
		if (p->root)
			return SG_PARSE_GOOD;
		if (count % CLOCK_EVERY == 0 && sg_clock_cpu() >= deadline)
			return SG_PARSE_LATE;
	}
}
