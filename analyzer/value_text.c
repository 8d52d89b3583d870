/*
 * Text: operators and f-strings on sets of constants.  Each combination of
 * what the operands may be is folded while there are few; beyond COMBINE
 * combinations, or with an operand that is not known, the result is "some
 * text", with its beginning where that is certain.
 */

#include "analyzer/value.h"

#include "analyzer/fold.h"
#include "analyzer/value_hook.h"

enum { COMBINE = 64, SEQ_MAX = 256, VISITS_WIDEN = 6, VISITS_END = 12 };

bool
sg_value_fold(const struct sg_values *v, uint32_t atom, struct sg_fold *ret)
{
	struct sg_atom a = sg_atom_at(v, atom);
	int64_t i;

	if (a.kind == SG_ATOM_STR || a.kind == SG_ATOM_BYTES) {
		*ret = (struct sg_fold){
			.kind = a.kind == SG_ATOM_STR ? SG_FOLD_STR
						      : SG_FOLD_BYTES,
			.s = v->strs.v[a.a],
		};
		return true;
	}
	if (sg_atom_int(v, atom, &i)) {
		*ret = (struct sg_fold){ .kind = SG_FOLD_INT, .i = i };
		return true;
	}
	if (a.kind == SG_ATOM_INSTANCE) {
		uint32_t text = sg_value_pathlib_text(v, atom);

		return text && sg_atom_is(v, text, SG_ATOM_STR) &&
		       sg_value_fold(v, text, ret);
	}
	*ret = (struct sg_fold){ .kind = SG_FOLD_NONE };
	return atom == v->none_atom;
}

uint32_t
sg_value_beginning(const struct sg_values *v, uint32_t atom)
{
	uint32_t text = atom;

	if (sg_atom_is(v, atom, SG_ATOM_INSTANCE))
		text = sg_value_pathlib_text(v, atom);
	return text && (sg_atom_is(v, text, SG_ATOM_PREFIX) ||
			sg_atom_is(v, text, SG_ATOM_ANYSTR))
		       ? text
		       : v->anystr;
}

uint32_t
sg_value_unfold(struct sg_values *v, const struct sg_fold *f)
{
	switch (f->kind) {
	case SG_FOLD_STR:
		return sg_value_str(v, f->s);
	case SG_FOLD_BYTES:
		return sg_value_bytes(v, f->s);
	case SG_FOLD_INT:
		return sg_value_int(v, f->i);
	case SG_FOLD_NONE:
		break;
	}
	return v->none_atom;
}

static bool
is_text(uint32_t kind)
{
	return kind == SG_ATOM_STR || kind == SG_ATOM_BYTES;
}

static bool
is_some_text(uint32_t kind)
{
	return is_text(kind) || kind == SG_ATOM_ANYSTR ||
	       kind == SG_ATOM_WIDESTR || kind == SG_ATOM_PREFIX;
}

static bool
is_number(uint32_t kind)
{
	return kind == SG_ATOM_INT || kind == SG_ATOM_ANYNUM;
}

/* --- sequences ------------------------------------------------------------------ */

static uint32_t
text_sequence(struct sg_values *v, uint32_t atom)
{
	uint32_t items[SEQ_MAX], n = 0;
	struct sg_fold self, c;

	(void)sg_value_fold(v, atom, &self);
	if (self.s.n > SEQ_MAX)
		return 0;
	while (n < SEQ_MAX && sg_fold_index(&self, n, &c)) {
		items[n++] = sg_value_unfold(v, &c);
		(void)sg_value_fold(v, atom, &self);
	}
	return sg_value_seq(v, items, n);
}

uint32_t
sg_value_sequence(struct sg_values *v, uint32_t atom)
{
	struct sg_atom a = sg_atom_at(v, atom);
	uint32_t items[SEQ_MAX], n = 0;
	const struct sg_node *site;

	if (a.kind == SG_ATOM_SEQ)
		return atom;
	if (is_text(a.kind))
		return text_sequence(v, atom);
	if (a.kind != SG_ATOM_LIST && a.kind != SG_ATOM_TUPLE)
		return 0;
	/* Read so that this node hears of changes. */
	(void)sg_cell_read(v, sg_cell(v, SG_CELL_ALL, a.a, 0));
	site = &v->ast->nodes[SG_SITE_NODE(a.a)];
	if (a.a != SG_SITE_NODE(a.a) ||
	    (site->kind != SG_AST_List && site->kind != SG_AST_Tuple))
		return 0;
	for (uint32_t i = site->first; i; i = v->ast->nodes[i].next) {
		uint32_t set = v->val[i];

		if (n == SEQ_MAX || !set || set >= SG_SET_MANY ||
		    v->ast->nodes[i].kind == SG_AST_Starred)
			return 0;
		items[n++] = set;
	}
	return n ? sg_value_seq(v, items, n) : 0;
}

