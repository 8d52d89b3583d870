/*
 * Callables that take other callables, and those that make or walk
 * containers.  A callable that is handed over counts as called with what the
 * taker will give it: `map(eval, texts)` calls eval.
 */

#include "analyzer/factlist.h"
#include "analyzer/value_hook.h"
#include "analyzer/value_special.h"

enum { MAP_MAX = 256 };

/* --- making containers ---------------------------------------------------------- */

uint32_t
sg_value_container(struct sg_values *v, enum sg_atom_kind kind, uint32_t node,
		   uint32_t elements)
{
	sg_cell_add(v, sg_cell(v, SG_CELL_ALL, node, 0), elements);
	return sg_atom(v, kind, node, 0);
}

/* A constant sequence of the same elements, where the order is known. */
static uint32_t
sequence_of(struct sg_values *v, uint32_t set)
{
	return set && set < SG_SET_MANY ? sg_value_sequence(v, set) : 0;
}

static uint32_t
copy_into(struct sg_values *v, enum sg_atom_kind kind, const struct sg_call *c)
{
	uint32_t elements = 0, seq = 0;

	for (uint32_t i = 0; i < c->nargs; i++)
		if (!c->args[i].keyword)
			elements = sg_set_union(
				v, elements,
				c->args[i].stars
					? c->args[i].set
					: sg_value_elements(v, c->args[i].set));
	if (c->nargs == 1)
		seq = sequence_of(v, c->args[0].set);
	return sg_set_union(v, seq,
			    sg_value_container(v, kind, c->node, elements));
}

static uint32_t
call_list(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	return copy_into(v, SG_ATOM_LIST, c);
}

static uint32_t
call_tuple(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	return copy_into(v, SG_ATOM_TUPLE, c);
}

static uint32_t
call_iter(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	static const uint32_t none = 0;
	uint32_t fn, made;

	(void)path;
	if (c->nargs != 2)
		return copy_into(v, SG_ATOM_ITER, c);
	fn = sg_call_arg(c, 0, 0);
	made = sg_value_apply(v, fn, c->node, 0, &none);
	return sg_value_container(v, SG_ATOM_ITER, c->node, made);
}

static uint32_t
call_next(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	static const uint32_t none = 0;
	uint32_t it = sg_call_arg(c, 0, 0), out = 0, atoms[SG_SET_MAX], n;

	(void)path;
	n = sg_set_copy(v, it, atoms);
	for (uint32_t i = 0; i < n; i++) {
		if (sg_atom_is(v, atoms[i], SG_ATOM_INST))
			out = sg_set_union(
				v, out,
				sg_value_apply(
					v,
					sg_value_atom_attr(v, atoms[i],
							   v->known.next_),
					c->node, 0, &none));
		else
			out = sg_set_union(v, out,
					   sg_value_elements(v, atoms[i]));
	}
	return sg_set_union(v, out, sg_call_arg(c, 1, 0));
}

static uint32_t
reversed_seq(struct sg_values *v, uint32_t seq)
{
	uint32_t items[MAP_MAX];
	struct sg_span s = v->seqs.v[sg_atom_at(v, seq).a];

	if (s.n > MAP_MAX)
		return 0;
	for (uint32_t i = 0; i < s.n; i++)
		items[i] = v->elements.v[s.at + s.n - 1 - i];
	return sg_value_seq(v, items, s.n);
}

static uint32_t
call_reversed(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t seq = sequence_of(v, sg_call_arg(c, 0, 0));
	struct sg_call plain = *c;
	uint32_t out;

	(void)path;
	if (seq)
		seq = reversed_seq(v, seq);
	out = copy_into(v, SG_ATOM_ITER, &plain);
	if (!seq)
		return out;
	return sg_set_union(v, seq, sg_atom(v, SG_ATOM_ITER, c->node, 0));
}

/* Pairs of whatever the arguments give. */
static uint32_t
call_zip(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t pair = SG_SITE(c->node, 1), all = 0;
	uint32_t tuple = sg_atom(v, SG_ATOM_TUPLE, pair, 0);

	(void)path;
	for (uint32_t i = 0; i < c->nargs; i++) {
		uint32_t e = sg_value_elements(v, c->args[i].set);

		all = sg_set_union(v, all, e);
		sg_cell_add(v,
			    sg_cell(v, SG_CELL_KEY, pair, sg_value_int(v, i)),
			    e);
	}
	sg_cell_add(v, sg_cell(v, SG_CELL_ALL, pair, 0), all);
	return sg_value_container(v, SG_ATOM_ITER, c->node, tuple);
}

