/*
 * Texts that a script makes of its own constants, in a way that is not
 * worked out here.
 *
 * Theory of operation.  What cannot be folded is "some text", and most of
 * that comes from outside: names of files, answers, lines of a table.  But a
 * text that is made of constants alone could have been written as one, and
 * when it names a file there is no reason to hide it.  So it is an atom of its
 * own, ANYSTR with a 1, which everything takes for some text and a
 * call's argument shows as SG_ARG_MADE.
 *
 * A decoder may make any text of any other.  What only joins or cuts texts
 * leads nowhere unless a part does: one that begins as an absolute path does,
 * or has a path of the host in it that a cut may lay bare.  A single character
 * whose number is not known, ANYSTR with a 2, leads on only beside others.
 */

#include "analyzer/value_hook.h"

#include <stdlib.h>

enum { NESTED = 3, LOOKED = 24 };

/* A cut may lay a path of the host bare: "see /etc/x". */
static bool
has_host_path(struct sg_str s)
{
	static const char *const folders[] = {
		"boot/", "dev/", "etc/", "home/", "opt/", "proc/", "root/",
		"run/",  "srv/", "sys/", "usr/",  "var/", "../"
	};
	size_t at;

	while ((at = sg_str_find(s, '/')) < s.n) {
		if (at && s.p[at - 1] == '~')
			return true;
		s = sg_str_slice(s, at + 1, s.n);
		for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
			if (sg_str_starts(s, sg_str_c(folders[i])))
				return true;
	}
	return false;
}

static enum sg_made
made_of_text(struct sg_str s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\n' || s.p[0] == '\t'))
		s = sg_str_slice(s, 1, s.n);
	if (!s.n)
		return SG_MADE_PLAIN;
	if (s.p[0] == '/' || s.p[0] == '~' || sg_str_starts(s, SG_STR("..")))
		return SG_MADE_LEADS;
	return has_host_path(s) ? SG_MADE_HAS : SG_MADE_PLAIN;
}

static enum sg_made
worse(enum sg_made a, enum sg_made b)
{
	if (a == SG_MADE_NO || b == SG_MADE_NO)
		return SG_MADE_NO;
	return a > b ? a : b;
}

static enum sg_made made_at(struct sg_values *v, uint32_t set, unsigned depth,
			    unsigned *looked);

/* Elements of a container; of a dict its keys as well. */
static enum sg_made
made_of_container(struct sg_values *v, struct sg_atom a, unsigned depth,
		  unsigned *looked)
{
	uint32_t all = sg_cell_read(v, sg_cell(v, SG_CELL_ALL, a.a, 0));
	enum sg_made made = SG_MADE_PLAIN;

	if (!depth || (*looked)++ > LOOKED)
		return SG_MADE_NO;
	if (all)
		made = made_at(v, all, depth - 1, looked);
	if (a.kind == SG_ATOM_DICT) {
		all = sg_cell_read(v, sg_cell(v, SG_CELL_DKEYS, a.a, 0));
		if (all)
			made = worse(made, made_at(v, all, depth - 1, looked));
	}
	return made;
}

static enum sg_made
made_of_atom(struct sg_values *v, uint32_t atom, unsigned depth,
	     unsigned *looked)
{
	struct sg_atom a = sg_atom_at(v, atom);
	enum sg_made made = SG_MADE_PLAIN;
	struct sg_span s;

	switch (a.kind) {
	case SG_ATOM_STR:
	case SG_ATOM_BYTES:
		return made_of_text(v->strs.v[a.a]);
	case SG_ATOM_INT:
	case SG_ATOM_ANYNUM:
	case SG_ATOM_CONST:
		return SG_MADE_PLAIN;
	case SG_ATOM_ANYSTR:
		return atom == v->made      ? SG_MADE_LEADS
		       : atom == v->onechar ? SG_MADE_PLAIN
					    : SG_MADE_NO;
	case SG_ATOM_SEQ:
		s = v->seqs.v[a.a];
		if (!depth || (*looked)++ > LOOKED)
			return SG_MADE_NO;
		sg_value_work(v, s.n / 8);
		for (uint32_t i = 0; i < s.n && made != SG_MADE_NO; i++)
			made = worse(made, made_at(v, v->elements.v[s.at + i],
						   depth - 1, looked));
		return made;
	case SG_ATOM_LIST:
	case SG_ATOM_TUPLE:
	case SG_ATOM_SET:
	case SG_ATOM_DICT:
	case SG_ATOM_ITER:
		return made_of_container(v, a, depth, looked);
	default:
		return SG_MADE_NO;
	}
}

