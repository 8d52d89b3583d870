/*
 * Theory of operation
 *
 * The digest, the number of nodes, then the nodes in the order in which they
 * stand in the text: a list or mapping before its members, a key right before
 * its value.  A node is a byte of what it is, its line, its column and a
 * count: of members, or of the bytes of a scalar, which follow with a NUL.
 *
 * Numbers are seven bits a byte, the lowest first; the last one has its
 * eighth bit clear.
 */

#include "policy/docpack.h"

#include "policy/limits.h"

enum { KIND = 3, PLAIN = 4 };

/* --- packing ------------------------------------------------------------ */

static void
put_number(struct sg_buf *out, uint32_t n)
{
	for (; n > 127; n >>= 7)
		sg_buf_char(out, (char)(n | 128));
	sg_buf_char(out, (char)n);
}

static void
put_node(struct sg_buf *out, const struct sg_doc_node *n)
{
	bool scalar = n->kind == SG_DOC_SCALAR;

	sg_buf_char(out, (char)(n->kind | (n->plain ? PLAIN : 0)));
	put_number(out, n->line);
	put_number(out, n->column);
	put_number(out, scalar ? (uint32_t)n->text.n : n->n);
	if (!scalar)
		return;
	sg_buf_str(out, n->text);
	sg_buf_char(out, '\0');
}

/* Calls put_node() for each; or counts them when `out` is NULL. */
static uint32_t
each_node(const struct sg_doc_node *root, struct sg_buf *out)
{
	const struct sg_doc_node *open[SG_POLICY_DEPTH], *n = root;
	uint32_t depth = 0, count = 0;

	for (;;) {
		count += n->key != NULL ? 2 : 1;
		if (out != NULL && n->key != NULL)
			put_node(out, n->key);
		if (out != NULL)
			put_node(out, n);
		if (n->first != NULL) {
			open[depth++] = n;
			n = n->first;
			continue;
		}
		while (n->next == NULL && depth > 0)
			n = open[--depth];
		if (n == root)
			return count;
		n = n->next;
	}
}

void
sg_doc_pack(const struct sg_doc_node *root, struct sg_str text,
	    struct sg_buf *out)
{
	struct sg_digest digest = sg_digest_of(text);

	sg_buf_add(out, digest.b, sizeof(digest.b));
	put_number(out, each_node(root, NULL));
	(void)each_node(root, out);
}

/* --- unpacking ---------------------------------------------------------- */

struct level {
	struct sg_doc_node *node, *last; /* the newest member */
	struct sg_doc_node *key;         /* waits for its value */
	uint32_t left;                   /* members to come */
};

struct reader {
	const uint8_t *p, *end;
	bool bad;
	struct level level[SG_POLICY_DEPTH];
	uint32_t depth;
};

static uint32_t
take_long(struct reader *r)
{
	uint32_t n = 0, shift = 0;

	for (; r->p < r->end && shift < 32; shift += 7) {
		uint8_t b = *r->p++;

		n |= (uint32_t)(b & 127) << shift;
		if (b < 128)
			return n;
	}
	r->bad = true;
	return 0;
}

static inline uint32_t
take_number(struct reader *r)
{
	return r->p < r->end && *r->p < 128 ? *r->p++ : take_long(r);
}

static void
take_node(struct reader *r, struct sg_doc_node *n)
{
	uint8_t what = r->p < r->end ? *r->p++ : UINT8_MAX;
	uint32_t count;

	n->kind = what & KIND;
	n->plain = (what & PLAIN) != 0;
	n->line = take_number(r);
	n->column = take_number(r);
	count = take_number(r);
	if (what > (KIND | PLAIN) || (what & KIND) > SG_DOC_MAP) {
		r->bad = true;
	} else if (n->kind != SG_DOC_SCALAR) {
		n->n = count;
	} else if (count >= (size_t)(r->end - r->p) || r->p[count] != '\0') {
		r->bad = true;
	} else {
		n->text = (struct sg_str){ (const char *)r->p, count };
		r->p += count + 1;
	}
}

/* Hangs n into the innermost list or mapping that is not full. */
static void
hang(struct reader *r, struct sg_doc_node *n)
{
	struct level *l;

	while (r->depth > 0 && r->level[r->depth - 1].left == 0)
		r->depth--;
	if (r->depth == 0) {
		r->bad = true;
		return;
	}
	l = &r->level[r->depth - 1];
	if (l->node->kind == SG_DOC_MAP && l->key == NULL) {
		l->key = n;
		r->bad |= n->kind != SG_DOC_SCALAR;
		return;
	}
	n->key = l->key;
	l->key = NULL;
	l->left--;
	if (l->last != NULL)
		l->last->next = n;
	else
		l->node->first = n;
	l->last = n;
}

static void
open_node(struct reader *r, struct sg_doc_node *n)
{
	if (r->bad || n->kind == SG_DOC_SCALAR)
		return;
	if (r->depth == SG_POLICY_DEPTH)
		r->bad = true;
	else
		r->level[r->depth++] = (struct level){ .node = n,
						       .left = n->n };
}

/* Nothing is left over, on either side. */
static bool
is_complete(const struct reader *r)
{
	for (uint32_t i = 0; i < r->depth; i++)
		if (r->level[i].left > 0)
			return false;
	return !r->bad && r->p == r->end;
}

static int
broken(struct sg_err *err)
{
	return sg_err_set(err, SG_EINTERNAL, "a packed document is broken");
}

int
sg_doc_unpack(struct sg_str packed, struct sg_arena *arena,
	      struct sg_digest *ret_digest, struct sg_doc_node **ret,
	      struct sg_err *err)
{
	struct reader r = { .bad = false };
	struct sg_doc_node *nodes;
	uint32_t n;

	if (packed.n < SG_DIGEST_BYTES)
		return broken(err);
	r.p = (const uint8_t *)packed.p + SG_DIGEST_BYTES;
	r.end = (const uint8_t *)packed.p + packed.n;
	n = take_number(&r);
	/* no node is of fewer bytes */
	if (r.bad || n == 0 || n > packed.n / 4)
		return broken(err);
	nodes = SG_NEWN(arena, struct sg_doc_node, n);
	if (nodes == NULL)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	for (uint32_t i = 0; i < n && !r.bad; i++) {
		take_node(&r, &nodes[i]);
		if (i > 0)
			hang(&r, &nodes[i]);
		open_node(&r, &nodes[i]);
	}
	if (!is_complete(&r))
		return broken(err);
	memcpy(ret_digest->b, packed.p, SG_DIGEST_BYTES);
	*ret = nodes;
	return SG_OK;
}
