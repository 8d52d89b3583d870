/*
 * Callables that look things up by name: getattr and its kin, imports at run
 * time, namespaces, and the wrappers that hand a function through.
 */

#include "analyzer/factlist.h"
#include "analyzer/value_special.h"

/* --- attributes by name ----------------------------------------------------- */

static uint32_t
call_getattr(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t set = sg_value_attr_by(v, sg_call_arg(c, 0, 0),
					sg_call_arg(c, 1, 0));

	(void)path;
	return c->starred ? set : sg_set_union(v, set, sg_call_arg(c, 2, 0));
}

/* Only says whether; an unknown name tells nothing. */
static uint32_t
call_hasattr(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t atoms[SG_SET_MAX], n;

	(void)path;
	n = sg_set_copy(v, sg_call_arg(c, 1, 0), atoms);
	for (uint32_t i = 0; i < n && v->facts; i++)
		if (sg_atom_is(v, atoms[i], SG_ATOM_STR))
			(void)sg_value_attr_by(v, sg_call_arg(c, 0, 0),
					       atoms[i]);
	return v->unknown;
}

/* setattr and delattr write, besides looking the thing up. */
static void
emit_stored(struct sg_values *v, uint32_t base, uint32_t names)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, names, atoms);

	(void)sg_value_attr_by(v, base, names);
	for (uint32_t i = 0; i < n; i++)
		if (sg_atom_is(v, atoms[i], SG_ATOM_STR))
			sg_fact_attr(
				v, base,
				sg_value_name_id(v, sg_atom_str(v, atoms[i])),
				0, SG_FACT_BY_NAME | SG_FACT_STORE);
}

static uint32_t
call_setattr(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t base = sg_call_arg(c, 0, 0), name = sg_call_arg(c, 1, 0);
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, name, atoms);

	(void)path;
	for (uint32_t i = 0; i < n; i++)
		if (sg_atom_is(v, atoms[i], SG_ATOM_STR))
			sg_value_attr_store(
				v, base,
				sg_value_name_id(v, sg_atom_str(v, atoms[i])),
				sg_call_arg(c, 2, 0));
	if (v->facts)
		emit_stored(v, base, name);
	sg_value_escape(v, sg_call_arg(c, 2, 0));
	return v->none_atom;
}

static uint32_t
call_delattr(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	if (v->facts)
		emit_stored(v, sg_call_arg(c, 0, 0), sg_call_arg(c, 1, 0));
	return v->none_atom;
}

static uint32_t
call_resolve_dotted(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t atoms[SG_SET_MAX], out = 0;
	uint32_t n = sg_set_copy(v, sg_call_arg(c, 1, 0), atoms);

	(void)path;
	for (uint32_t i = 0; i < n; i++)
		if (sg_atom_is(v, atoms[i], SG_ATOM_STR))
			out = sg_set_union(
				v, out,
				sg_value_dotted(v, sg_call_arg(c, 0, 0),
						sg_atom_str(v, atoms[i])));
	return out ? out : v->unknown;
}

/* --- namespaces --------------------------------------------------------------- */

static uint32_t
call_globals(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	(void)c;
	return v->globals_atom;
}

static uint32_t
call_locals(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t scope = v->scopes->scope_of[c->node];

	(void)path;
	if (v->scopes->scopes[scope].kind == SG_SCOPE_MODULE)
		return v->globals_atom;
	return sg_atom(v, SG_ATOM_LOCALS, scope, 0);
}

static uint32_t
call_vars(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	if (!c->nargs)
		return call_locals(v, path, c);
	return sg_value_attr(v, sg_call_arg(c, 0, 0), v->known.dict_);
}

/* type(x) of what is known; type(n, b, d) makes a class nobody sees. */
static uint32_t
call_type(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t atoms[SG_SET_MAX], n, out = 0;

	(void)path;
	if (c->nargs != 1)
		return v->unknown;
	n = sg_set_copy(v, sg_call_arg(c, 0, 0), atoms);
	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);

		if (a.kind == SG_ATOM_INST)
			out = sg_set_union(v, out,
					   sg_atom(v, SG_ATOM_CLASS, a.a, 0));
		else if (a.kind == SG_ATOM_INSTANCE)
			out = sg_set_union(v, out, sg_value_path(v, a.a));
		else if (a.kind == SG_ATOM_STR)
			out = sg_set_union(
				v, out,
				sg_value_path(v, sg_path_child(v, v->builtins,
							       v->known.str)));
		else if (a.kind == SG_ATOM_PATH &&
			 v->paths.v[a.a].kind == SG_PATH_MODULE)
			out = sg_set_union(
				v, out,
				sg_value_path(
					v,
					sg_path_of(
						v,
						SG_STR("types.ModuleType"))));
		else
			out = sg_set_union(v, out, v->unknown);
	}
	return out;
}