static uint32_t
call_enumerate(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t pair = SG_SITE(c->node, 1);
	uint32_t e = sg_value_elements(v, sg_call_arg(c, 0, 0));
	uint32_t tuple = sg_atom(v, SG_ATOM_TUPLE, pair, 0);

	(void)path;
	sg_cell_add(v, sg_cell(v, SG_CELL_KEY, pair, sg_value_int(v, 0)),
		    v->anynum);
	sg_cell_add(v, sg_cell(v, SG_CELL_KEY, pair, sg_value_int(v, 1)), e);
	sg_cell_add(v, sg_cell(v, SG_CELL_ALL, pair, 0),
		    sg_set_union(v, e, v->anynum));
	return sg_value_container(v, SG_ATOM_ITER, c->node, tuple);
}

static uint32_t
call_dict(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t dict = sg_atom(v, SG_ATOM_DICT, c->node, 0), out = dict;

	(void)path;
	for (uint32_t i = 0; i < c->nargs; i++) {
		uint32_t atoms[SG_SET_MAX], n;

		if (c->args[i].keyword) {
			sg_value_item_store(
				v, dict,
				sg_value_str(v,
					     sg_intern_str(v->names,
							   c->args[i].keyword)),
				c->args[i].set);
			continue;
		}
		n = sg_set_copy(v, c->args[i].set, atoms);
		for (uint32_t k = 0; k < n; k++) {
			struct sg_atom a = sg_atom_at(v, atoms[k]);
			uint32_t e;

			if (a.kind == SG_ATOM_DICT || a.kind == SG_ATOM_NS ||
			    a.kind == SG_ATOM_GLOBALS) {
				out = sg_set_union(v, out, atoms[k]);
				continue;
			}
			e = sg_value_elements(v, atoms[k]);
			sg_value_item_store(
				v, dict,
				sg_value_item(v, e, sg_value_int(v, 0)),
				sg_value_item(v, e, sg_value_int(v, 1)));
		}
	}
	return out;
}

static uint32_t
call_range(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	int64_t a[3] = { 0, 0, 1 };
	uint32_t items[MAP_MAX], n = 0;
	bool known = c->nargs >= 1 && c->nargs <= 3;

	(void)path;
	for (uint32_t i = 0; known && i < c->nargs; i++) {
		uint32_t set = c->args[i].set;

		known = !c->args[i].stars && set && set < SG_SET_MANY &&
			sg_atom_int(v, set, &a[c->nargs == 1 ? 1 : i]);
	}
	if (known && a[2]) {
		int64_t x = a[0];

		for (; n < MAP_MAX && (a[2] > 0 ? x < a[1] : x > a[1]); n++) {
			items[n] = sg_value_int(v, x);
			if (__builtin_add_overflow(x, a[2], &x))
				break;
		}
		if (n < 64)
			return sg_value_seq(v, items, n);
	}
	return sg_value_container(v, SG_ATOM_ITER, c->node, v->anynum);
}

/* --- calling what is handed over --------------------------------------------------- */

static uint32_t
apply_implicit(struct sg_values *v, uint32_t fn, const struct sg_call *from,
	       uint32_t n, const uint32_t *sets)
{
	struct sg_call c = { .node = from->node, .implicit = true };

	for (uint32_t i = 0; i < n && i < SG_CALL_ARGS; i++)
		c.args[c.nargs++] = (struct sg_call_arg){
			.set = sets[i],
			.node = from->nargs > i ? from->args[i].node
						: from->node,
		};
	return sg_value_call(v, fn, &c);
}

/* Each of a constant sequence in turn: ''.join(map(chr, [101, 118])). */
static uint32_t
map_seq(struct sg_values *v, uint32_t fn, uint32_t seq, const struct sg_call *c)
{
	uint32_t out[MAP_MAX];
	struct sg_span s = v->seqs.v[sg_atom_at(v, seq).a];

	if (s.n > MAP_MAX || v->facts)
		return 0;
	for (uint32_t i = 0; i < s.n; i++) {
		uint32_t item = v->elements.v[s.at + i];

		out[i] = apply_implicit(v, fn, c, 1, &item);
		if (!out[i] || out[i] >= SG_SET_MANY)
			return 0;
	}
	return sg_value_seq(v, out, s.n);
}