static enum sg_made
made_at(struct sg_values *v, uint32_t set, unsigned depth, unsigned *looked)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, set, atoms);
	enum sg_made made = n ? SG_MADE_PLAIN : SG_MADE_NO;
	bool beside = false;

	/* What a call that made it gives has a name beside. */
	for (uint32_t i = 0; i < n; i++)
		beside = beside || atoms[i] == v->made;
	for (uint32_t i = 0; i < n && made != SG_MADE_NO; i++) {
		uint32_t kind = sg_atom_at(v, atoms[i]).kind;

		if (!beside ||
		    (kind != SG_ATOM_PATH && kind != SG_ATOM_INSTANCE))
			made = worse(made,
				     made_of_atom(v, atoms[i], depth, looked));
	}
	return made;
}

enum sg_made
sg_value_made(struct sg_values *v, uint32_t set)
{
	unsigned looked = 0;

	return made_at(v, set, NESTED, &looked);
}

/* Of the positional arguments from that one on; none are plain. */
static enum sg_made
made_of_call(struct sg_values *v, const struct sg_call *c, uint32_t from)
{
	enum sg_made made = SG_MADE_PLAIN;
	uint32_t at = 0;

	for (uint32_t i = 0; i < c->nargs && made != SG_MADE_NO; i++)
		if (c->args[i].keyword || at++ >= from)
			made = worse(made, sg_value_made(v, c->args[i].set));
	return made;
}

static uint32_t
some_text(const struct sg_values *v, bool made)
{
	return made ? v->made : v->anystr;
}

uint32_t
sg_value_decoded(struct sg_values *v, uint32_t set)
{
	return some_text(v, sg_value_made(v, set) != SG_MADE_NO);
}

uint32_t
sg_value_joined_text(struct sg_values *v, uint32_t set)
{
	return some_text(v, sg_value_made(v, set) == SG_MADE_LEADS);
}

/* --- joining --------------------------------------------------------------- */

static bool
may_be_empty(struct sg_values *v, uint32_t set)
{
	return sg_set_has(v, set, sg_value_str(v, SG_STR_NONE)) ||
	       sg_set_has(v, set, sg_value_bytes(v, SG_STR_NONE));
}

bool
sg_value_in_order(struct sg_values *v, uint32_t atom)
{
	struct sg_atom a = sg_atom_at(v, atom);
	uint32_t written = 0, all, atoms[SG_SET_MAX], n;
	const struct sg_node *nodes = v->ast->nodes;

	if (a.kind == SG_ATOM_SEQ)
		return true;
	if ((a.kind != SG_ATOM_LIST && a.kind != SG_ATOM_TUPLE) ||
	    a.a != SG_SITE_NODE(a.a) ||
	    (nodes[a.a].kind != SG_AST_List && nodes[a.a].kind != SG_AST_Tuple))
		return false;
	for (uint32_t i = nodes[a.a].first, k = 0; i; i = nodes[i].next) {
		if (k++ == SG_PLACES || nodes[i].kind == SG_AST_Starred)
			return false;
		written = sg_set_union(v, written, v->val[i]);
	}
	all = sg_cell_read(v, sg_cell(v, SG_CELL_ALL, a.a, 0));
	n = sg_set_copy(v, all, atoms);
	for (uint32_t i = 0; i < n; i++)
		if (!sg_set_has(v, written, atoms[i]))
			return false;
	return true;
}

