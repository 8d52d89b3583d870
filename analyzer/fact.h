#ifndef SG_ANALYZER_FACT_H
#define SG_ANALYZER_FACT_H

/*
 * Facts are all that rules see of a script.
 *
 * Names are canonical dotted names: where the thing lives, not how the
 * script spelt it.  `import numpy as np; np.load` is "numpy.load"; a builtin
 * is "builtins.eval"; `random._os.system` is "os.system" (re-exports are
 * followed); `posix.system` stays "posix.system".
 *
 * The result of calling D is named "D()": `subprocess.Popen(x).wait` is
 * "subprocess.Popen().wait".  Where D is known to be a class C (or to
 * return an instance of one), members of the result are named as members of
 * the class: `Path('a').read_text` is "pathlib.Path.read_text",
 * `pd.read_csv(f).to_csv` is "pandas.DataFrame.to_csv".  A member of something
 * unresolved is "?.name".
 */

#include "analyzer/ast.h"

enum sg_fact_kind {
	SG_FACT_NONE = 0,
	/* name: module, "os.path"; relative ones keep their dots.  Also for
	 * __import__("os") and importlib.import_module (flag DYNAMIC). */
	SG_FACT_IMPORT,
	/* name: dotted; the thing is mentioned, called or not.  Each step of
	 * a dotted path gives one. */
	SG_FACT_REF,
	/* name: dotted callee, or "?.attr" / "?" where it is unresolved;
	 * with args.  A decorator, and what runs implicitly and resolved
	 * (map(eval, x)), gives one as well (flag IMPLICIT). */
	SG_FACT_CALL,
	/* name: the attribute alone, on any base, however it was spelt
	 * (getattr, __dict__[...], attrgetter, match class patterns ...);
	 * flag UNRESOLVED when the base is not known. */
	SG_FACT_ATTR,
	/* name: what is bound: an identifier, or the dotted name of a
	 * foreign object that is written ("builtins.print",
	 * "sys.modules[]"). */
	SG_FACT_BIND,
	/* name: the folded value (bytes as they are). */
	SG_FACT_STRING,
	/* name: an attribute or item in a format template's field path. */
	SG_FACT_FORMAT,
	/* name: a special method that runs implicitly ("__getattr__"), or
	 * "@" followed by the decorator's dotted name or "?". */
	SG_FACT_HOOK,
	/* Something that could not be resolved; `detail` says what, name the
	 * dotted base where there is one ("os" for getattr(os, x)). */
	SG_FACT_DYNAMIC,
	/* name: "cookie", "bom", "bidi", "invisible", "suppression" ...; what
	 * stands in the text beside the program. */
	SG_FACT_SOURCE,
	SG_FACT_COUNT
};

enum sg_fact_flag {
	SG_FACT_UNRESOLVED = 1 << 0, /* ATTR, CALL: base not known */
	SG_FACT_IMPLICIT = 1 << 1,   /* CALL: not written as a call */
	SG_FACT_INDIRECT = 1 << 2,   /* reached through values rather than a
					plain dotted path */
	SG_FACT_FROM = 1 << 3,       /* IMPORT: from-import */
	SG_FACT_STAR = 1 << 4,       /* IMPORT: star */
	SG_FACT_STORE = 1 << 5,      /* REF, ATTR: written or deleted */
	SG_FACT_FOLDED = 1 << 6,     /* STRING: computed, not one literal */
	SG_FACT_DOCSTRING = 1 << 7,  /* STRING */
	SG_FACT_BYTES = 1 << 8,      /* STRING */
	SG_FACT_BY_NAME = 1 << 9,    /* IMPORT, ATTR: name given as a string at
					run time (__import__, getattr) */
	SG_FACT_BARE = 1 << 10,      /* REF: a module handed on as a value: what
					is done with it is out of sight */
	SG_FACT_LOCAL = 1 << 11      /* ATTR: base is surely a class, function
					or instance of the script's own */
};

enum sg_dynamic {
	SG_DYNAMIC_NONE = 0,
	SG_DYNAMIC_IMPORT,    /* module name not known */
	SG_DYNAMIC_ATTRIBUTE, /* attribute name not known */
	SG_DYNAMIC_ITEM,      /* item of a namespace (globals()[x]) */
	SG_DYNAMIC_CALLEE,    /* what is called is not known */
	SG_DYNAMIC_STAR,      /* star import of an unknown module */
	SG_DYNAMIC_FORMAT,    /* format template not known */
	SG_DYNAMIC_WIDENED,   /* a bound of the analysis was hit */
	SG_DYNAMIC_COUNT
};

/* One value that an argument may have. */
struct sg_arg_value {
	enum {
		SG_ARG_STR,   /* text: the string */
		SG_ARG_BYTES, /* text: the bytes */
		SG_ARG_CONST, /* text: "None", "True", "12", "1.5" */
		SG_ARG_NAME   /* text: dotted name of what it refers to */
	} kind;
	struct sg_str text;
};

/* The name of a text that the script makes of its own constants in a way that
 * is not worked out. */
#define SG_ARG_MADE "computed()"

struct sg_arg {
	struct sg_str keyword; /* n == 0: positional */
	uint32_t position;     /* 0-based among the positional ones */
	uint32_t node;         /* of the expression */
	bool literal;          /* written as a literal right there */
	bool starred;          /* *a or **m: what follows is not certain */
	bool unknown;          /* may also be something not listed */
	bool text;             /* may be a text or bytes */
	bool local;            /* surely something the script made */
	const struct sg_arg_value *values;
	uint32_t nvalues;
};

struct sg_fact {
	uint8_t kind;   /* enum sg_fact_kind */
	uint8_t detail; /* enum sg_dynamic for DYNAMIC */
	uint16_t flags; /* enum sg_fact_flag */
	uint32_t node;  /* AST node; 0 for SOURCE */
	struct sg_range range;
	struct sg_str name;
	const struct sg_arg *args; /* CALL; receiver not counted */
	uint32_t nargs;
	uint32_t origin; /* for sg_analysis_chain(); opaque */
};

/* "import", "ref" ...; static. */
const char *sg_fact_kind_name(enum sg_fact_kind kind);
const char *sg_dynamic_name(enum sg_dynamic what);

#endif