/* The class around the call, and an instance of it. */
static uint32_t
call_super(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t scope = v->scopes->scope_of[c->node];

	(void)path;
	while (scope && v->scopes->scopes[scope].kind != SG_SCOPE_CLASS)
		scope = v->scopes->scopes[scope].parent;
	if (!scope)
		return v->unknown;
	scope = v->scopes->scopes[scope].node;
	return sg_atom(v, SG_ATOM_SUPER, scope,
		       sg_atom(v, SG_ATOM_INST, scope, 0));
}

/* --- imports -------------------------------------------------------------------- */

/* __import__('a.b') gives a; with a fromlist it gives a.b. */
static uint32_t
call_import(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t names = sg_call_arg(c, 0, v->known.name_);
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, names, atoms);
	uint32_t out = sg_value_import(v, names, SG_FACT_BY_NAME);

	(void)path;
	for (uint32_t i = 0; i < n; i++) {
		struct sg_str s;
		size_t dot;

		if (!sg_atom_is(v, atoms[i], SG_ATOM_STR))
			continue;
		s = sg_atom_str(v, atoms[i]);
		dot = sg_str_find(s, '.');
		if (dot < s.n && dot)
			out = sg_set_union(
				v, out,
				sg_value_path(
					v, sg_path_of(v, sg_str_slice(s, 0,
								      dot))));
	}
	return out;
}

/* import_module('.path', 'os') */
static uint32_t
call_import_module(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t names = sg_call_arg(c, 0, 0), pkg = sg_call_arg(c, 1, 0);
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, names, atoms);

	(void)path;
	if (!c->nargs)
		return v->unknown;
	if (!names || c->args[0].keyword)
		names = c->args[0].set;
	for (uint32_t i = 0; i < n; i++) {
		struct sg_str s = SG_STR_NONE, p;

		if (sg_atom_is(v, atoms[i], SG_ATOM_STR))
			s = sg_atom_str(v, atoms[i]);
		if (!s.n || s.p[0] != '.' || !pkg || pkg >= SG_SET_MANY ||
		    !sg_atom_is(v, pkg, SG_ATOM_STR))
			continue;
		p = sg_atom_str(v, pkg);
		atoms[i] = sg_value_str(v, sg_arena_printf(v->arena, "%.*s%.*s",
							   SG_STR_ARG(p),
							   SG_STR_ARG(s)));
		names = sg_set_of(v, atoms, n);
		break;
	}
	return sg_value_import(v, names, SG_FACT_BY_NAME);
}

/* 'os:system', 'os.system': the thing itself. */
static uint32_t
call_resolve_name(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t atoms[SG_SET_MAX], out = 0;
	uint32_t n = sg_set_copy(v, sg_call_arg(c, 0, 0), atoms);
	char buf[256];

	(void)path;
	for (uint32_t i = 0; i < n; i++) {
		struct sg_str s;
		uint32_t found;

		if (!sg_atom_is(v, atoms[i], SG_ATOM_STR) ||
		    (s = sg_atom_str(v, atoms[i])).n >= sizeof(buf)) {
			out = sg_set_union(v, out, v->unknown);
			continue;
		}
		memcpy(buf, s.p ? s.p : "", s.n);
		for (size_t k = 0; k < s.n; k++)
			if (buf[k] == ':')
				buf[k] = '.';
		found = sg_path_of(v, (struct sg_str){ buf, s.n });
		out = sg_set_union(v, out, sg_value_path(v, found));
		if (v->facts && found)
			sg_fact_refs(v, v->node, sg_value_path(v, found),
				     SG_FACT_INDIRECT);
	}
	if (v->facts && sg_set_open(v, out))
		sg_fact_dynamic(v, SG_DYNAMIC_IMPORT, v->node, SG_STR_NONE);
	return out ? out : v->unknown;
}