static uint32_t
call_map(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t fn = sg_call_arg(c, 0, 0), sets[SG_CALL_ARGS], n = 0, seq = 0;
	uint32_t made;

	(void)path;
	for (uint32_t i = 1; i < c->nargs; i++)
		if (!c->args[i].keyword)
			sets[n++] = c->args[i].stars
					    ? c->args[i].set
					    : sg_value_elements(v,
								c->args[i].set);
	if (n == 1)
		seq = sequence_of(v, c->args[1].set);
	if (seq)
		seq = map_seq(v, fn, seq, c);
	made = apply_implicit(v, fn, c, n, sets);
	return sg_set_union(v, seq,
			    sg_value_container(v, SG_ATOM_ITER, c->node, made));
}

static uint32_t
call_filter(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t e = sg_value_elements(v, sg_call_arg(c, 1, 0));

	(void)path;
	(void)apply_implicit(v, sg_call_arg(c, 0, 0), c, 1, &e);
	return sg_value_container(v, SG_ATOM_ITER, c->node, e);
}

/* random.shuffle(l), heapq.heapify(l) */
static uint32_t
call_shuffle(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	sg_value_disorder(v, sg_call_arg(c, 0, 0));
	return v->none_atom;
}

static uint32_t
call_sorted(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t e = sg_value_elements(v, sg_call_arg(c, 0, 0)), key = 0;

	(void)path;
	for (uint32_t i = 0; i < c->nargs; i++)
		if (c->args[i].keyword == v->known.key)
			key = c->args[i].set;
	if (key)
		(void)apply_implicit(v, key, c, 1, &e);
	return sg_value_container(v, SG_ATOM_LIST, c->node, e);
}

/* max(), min(): an argument or an element of the only one. */
static uint32_t
call_extreme(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t out = 0, key = 0, n = 0;

	(void)path;
	for (uint32_t i = 0; i < c->nargs; i++)
		n += !c->args[i].keyword;
	for (uint32_t i = 0; i < c->nargs; i++) {
		if (c->args[i].keyword == v->known.key)
			key = c->args[i].set;
		else if (n > 1 || c->args[i].stars || c->args[i].keyword)
			out = sg_set_union(v, out, c->args[i].set);
		else
			out = sg_set_union(
				v, out, sg_value_elements(v, c->args[i].set));
	}
	if (key)
		(void)apply_implicit(v, key, c, 1, &out);
	return out ? out : v->unknown;
}

/* reduce(getattr, ['a', 'b'], x): step by step where the steps are known. */
static uint32_t
call_reduce(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t fn = sg_call_arg(c, 0, 0), list = sg_call_arg(c, 1, 0);
	uint32_t sets[2] = { sg_call_arg(c, 2, 0), 0 }, out;
	uint32_t seq = sequence_of(v, list), at = 0;

	(void)path;
	if (seq) {
		struct sg_span s = v->seqs.v[sg_atom_at(v, seq).a];

		if (!sets[0] && s.n)
			sets[0] = v->elements.v[s.at + at++];
		for (; at < s.n && at < 64; at++) {
			sets[1] = v->elements.v[s.at + at];
			sets[0] = apply_implicit(v, fn, c, 2, sets);
		}
		return sets[0];
	}
	sets[1] = sg_value_elements(v, list);
	sets[0] = sg_set_union(v, sets[0], sets[1]);
	out = apply_implicit(v, fn, c, 2, sets);
	sets[0] = sg_set_union(v, sets[0], out);
	return sg_set_union(v, out, apply_implicit(v, fn, c, 2, sets));
}

/* submit(f, a, b) and the like: the rest are f's arguments. */
static uint32_t
handed(struct sg_values *v, const struct sg_call *c, uint32_t from)
{
	struct sg_call inner = { .node = c->node,
				 .implicit = true,
				 .starred = c->starred };
	uint32_t fn = sg_call_arg(c, from, 0), at = 0;

	for (uint32_t i = 0; i < c->nargs; i++) {
		if (!c->args[i].keyword && at++ <= from)
			continue;
		inner.args[inner.nargs++] = c->args[i];
	}
	return sg_value_call(v, fn, &inner);
}

static uint32_t
result_holder(struct sg_values *v, uint32_t path, uint32_t made)
{
	uint32_t r = sg_path_result(v, path);

	return sg_set_union(v, made, sg_value_path(v, r));
}

static uint32_t
call_handed_first(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	return result_holder(v, path, handed(v, c, 0));
}

static uint32_t
call_handed_second(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	return result_holder(v, path, handed(v, c, 1));
}