/* Whether what is joined of the container may begin as a path does. */
static bool
joined_leads(struct sg_values *v, uint32_t sep, uint32_t atom)
{
	bool slash = sg_value_made(v, sep) == SG_MADE_LEADS;
	uint32_t first = 0;

	if (!sg_value_in_order(v, atom) || !sg_value_nth(v, atom, 0, &first) ||
	    may_be_empty(v, first))
		first = sg_value_elements(v, atom);
	return sg_value_made(v, first) == SG_MADE_LEADS ||
	       sg_set_has(v, first, v->onechar) ||
	       (slash && may_be_empty(v, first));
}

static enum sg_made
made_of_joined(struct sg_values *v, uint32_t sep, uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, set, atoms);

	if (sg_value_made(v, set) == SG_MADE_NO)
		return SG_MADE_NO;
	for (uint32_t i = 0; i < n; i++)
		if (joined_leads(v, sep, atoms[i]))
			return SG_MADE_LEADS;
	return SG_MADE_PLAIN;
}

/* --- methods --------------------------------------------------------------- */

enum how {
	DECODES = 1, /* any text may become any other */
	JOINS,
	CUTS,
	FILLS /* a template: with `$` first it begins as what it is given */
};

uint32_t
sg_value_made_by_method(struct sg_values *v, uint32_t self, struct sg_str name,
			const struct sg_call *c)
{
	static const struct {
		const char *name;
		enum how how;
		uint32_t from; /* the first argument that counts */
	} rows[] = {
		{ "decode", DECODES, 9 },    { "encode", DECODES, 9 },
		{ "format", JOINS, 0 },      { "format_map", JOINS, 0 },
		{ "join", JOINS, 9 },        { "replace", JOINS, 1 },
		{ "translate", DECODES, 0 },
	};
	enum sg_made made = sg_value_made(v, self);
	uint32_t from = 9, how = CUTS;

	if (made == SG_MADE_NO)
		return v->anystr;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (sg_str_eq(name, sg_str_c(rows[i].name))) {
			how = rows[i].how;
			from = rows[i].from;
		}
	if (sg_str_eq(name, SG_STR("join")))
		made = made_of_joined(v, self, sg_call_arg(c, 0, 0));
	else
		made = worse(made, made_of_call(v, c, from));
	return some_text(v, how == DECODES ? made != SG_MADE_NO
			    : how == JOINS ? made == SG_MADE_LEADS
					   : made >= SG_MADE_HAS);
}

/* --- foreign functions ------------------------------------------------------ */