/* patch('os.getcwd', f): names a thing and replaces it. */
static uint32_t
call_patch(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t target = call_resolve_name(v, path, c), n;
	uint32_t atoms[SG_SET_MAX];

	n = sg_set_copy(v, target, atoms);
	for (uint32_t i = 0; i < n && v->facts; i++)
		if (sg_atom_is(v, atoms[i], SG_ATOM_PATH))
			sg_fact_bind_path(v, sg_atom_at(v, atoms[i]).a);
	return sg_value_path(v, sg_path_result(v, path));
}

/* --- handing through -------------------------------------------------------------- */

static uint32_t
call_first(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t first = sg_call_arg(c, 0, 0);
	uint32_t rest = sg_path_result(v, path);

	/* @lru_cache(maxsize=None): what comes back is called again. */
	if (!first ||
	    (first < SG_SET_MANY && (sg_atom_is(v, first, SG_ATOM_INT) ||
				     sg_atom_is(v, first, SG_ATOM_CONST))))
		return sg_value_path(v, rest);
	if (sg_set_has(v, first, v->none_atom))
		return sg_set_union(v, first, sg_value_path(v, rest));
	return first;
}

static uint32_t
call_second(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	return sg_set_union(v, sg_call_arg(c, 1, 0), v->unknown);
}

static uint32_t
wrap(struct sg_values *v, enum sg_atom_kind kind, const struct sg_call *c)
{
	uint32_t atoms[SG_SET_MAX], out = 0;
	uint32_t n = sg_set_copy(v, sg_call_arg(c, 0, v->known.fget), atoms);

	for (uint32_t i = 0; i < n; i++)
		out = sg_set_union(v, out, sg_atom(v, kind, atoms[i], 0));
	return out ? out : v->unknown;
}

static uint32_t
call_staticmethod(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	return wrap(v, SG_ATOM_STATIC, c);
}

static uint32_t
call_classmethod(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	return wrap(v, SG_ATOM_CLSMETH, c);
}

static uint32_t
call_property(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	return wrap(v, SG_ATOM_PROPERTY, c);
}

static uint32_t
call_nullcontext(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	return sg_atom(v, SG_ATOM_CONTEXT, c->node, 0);
}

static uint32_t
call_partial(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	return sg_atom(v, SG_ATOM_PARTIAL, c->node, 0);
}

static uint32_t
call_attrgetter(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	if (v->facts)
		for (uint32_t i = 0; i < c->nargs; i++)
			sg_fact_attr_path(v, c->args[i].set);
	return sg_atom(v, SG_ATOM_ATTRGETTER, c->node, 0);
}

static uint32_t
call_methodcaller(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	if (v->facts)
		sg_fact_attr_path(v, sg_call_arg(c, 0, v->known.name_));
	return sg_atom(v, SG_ATOM_METHODCALLER, c->node, 0);
}

static uint32_t
call_itemgetter(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	return sg_atom(v, SG_ATOM_ITEMGETTER, c->node, 0);
}

/* operator.add(a, b) and the like. */
static uint32_t
call_operator(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	static const struct {
		const char *name;
		enum sg_op op;
	} ops[] = {
		{ "add", SG_OP_ADD },     { "concat", SG_OP_ADD },
		{ "iadd", SG_OP_ADD },    { "iconcat", SG_OP_ADD },
		{ "mod", SG_OP_MOD },     { "mul", SG_OP_MULT },
		{ "xor", SG_OP_BITXOR },  { "sub", SG_OP_SUB },
		{ "truediv", SG_OP_DIV }, { "itruediv", SG_OP_DIV },
	};
	struct sg_str name = sg_intern_str(v->names, v->paths.v[path].name);

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (sg_str_eq(name, sg_str_c(ops[i].name)))
			return sg_value_binop(v, ops[i].op,
					      sg_call_arg(c, 0, 0),
					      sg_call_arg(c, 1, 0));
	return v->unknown;
}

static uint32_t
call_getitem(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	return sg_value_item(v, sg_call_arg(c, 0, 0), sg_call_arg(c, 1, 0));
}