/* Thread(target=f, args=(a, b), kwargs={...}); Timer(t, f, args). */
static uint32_t
call_target(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t fn = 0, args = 0, named = 0, sets[2];

	for (uint32_t i = 0; i < c->nargs; i++) {
		uint32_t k = c->args[i].keyword;

		if (k == v->known.target || k == v->known.function ||
		    k == v->known.initializer || (!k && i == 1))
			fn = sg_set_union(v, fn, c->args[i].set);
		else if (k == v->known.args || (!k && (i == 2 || i == 3)))
			args = sg_set_union(v, args, c->args[i].set);
		else if (k == v->known.kwargs)
			named = sg_set_union(v, named, c->args[i].set);
	}
	sets[0] = sets[1] = sg_value_elements(v, args);
	if (fn) {
		struct sg_call inner = { .node = c->node, .implicit = true };

		if (args)
			inner.args[inner.nargs++] = (struct sg_call_arg){
				.set = sets[0],
				.node = c->node,
				.stars = 1,
			};
		inner.starred = args != 0;
		if (named)
			sg_call_spread(v, &inner, named, c->node);
		(void)sg_value_call(v, fn, &inner);
	}
	return sg_atom(v, SG_ATOM_INSTANCE, path, 0);
}

/* A function that a library will call with what nobody here knows. */
static uint32_t
call_callback(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	for (uint32_t i = 0; i < c->nargs; i++) {
		uint32_t atoms[SG_SET_MAX];
		uint32_t n = sg_set_copy(v, c->args[i].set, atoms);

		sg_value_escape(v, c->args[i].set);
		for (uint32_t k = 0; k < n; k++)
			if (sg_atom_is(v, atoms[k], SG_ATOM_PATH) &&
			    v->paths.v[sg_atom_at(v, atoms[k]).a].kind ==
				    SG_PATH_CALLABLE)
				(void)apply_implicit(v, atoms[k], c, 1,
						     &v->unknown);
	}
	if (v->paths.v[path].kind == SG_PATH_CLASS)
		return sg_atom(v, SG_ATOM_INSTANCE, path, 0);
	return sg_value_path(v, sg_path_result(v, path));
}

/* accumulate(texts): of the first, and of what is joined of all. */
static uint32_t
call_accumulate(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t made = sg_value_made_by(v, path, c);
	uint32_t given = sg_value_elements(v, sg_call_arg(c, 0, 0));

	(void)call_callback(v, path, c);
	made = sg_set_union(v, made, sg_value_path(v, sg_path_result(v, path)));
	return sg_value_container(v, SG_ATOM_ITER, c->node,
				  sg_set_union(v, made, given));
}

/* sum([[a], [b]], []), chain.from_iterable([[a], [b]]) */
static uint32_t
call_chained(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t all = sg_value_elements(v, sg_call_arg(c, 0, 0));

	(void)path;
	return sg_value_container(v, SG_ATOM_LIST, c->node,
				  sg_value_elements(v, all));
}

static uint32_t
call_sum(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t start = sg_call_arg(c, 1, 0), atoms[SG_SET_MAX];
	uint32_t n = sg_set_copy(v, start, atoms);

	for (uint32_t i = 0; i < n; i++)
		if (sg_atom_is_container(v, atoms[i]))
			return call_chained(v, path, c);
	return v->anynum;
}

/* groupby(x, key): pairs of a key and of what has it. */
static uint32_t
call_groupby(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t given = sg_value_elements(v, sg_call_arg(c, 0, 0)), pair;
	uint32_t fn = sg_call_arg(c, 1, v->known.key), key = given, group;

	(void)path;
	pair = SG_SITE(c->node, 1);
	if (fn)
		key = apply_implicit(v, fn, c, 1, &given);
	group = sg_value_container(v, SG_ATOM_ITER, SG_SITE(c->node, 2), given);
	sg_cell_add(v, sg_cell(v, SG_CELL_KEY, pair, sg_value_int(v, 0)), key);
	sg_cell_add(v, sg_cell(v, SG_CELL_KEY, pair, sg_value_int(v, 1)),
		    group);
	sg_cell_add(v, sg_cell(v, SG_CELL_ALL, pair, 0),
		    sg_set_union(v, key, group));
	return sg_value_container(v, SG_ATOM_ITER, c->node,
				  sg_atom(v, SG_ATOM_TUPLE, pair, 0));
}