/* --- operators -------------------------------------------------------------------- */

static bool
int_op(enum sg_op op, int64_t a, int64_t b, int64_t *ret)
{
	switch ((int)op) {
	case SG_OP_ADD:
		return !__builtin_add_overflow(a, b, ret);
	case SG_OP_SUB:
		return !__builtin_sub_overflow(a, b, ret);
	case SG_OP_MULT:
		return !__builtin_mul_overflow(a, b, ret);
	case SG_OP_MOD:
	case SG_OP_FLOORDIV:
		if (!b || (a == INT64_MIN && b == -1))
			return false;
		*ret = op == SG_OP_MOD ? a % b : a / b;
		if (a % b && (a < 0) != (b < 0))
			*ret += op == SG_OP_MOD ? b : -1;
		return true;
	case SG_OP_LSHIFT:
		if (b < 0 || b > 40 || a < 0 || a > (1 << 20))
			return false;
		*ret = a << b;
		return true;
	case SG_OP_RSHIFT:
		if (b < 0 || b > 62 || a < 0)
			return false;
		*ret = a >> b;
		return true;
	case SG_OP_BITOR:
		*ret = a | b;
		return true;
	case SG_OP_BITXOR:
		*ret = a ^ b;
		return true;
	case SG_OP_BITAND:
		*ret = a & b;
		return true;
	default:
		return false;
	}
}

static uint32_t
repeat(struct sg_values *v, uint32_t text, int64_t times)
{
	struct sg_str s = sg_atom_str(v, text);
	struct sg_fold f;

	if (times > 0 && s.n && (uint64_t)times > 4096 / s.n)
		return sg_value_prefix(v, s);
	sg_buf_reset(&v->text);
	/* However often: nothing is nothing. */
	while (s.n && times-- > 0)
		sg_buf_str(&v->text, s);
	(void)sg_value_fold(v, text, &f);
	f.s = sg_buf_view(&v->text);
	return sg_value_unfold(v, &f);
}

static uint32_t
concat(struct sg_values *v, uint32_t a, uint32_t b)
{
	struct sg_str s = sg_atom_str(v, a), t = sg_atom_str(v, b);
	struct sg_fold f;

	sg_buf_reset(&v->text);
	sg_buf_str(&v->text, s);
	sg_buf_str(&v->text, t);
	if (sg_buf_failed(&v->text))
		return sg_value_prefix(v, sg_str_slice(s, 0, 1024));
	f.kind = sg_atom_is(v, a, SG_ATOM_BYTES) ? SG_FOLD_BYTES : SG_FOLD_STR;
	f.s = sg_buf_view(&v->text);
	return sg_value_unfold(v, &f);
}

/* The arguments on the right of %, as a tuple gives them or one alone. */
static bool
percent_args(struct sg_values *v, uint32_t right, struct sg_fold *args,
	     uint32_t *ret_n)
{
	struct sg_atom a = sg_atom_at(v, right);
	uint32_t seq;
	struct sg_span s;

	*ret_n = 1;
	if (a.kind != SG_ATOM_TUPLE && a.kind != SG_ATOM_SEQ)
		return sg_value_fold(v, right, &args[0]);
	seq = sg_value_sequence(v, right);
	if (!seq)
		return false;
	s = v->seqs.v[sg_atom_at(v, seq).a];
	if (s.n > 16)
		return false;
	for (uint32_t i = 0; i < s.n; i++)
		if (!sg_value_fold(v, v->elements.v[s.at + i], &args[i]))
			return false;
	*ret_n = s.n;
	return true;
}

static uint32_t
percent(struct sg_values *v, uint32_t left, uint32_t right)
{
	struct sg_fold args[16], self, out;
	uint32_t n;

	(void)sg_value_fold(v, left, &self);
	sg_buf_reset(&v->text);
	if (percent_args(v, right, args, &n) && sg_value_fold(v, left, &self) &&
	    sg_fold_percent(&self, args, n, &v->text, &out))
		return sg_value_unfold(v, &out);
	if (sg_str_starts(self.s, SG_STR("%")) &&
	    sg_value_joined_text(v, right) == v->made)
		return v->made;
	return sg_value_prefix(
		v, sg_str_slice(self.s, 0, sg_str_find(self.s, '%')));
}