/* In byte order of the names. */
static const struct maker {
	const char *name;
	uint8_t how, from;
} makers[] = {
	{ "array.array", DECODES, 1 },
	{ "base64.a85decode", DECODES, 0 },
	{ "base64.b32hexdecode", DECODES, 0 },
	{ "base64.b85decode", DECODES, 0 },
	{ "base64.z85decode", DECODES, 0 },
	{ "binascii.a2b_qp", DECODES, 0 },
	{ "binascii.a2b_uu", DECODES, 0 },
	{ "bz2.decompress", DECODES, 0 },
	{ "codecs.charmap_decode", DECODES, 0 },
	{ "codecs.escape_decode", DECODES, 0 },
	{ "codecs.unicode_escape_decode", DECODES, 0 },
	{ "codecs.utf_16_decode", DECODES, 0 },
	{ "codecs.utf_32_decode", DECODES, 0 },
	{ "codecs.utf_7_decode", DECODES, 0 },
	{ "codecs.utf_8_decode", DECODES, 0 },
	{ "collections.UserString", JOINS, 0 },
	{ "csv.reader", JOINS, 0 },
	{ "email.header.decode_header", DECODES, 0 },
	{ "gzip.decompress", DECODES, 0 },
	{ "html.unescape", DECODES, 0 },
	{ "itertools.accumulate", JOINS, 0 },
	{ "locale.format_string", JOINS, 0 },
	{ "lzma.decompress", DECODES, 0 },
	{ "numpy.char.add", JOINS, 0 },
	{ "numpy.char.join", JOINS, 0 },
	{ "numpy.char.replace", CUTS, 0 },
	{ "numpy.core.defchararray.add", JOINS, 0 },
	{ "numpy.core.defchararray.join", JOINS, 0 },
	{ "numpy.core.defchararray.replace", CUTS, 0 },
	{ "quopri.decodestring", DECODES, 0 },
	{ "re.Pattern.findall", CUTS, 0 },
	{ "re.Pattern.finditer", CUTS, 0 },
	{ "re.Pattern.fullmatch", CUTS, 0 },
	{ "re.Pattern.match", CUTS, 0 },
	{ "re.Pattern.search", CUTS, 0 },
	{ "re.Pattern.split", CUTS, 0 },
	{ "re.Pattern.sub", JOINS, 0 },
	{ "re.Pattern.subn", JOINS, 0 },
	{ "re.findall", CUTS, 1 },
	{ "re.finditer", CUTS, 1 },
	{ "re.fullmatch", CUTS, 1 },
	{ "re.match", CUTS, 1 },
	{ "re.search", CUTS, 1 },
	{ "re.split", CUTS, 1 },
	{ "re.sub", JOINS, 1 },
	{ "re.subn", JOINS, 1 },
	{ "shlex.split", CUTS, 0 },
	{ "string.Formatter.format", JOINS, 0 },
	{ "string.Formatter.vformat", JOINS, 0 },
	{ "string.Template", FILLS, 0 },
	{ "struct.pack", DECODES, 0 },
	{ "textwrap.dedent", CUTS, 0 },
	{ "textwrap.fill", CUTS, 0 },
	{ "textwrap.shorten", CUTS, 0 },
	{ "textwrap.wrap", CUTS, 0 },
	{ "unicodedata.lookup", DECODES, 0 },
	{ "unicodedata.normalize", JOINS, 1 },
	{ "urllib.parse.unquote", DECODES, 0 },
	{ "urllib.parse.unquote_plus", DECODES, 0 },
	{ "urllib.parse.unquote_to_bytes", DECODES, 0 },
	{ "xml.etree.ElementTree.XML", CUTS, 0 },
	{ "xml.etree.ElementTree.fromstring", CUTS, 0 },
	{ "zlib.decompress", DECODES, 0 },
};

static int
by_name(const void *key, const void *row)
{
	const struct maker *m = row;

	return sg_str_cmp(*(const struct sg_str *)key, sg_str_c(m->name));
}

enum { UNSET, NONE, FIRST }; /* sg_path.maker */

static const struct maker *
maker_of(struct sg_values *v, uint32_t path)
{
	struct sg_path *p = &v->paths.v[path];

	if (p->maker == UNSET) {
		const struct maker *m = bsearch(
			&p->full, makers, sizeof(makers) / sizeof(*makers),
			sizeof(*makers), by_name);

		p->maker = m ? (uint8_t)(FIRST + (m - makers)) : NONE;
	}
	return p->maker == NONE ? NULL : &makers[p->maker - FIRST];
}

static bool
has_dollar_first(const struct sg_values *v, const struct sg_call *c)
{
	uint32_t set = sg_call_arg(c, 0, 0);

	return set && set < SG_SET_MANY && sg_atom_is(v, set, SG_ATOM_STR) &&
	       sg_str_starts(sg_atom_str(v, set), SG_STR("$"));
}

uint32_t
sg_value_made_by(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	const struct maker *m = maker_of(v, path);
	enum sg_made made;

	if (!m)
		return 0;
	made = made_of_call(v, c, m->from);
	switch ((enum how)m->how) {
	case DECODES:
		return made != SG_MADE_NO ? v->made : 0;
	case CUTS:
		return made >= SG_MADE_HAS ? v->made : 0;
	case FILLS:
		if (made != SG_MADE_NO && has_dollar_first(v, c))
			return v->made;
		return made == SG_MADE_LEADS ? v->made : 0;
	case JOINS:
		break;
	}
	return made == SG_MADE_LEADS ? v->made : 0;
}