/* permutations(x), pairwise(x): tuples of its elements. */
static uint32_t
call_tuples(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t given = sg_value_elements(v, sg_call_arg(c, 0, 0));
	uint32_t tuple = sg_value_container(v, SG_ATOM_TUPLE,
					    SG_SITE(c->node, 1), given);

	(void)path;
	return sg_value_container(v, SG_ATOM_ITER, c->node, tuple);
}

/* In byte order of the names. */
const struct sg_special sg_specials_iterate[] = {
	{ "_thread.start_new_thread", call_target },
	{ "asyncio.to_thread", call_handed_first },
	{ "builtins.aiter", call_iter },
	{ "builtins.anext", call_next },
	{ "builtins.dict", call_dict },
	{ "builtins.enumerate", call_enumerate },
	{ "builtins.filter", call_filter },
	{ "builtins.frozenset", call_tuple },
	{ "builtins.iter", call_iter },
	{ "builtins.list", call_list },
	{ "builtins.map", call_map },
	{ "builtins.max", call_extreme },
	{ "builtins.min", call_extreme },
	{ "builtins.next", call_next },
	{ "builtins.range", call_range },
	{ "builtins.reversed", call_reversed },
	{ "builtins.set", call_list },
	{ "builtins.sorted", call_sorted },
	{ "builtins.sum", call_sum },
	{ "builtins.tuple", call_tuple },
	{ "builtins.zip", call_zip },
	{ "collections.OrderedDict", call_dict },
	{ "collections.deque", call_list },
	{ "concurrent.futures.ProcessPoolExecutor.map", call_map },
	{ "concurrent.futures.ProcessPoolExecutor.submit", call_handed_first },
	{ "concurrent.futures.ThreadPoolExecutor.map", call_map },
	{ "concurrent.futures.ThreadPoolExecutor.submit", call_handed_first },
	{ "contextlib.ExitStack.callback", call_handed_first },
	{ "functools.reduce", call_reduce },
	{ "heapq.heapify", call_shuffle },
	{ "itertools.accumulate", call_accumulate },
	{ "itertools.chain", call_list },
	{ "itertools.chain.from_iterable", call_chained },
	{ "itertools.combinations", call_tuples },
	{ "itertools.compress", call_list },
	{ "itertools.cycle", call_list },
	{ "itertools.dropwhile", call_filter },
	{ "itertools.filterfalse", call_filter },
	{ "itertools.groupby", call_groupby },
	{ "itertools.islice", call_iter },
	{ "itertools.pairwise", call_tuples },
	{ "itertools.permutations", call_tuples },
	{ "itertools.product", call_zip },
	{ "itertools.repeat", call_list },
	{ "itertools.starmap", call_callback },
	{ "itertools.takewhile", call_filter },
	{ "itertools.zip_longest", call_zip },
	{ "more_itertools.consume", call_callback },
	{ "multiprocessing.Process", call_target },
	{ "multiprocessing.pool.Pool.apply", call_handed_first },
	{ "multiprocessing.pool.Pool.apply_async", call_handed_first },
	{ "multiprocessing.pool.Pool.imap", call_map },
	{ "multiprocessing.pool.Pool.map", call_map },
	{ "multiprocessing.pool.Pool.starmap", call_map },
	{ "numpy.apply_along_axis", call_callback },
	{ "numpy.fromfunction", call_callback },
	{ "numpy.frompyfunc", call_callback },
	{ "numpy.vectorize", call_callback },
	{ "operator.call", call_handed_first },
	{ "pandas.DataFrame.agg", call_callback },
	{ "pandas.DataFrame.apply", call_callback },
	{ "pandas.DataFrame.applymap", call_callback },
	{ "pandas.DataFrame.map", call_callback },
	{ "pandas.DataFrame.pipe", call_callback },
	{ "pandas.DataFrame.transform", call_callback },
	{ "pandas.Series.apply", call_callback },
	{ "pandas.Series.map", call_callback },
	{ "pandas.Series.pipe", call_callback },
	{ "pandas.Series.transform", call_callback },
	{ "random.shuffle", call_shuffle },
	{ "signal.signal", call_callback },
	{ "sys.addaudithook", call_callback },
	{ "sys.setprofile", call_callback },
	{ "sys.settrace", call_callback },
	{ "threading.Thread", call_target },
	{ "threading.Timer", call_target },
	{ "types.MethodType", call_handed_first },
	{ "weakref.finalize", call_handed_second },
	{ "weakref.ref", call_callback },
};
const uint32_t sg_specials_iterate_n = sizeof(sg_specials_iterate) /
				       sizeof(*sg_specials_iterate);