static uint32_t
call_setitem(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	sg_value_item_store(v, sg_call_arg(c, 0, 0), sg_call_arg(c, 1, 0),
			    sg_call_arg(c, 2, 0));
	return v->none_atom;
}

/* sys.modules.get('os') */
static uint32_t
call_modules_get(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t set = sg_value_import(v, sg_call_arg(c, 0, 0),
				       SG_FACT_BY_NAME);

	(void)path;
	return sg_set_union(v, set, sg_call_arg(c, 1, 0));
}

/* In byte order of the names. */
const struct sg_special sg_specials_reflect[] = {
	{ "abc.abstractmethod", call_first },
	{ "asyncio.run", call_first },
	{ "atexit.register", call_first },
	{ "builtins.__import__", call_import },
	{ "builtins.classmethod", call_classmethod },
	{ "builtins.delattr", call_delattr },
	{ "builtins.getattr", call_getattr },
	{ "builtins.globals", call_globals },
	{ "builtins.hasattr", call_hasattr },
	{ "builtins.locals", call_locals },
	{ "builtins.object.__getattribute__", call_getattr },
	{ "builtins.object.__setattr__", call_setattr },
	{ "builtins.property", call_property },
	{ "builtins.setattr", call_setattr },
	{ "builtins.staticmethod", call_staticmethod },
	{ "builtins.super", call_super },
	{ "builtins.type", call_type },
	{ "builtins.type.__getattribute__", call_getattr },
	{ "builtins.type.__setattr__", call_setattr },
	{ "builtins.vars", call_vars },
	{ "contextlib.asynccontextmanager", call_first },
	{ "contextlib.closing", call_nullcontext },
	{ "contextlib.contextmanager", call_first },
	{ "contextlib.nullcontext", call_nullcontext },
	{ "copy.copy", call_first },
	{ "copy.deepcopy", call_first },
	{ "dataclasses.dataclass", call_first },
	{ "dataclasses.dataclass()", call_first },
	{ "django.utils.module_loading.import_string", call_resolve_name },
	{ "functools.cache", call_first },
	{ "functools.cached_property", call_property },
	{ "functools.lru_cache", call_first },
	{ "functools.lru_cache()", call_first },
	{ "functools.partial", call_partial },
	{ "functools.partialmethod", call_partial },
	{ "functools.singledispatch", call_first },
	{ "functools.total_ordering", call_first },
	{ "functools.wraps()", call_first },
	{ "importlib.__import__", call_import },
	{ "importlib.import_module", call_import_module },
	{ "importlib.reload", call_first },
	{ "importlib.util.find_spec", call_import_module },
	{ "importlib.util.module_from_spec", call_first },
	{ "inspect.getattr_static", call_getattr },
	{ "operator.add", call_operator },
	{ "operator.attrgetter", call_attrgetter },
	{ "operator.concat", call_operator },
	{ "operator.getitem", call_getitem },
	{ "operator.iadd", call_operator },
	{ "operator.iconcat", call_operator },
	{ "operator.itemgetter", call_itemgetter },
	{ "operator.itruediv", call_operator },
	{ "operator.methodcaller", call_methodcaller },
	{ "operator.mod", call_operator },
	{ "operator.mul", call_operator },
	{ "operator.setitem", call_setitem },
	{ "operator.sub", call_operator },
	{ "operator.truediv", call_operator },
	{ "operator.xor", call_operator },
	{ "pkgutil.resolve_name", call_resolve_name },
	{ "pydoc.locate", call_resolve_name },
	{ "pydoc.safeimport", call_import_module },
	{ "runpy.run_module", call_import_module },
	{ "sympy.external.import_module", call_import_module },
	{ "sympy.external.importtools.import_module", call_import_module },
	{ "sys.modules.__getitem__", call_modules_get },
	{ "sys.modules.get", call_modules_get },
	{ "sys.modules.pop", call_modules_get },
	{ "sys.modules.setdefault", call_modules_get },
	{ "typing.cast", call_second },
	{ "typing.final", call_first },
	{ "typing.no_type_check", call_first },
	{ "typing.overload", call_first },
	{ "unittest.mock.patch", call_patch },
	{ "xmlrpc.server.resolve_dotted_attribute", call_resolve_dotted },
};
const uint32_t sg_specials_reflect_n = sizeof(sg_specials_reflect) /
				       sizeof(*sg_specials_reflect);
