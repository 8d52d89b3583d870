/* The checks that are sections of a policy, and what is said of scripts
 * that could not be judged. */

#include "policy/compiled.h"

static const struct sg_str cwe_829[] = { { "CWE-829", 7 } };
static const struct sg_str cwe_470[] = { { "CWE-470", 7 } };
static const struct sg_str cwe_272[] = { { "CWE-272", 7 } };
static const struct sg_str cwe_400[] = { { "CWE-400", 7 } };
static const struct sg_str cwe_436[] = { { "CWE-436", 7 } };
static const struct sg_str cwe_1333[] = { { "CWE-1333", 8 } };

/* GCC's SG_STR is a compound literal, no constant: spelt out here. */
#define TEXT(lit)                          \
	{                                  \
		"" lit "", sizeof(lit) - 1 \
	}

const struct sg_rule sg_builtin_rules[SG_BUILTIN_COUNT] = {
	[SG_BUILTIN_IMPORT_DENIED] = {
		.id = TEXT("import.denied"),
		.title = TEXT("module is denied"),
		.message = TEXT("module '{module}' is not allowed"),
		.hint = TEXT("solve the task without this module"),
		.cwe = { cwe_829, 1 },
		.severity = SG_SEVERITY_HIGH,
		.action = SG_ACTION_REJECT,
	},
	[SG_BUILTIN_IMPORT_UNLISTED] = {
		.id = TEXT("import.unlisted"),
		.title = TEXT("module is not on the list"),
		.message = TEXT("module '{module}' is not on the list of "
				"allowed modules"),
		.hint = TEXT("use the modules that the policy allows, such "
			     "as math, json, re or datetime"),
		.cwe = { cwe_829, 1 },
		.severity = SG_SEVERITY_HIGH,
		.action = SG_ACTION_REJECT,
	},
	[SG_BUILTIN_IMPORT_NAME] = {
		.id = TEXT("import.name"),
		.title = TEXT("name of an allowed module is denied"),
		.message = TEXT("'{name}' is not allowed, though other "
				"names of '{module}' are"),
		.hint = TEXT("use another function of the module"),
		.cwe = { cwe_829, 1 },
		.severity = SG_SEVERITY_HIGH,
		.action = SG_ACTION_REJECT,
	},
	[SG_BUILTIN_CAPABILITY] = {
		.id = TEXT("capability"),
		.title = TEXT("capability is not allowed"),
		.message = TEXT("'{name}' needs the capability "
				"{capability}, which is not allowed"),
		.hint = TEXT("solve the task without it"),
		.cwe = { cwe_272, 1 },
		.severity = SG_SEVERITY_HIGH,
		.action = SG_ACTION_REJECT,
	},
	[SG_BUILTIN_UNRESOLVED] = {
		.id = TEXT("unresolved"),
		.title = TEXT("what is used here is only known at run time"),
		.message = TEXT("the {value} here is only known at run time"),
		.hint = TEXT("write the name itself instead of computing "
			     "it"),
		.cwe = { cwe_470, 1 },
		.severity = SG_SEVERITY_MEDIUM,
		.action = SG_ACTION_REJECT,
	},
	[SG_BUILTIN_LIMIT_TIME] = {
		.id = TEXT("limit.time"),
		.title = TEXT("script could not be judged in time"),
		.message = TEXT("the rules could not all be asked within the "
				"time limit of the policy"),
		.hint = TEXT("simplify or split the script"),
		.cwe = { cwe_400, 1 },
		.severity = SG_SEVERITY_MEDIUM,
		.action = SG_ACTION_REJECT,
	},
	[SG_BUILTIN_LIMIT_REGEX] = {
		.id = TEXT("limit.regex"),
		.title = TEXT("a regex of the policy reached its limits"),
		.message = TEXT("rule {name} could not be decided: its regex "
				"reached the limits on this text"),
		.hint = TEXT("shorten the text, or simplify the regex of the "
			     "rule"),
		.cwe = { cwe_1333, 1 },
		.severity = SG_SEVERITY_MEDIUM,
		.action = SG_ACTION_REJECT,
	},
	[SG_BUILTIN_LIMIT_MATCH] = {
		.id = TEXT("limit.match"),
		.title = TEXT("the rules reached their limit of work"),
		.message = TEXT("rule {name} could not be decided: the "
				"script is too large for it"),
		.hint = TEXT("split the script into smaller ones"),
		.cwe = { cwe_400, 1 },
		.severity = SG_SEVERITY_MEDIUM,
		.action = SG_ACTION_REJECT,
	},
	[SG_BUILTIN_LIMIT_QUERY] = {
		.id = TEXT("limit.query"),
		.title = TEXT("a query of the policy reached its limits"),
		.message = TEXT("rule {name} could not be decided: its query "
				"reached the limits on this text"),
		.hint = TEXT("split the script, or simplify the query of the "
			     "rule"),
		.cwe = { cwe_400, 1 },
		.severity = SG_SEVERITY_MEDIUM,
		.action = SG_ACTION_REJECT,
	},
	[SG_BUILTIN_QUERY_UNREAD] = {
		.id = TEXT("query.unread"),
		.title = TEXT("the grammar of queries cannot read the script"),
		.message = TEXT("rule {name} could not be decided: the grammar "
				"that its query looks at cannot read this "
				"script"),
		.hint = TEXT("write the script in plainer Python, or the rule "
			     "without a query"),
		.cwe = { cwe_436, 1 },
		.severity = SG_SEVERITY_MEDIUM,
		.action = SG_ACTION_REJECT,
	},
};

static const struct sg_problem_text problem_texts[] = {
	{ "syntax.", "not valid Python",
	  "correct the syntax; the text must be valid Python 3", NULL,
	  SG_SEVERITY_MEDIUM },
	{ "source.encoding", "text is not UTF-8",
	  "save the script as UTF-8 and drop any other coding line", "CWE-838",
	  SG_SEVERITY_HIGH },
	{ "source.", "text that Python and people read differently",
	  "write the script as plain UTF-8 text", "CWE-451", SG_SEVERITY_HIGH },
	{ "limit.bytes", "script is too long",
	  "split the script, or read large data from a file", NULL,
	  SG_SEVERITY_MEDIUM },
	{ "limit.time", "script could not be judged in time",
	  "simplify or split the script", NULL, SG_SEVERITY_MEDIUM },
	{ "limit.", "script is beyond a limit",
	  "simplify or split the "
	  "script",
	  NULL, SG_SEVERITY_MEDIUM },
	{ "internal.", "script could not be judged",
	  "report this, with the script", NULL, SG_SEVERITY_HIGH },
	{ NULL, "script could not be judged", "simplify the script", NULL,
	  SG_SEVERITY_HIGH },
};

const struct sg_problem_text *
sg_problem_text_find(const char *code)
{
	const struct sg_problem_text *t;
	size_t n;

	for (t = problem_texts; t->code != NULL; t++) {
		n = strlen(t->code);
		if (strncmp(code, t->code, n) == 0 &&
		    (t->code[n - 1] == '.' || code[n] == '\0'))
			break;
	}
	return t;
}