static uint32_t
seq_concat(struct sg_values *v, uint32_t a, uint32_t b)
{
	uint32_t items[2 * SEQ_MAX], n = 0;
	uint32_t x = sg_value_sequence(v, a), y = sg_value_sequence(v, b);

	if (!x || !y)
		return 0;
	for (unsigned k = 0; k < 2; k++) {
		struct sg_span s = v->seqs.v[sg_atom_at(v, k ? y : x).a];

		if (n + s.n > SEQ_MAX)
			return 0;
		memcpy(items + n, v->elements.v + s.at, s.n * sizeof(*items));
		n += s.n;
	}
	return sg_value_seq(v, items, n);
}

/* a + b where that begins as a text does that is made of constants; or 0. */
static uint32_t
begins_made(const struct sg_values *v, uint32_t a, uint32_t b)
{
	bool made = b == v->made || b == v->onechar;

	if (a == v->made || (a == v->onechar && made))
		return v->made;
	if (a == v->onechar)
		return a;
	return made && is_text(sg_atom_at(v, a).kind) && !sg_atom_str(v, a).n
		       ? b
		       : 0;
}

/* Two atoms, one of them at least some text. */
static uint32_t
text_op(struct sg_values *v, enum sg_op op, uint32_t a, uint32_t b)
{
	uint32_t ka = sg_atom_at(v, a).kind, kb = sg_atom_at(v, b).kind, made;
	int64_t i;

	/* What keeps growing does not end: x = x + 'a'. */
	if (v->visits[v->node] > VISITS_WIDEN)
		return a == v->made || b == v->made ? v->made : v->anystr;
	if (op == SG_OP_ADD) {
		if (is_text(ka) && ka == kb)
			return concat(v, a, b);
		if (ka == SG_ATOM_STR && kb == SG_ATOM_PREFIX) {
			a = concat(v, a, b);
			return sg_value_prefix(v, sg_atom_str(v, a));
		}
		if ((made = begins_made(v, a, b)) != 0)
			return made;
		if (ka == SG_ATOM_STR)
			return sg_value_prefix(v, sg_atom_str(v, a));
		return ka == SG_ATOM_PREFIX ? a : v->anystr;
	}
	if (op == SG_OP_MULT) {
		if (is_text(ka) && sg_atom_int(v, b, &i))
			return repeat(v, a, i);
		if (is_text(kb) && sg_atom_int(v, a, &i))
			return repeat(v, b, i);
		return v->anystr;
	}
	if (op == SG_OP_MOD && is_text(ka))
		return percent(v, a, b);
	return op == SG_OP_MOD ? v->anystr : v->unknown;
}

static uint32_t
atom_op(struct sg_values *v, enum sg_op op, uint32_t a, uint32_t b)
{
	uint32_t ka = sg_atom_at(v, a).kind, kb = sg_atom_at(v, b).kind;
	int64_t x, y, r;

	if (ka == SG_ATOM_INST || kb == SG_ATOM_INST) {
		uint32_t out = sg_value_op_hook(v, op, a, b);

		if (out)
			return out;
	}
	if (op == SG_OP_DIV &&
	    (sg_atom_is_pathlib(v, a) || sg_atom_is_pathlib(v, b)))
		return sg_value_pathlib_div(v, a, b);
	if (is_some_text(ka) ||
	    (is_some_text(kb) && op != SG_OP_MOD && op != SG_OP_DIV))
		return text_op(v, op, a, b);
	if (sg_atom_int(v, a, &x) && sg_atom_int(v, b, &y) &&
	    v->visits[v->node] < VISITS_WIDEN && int_op(op, x, y, &r))
		return sg_value_int(v, r);
	if (is_number(ka) && is_number(kb))
		return v->anynum;
	if (ka == SG_ATOM_INSTANCE && op == SG_OP_DIV)
		return a; /* a path joined with more */
	if (kb == SG_ATOM_INSTANCE && op == SG_OP_DIV)
		return b;
	if ((sg_atom_is_container(v, a) || ka == SG_ATOM_SEQ) &&
	    (sg_atom_is_container(v, b) || kb == SG_ATOM_SEQ) &&
	    op != SG_OP_SUB) {
		uint32_t seq = op == SG_OP_ADD ? seq_concat(v, a, b) : 0;

		return sg_set_union(v, seq, sg_set_union(v, a, b));
	}
	if (sg_atom_is_container(v, a) || ka == SG_ATOM_SEQ)
		return a; /* list * n, set - set */
	if (sg_atom_is_container(v, b) || kb == SG_ATOM_SEQ)
		return b;
	return v->unknown;
}

uint32_t
sg_value_binop(struct sg_values *v, enum sg_op op, uint32_t a, uint32_t b)
{
	uint32_t xs[SG_SET_MAX], ys[SG_SET_MAX];
	uint32_t n = sg_set_copy(v, a, xs), m = sg_set_copy(v, b, ys), out = 0;

	if (!n && m && op == SG_OP_ADD)
		return 0;
	if (n * m > COMBINE || v->visits[v->node] > VISITS_END) {
		out = op == SG_OP_DIV ? sg_value_pathlib_div_many(v, a, b) : 0;
		if (out)
			return out;
		out = v->unknown;
		for (uint32_t i = 0; i < n; i++)
			if (is_some_text(sg_atom_at(v, xs[i]).kind))
				out = sg_set_union(v, out, v->anystr);
		return out;
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < m; j++)
			out = sg_set_union(v, out,
					   atom_op(v, op, xs[i], ys[j]));
	/* An operand nothing is known of yet still leaves a beginning. */
	for (uint32_t i = 0; i < n && !m && v->settled; i++)
		out = sg_set_union(v, out, atom_op(v, op, xs[i], v->unknown));
	return out;
}

uint32_t
sg_value_unary(struct sg_values *v, enum sg_op op, uint32_t a)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, a, atoms), out = 0;
	int64_t i;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t one = v->unknown;

		if (sg_atom_int(v, atoms[k], &i) && i != INT64_MIN &&
		    op != SG_OP_NOT)
			one = sg_value_int(v, op == SG_OP_USUB     ? -i
					      : op == SG_OP_INVERT ? ~i
								   : i);
		else if (is_number(sg_atom_at(v, atoms[k]).kind))
			one = v->anynum;
		else if (sg_atom_is(v, atoms[k], SG_ATOM_INST))
			one = sg_set_union(
				v, one, sg_value_unary_hook(v, op, atoms[k]));
		out = sg_set_union(v, out, one);
	}
	return out;
}

/* --- items and slices ---------------------------------------------------------------- */

uint32_t
sg_value_text_item(struct sg_values *v, uint32_t atom, uint32_t key)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, key, atoms), out = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct sg_fold self, c;
		int64_t at;

		(void)sg_value_fold(v, atom, &self);
		if (!sg_atom_int(v, atoms[i], &at))
			return v->anystr;
		if (sg_fold_index(&self, at, &c))
			out = sg_set_union(v, out, sg_value_unfold(v, &c));
	}
	return n || !v->settled ? out : v->anystr;
}

/* The single number that a part of a slice is. */
static bool
slice_part(const struct sg_values *v, uint32_t node, enum sg_role role,
	   unsigned bit, unsigned *has, int64_t *ret)
{
	uint32_t i = sg_ast_child(v->ast, node, role, 0), set;

	if (!i)
		return true;
	set = v->val[i];
	if (set == v->none_atom)
		return true;
	if (!set || set >= SG_SET_MANY || !sg_atom_int(v, set, ret))
		return false;
	*has |= bit;
	return true;
}

static uint32_t
seq_slice(struct sg_values *v, uint32_t seq, unsigned has, int64_t a, int64_t b,
	  int64_t c)
{
	struct sg_span s = v->seqs.v[sg_atom_at(v, seq).a];
	uint32_t items[SEQ_MAX], n = 0;
	char index[SEQ_MAX];
	struct sg_fold f = { .kind = SG_FOLD_BYTES }, out;

	/* The bytes 0, 1, 2 ... sliced say which elements remain. */
	if (s.n > SEQ_MAX)
		return 0;
	for (uint32_t i = 0; i < s.n; i++)
		index[i] = (char)i;
	f.s = (struct sg_str){ index, s.n };
	sg_buf_reset(&v->text);
	if (!sg_fold_slice(&f, has, a, b, c, &v->text, &out))
		return 0;
	for (size_t i = 0; i < out.s.n; i++)
		items[n++] = v->elements.v[s.at + (uint8_t)out.s.p[i]];
	return sg_value_seq(v, items, n);
}

static uint32_t
atom_slice(struct sg_values *v, uint32_t atom, bool known, unsigned has,
	   const int64_t part[3])
{
	struct sg_fold self, out;
	uint32_t kind = sg_atom_at(v, atom).kind, seq;

	if (is_text(kind)) {
		(void)sg_value_fold(v, atom, &self);
		sg_buf_reset(&v->text);
		if (known && sg_fold_slice(&self, has, part[0], part[1],
					   part[2], &v->text, &out))
			return sg_value_unfold(v, &out);
		return v->anystr;
	}
	if (is_some_text(kind))
		return atom == v->made ? atom : v->anystr;
	if (kind == SG_ATOM_SEQ || sg_atom_is_container(v, atom)) {
		seq = known ? sg_value_sequence(v, atom) : 0;
		if (seq)
			seq = seq_slice(v, seq, has, part[0], part[1], part[2]);
		return kind == SG_ATOM_SEQ && seq ? seq
						  : sg_set_union(v, seq, atom);
	}
	if (kind == SG_ATOM_PATH || kind == SG_ATOM_INSTANCE)
		return sg_value_item(v, atom, v->anynum);
	return v->unknown;
}

uint32_t
sg_value_slice(struct sg_values *v, uint32_t base, uint32_t node)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, base, atoms), out = 0;
	int64_t part[3] = { 0, 0, 1 };
	unsigned has = 0;
	bool known;

	known = slice_part(v, node, SG_ROLE_LOWER, 1, &has, &part[0]);
	known = slice_part(v, node, SG_ROLE_UPPER, 2, &has, &part[1]) && known;
	known = slice_part(v, node, SG_ROLE_STEP, 4, &has, &part[2]) && known;
	for (uint32_t i = 0; i < n; i++)
		out = sg_set_union(v, out,
				   atom_slice(v, atoms[i], known, has, part));
	return out;
}

/* --- f-strings -------------------------------------------------------------------------- */

uint32_t
sg_value_formatted(struct sg_values *v, uint32_t node)
{
	const struct sg_node *n = &v->ast->nodes[node];
	uint32_t spec_node = sg_ast_child(v->ast, node, SG_ROLE_FORMAT_SPEC, 0);
	uint32_t value = sg_ast_child(v->ast, node, SG_ROLE_VALUE, 0);
	uint32_t atoms[SG_SET_MAX], count, out = 0;
	struct sg_str spec = SG_STR_NONE;

	count = sg_set_copy(v, value ? v->val[value] : 0, atoms);
	if (spec_node) {
		uint32_t s = v->val[spec_node];

		if (!s && !v->settled)
			return 0;
		if (!s || s >= SG_SET_MANY || !sg_atom_is(v, s, SG_ATOM_STR))
			return v->anystr;
		spec = sg_atom_str(v, s);
	}
	for (uint32_t i = 0; i < count; i++) {
		struct sg_fold f;
		uint32_t one = v->anystr, hooked;

		sg_buf_reset(&v->text);
		if (sg_value_fold(v, atoms[i], &f) &&
		    sg_atom_at(v, atoms[i]).kind != SG_ATOM_CONST &&
		    sg_fold_spec(&f, (char)n->level, spec, &v->text))
			one = sg_value_str(v, sg_buf_view(&v->text));
		else if (sg_atom_is(v, atoms[i], SG_ATOM_INST) &&
			 (hooked = sg_value_text_hook(
				  v, atoms[i], (char)n->level,
				  sg_value_str(v, spec))) != 0)
			one = hooked;
		else if (!spec.n && n->level != 'r' && n->level != 'a')
			one = sg_value_beginning(v, atoms[i]);
		out = sg_set_union(v, out, one);
	}
	return count || !v->settled ? out : v->anystr;
}

uint32_t
sg_value_joined(struct sg_values *v, uint32_t node)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t set = sg_value_str(v, SG_STR_NONE);

	for (uint32_t i = nodes[node].first; i; i = nodes[i].next) {
		uint32_t part = v->val[i];

		if (set < SG_SET_MANY && set &&
		    !sg_atom_is(v, set, SG_ATOM_STR))
			break; /* a beginning is all that is known */
		if (!part && !v->settled)
			return 0;
		set = sg_value_binop(v, SG_OP_ADD, set,
				     part ? part : v->anystr);
	}
	return set;
}
