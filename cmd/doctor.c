#include "cmd/cmd.h"
#include "cmd/job.h"

#include "base/json.h"
#include "executor/layer.h"
#include "pipeline/render.h"

#include <stdio.h>
#include <stdlib.h>

struct doctor {
	const char *require, *python, *policy, *audit;
	bool json;
};

#define AT(field) offsetof(struct doctor, field)
static const struct sg_opt options[] = {
	{ SG_OPT_FLAG, 0, "json", NULL, "print the findings as JSON",
	  AT(json) },
	{ SG_OPT_TEXT, 0, "require", "LEVEL",
	  "strict, standard (default) or any: what must hold", AT(require) },
	{ SG_OPT_TEXT, 0, "python", "PATH",
	  "interpreter (default: python3 that is found)", AT(python) },
	{ SG_OPT_TEXT, 'p', "policy", "NAME|FILE",
	  "default, strict, audit, or a YAML file", AT(policy) },
	{ SG_OPT_TEXT, 0, "audit", "FILE",
	  "audit log (default: SANDGATE_AUDIT, or the user's own log)",
	  AT(audit) },
	SG_OPT_ALL,
	{ 0 },
};

enum { FIELD = 512 };

/* One line of the report. */
struct item {
	const char *name;
	bool good;
	char detail[FIELD], advice[FIELD];
};

enum { ITEM_POLICY = 0, ITEM_PYTHON, ITEM_AUDIT, ITEMS };

struct report {
	struct sg_arena arena;
	const struct sg_layer *layers;
	uint32_t nlayers;
	bool meets, failed; /* failed: could not be found out */
	enum sg_box_require require;
	struct item items[ITEMS];
};

static void
copy(char out[FIELD], const char *text)
{
	size_t n = strnlen(text, FIELD - 1);

	memcpy(out, text, n);
	out[n] = '\0';
}

static void
look_at_policy(const struct doctor *f, struct item *item)
{
	struct sg_policy *p = NULL;
	struct sg_err err;
	struct sg_str name;

	sg_err_clear(&err);
	item->name = "policy";
	if (sg_policy_open(f->policy ? f->policy : "default", &p, &err) < 0) {
		(void)sg_err_format(&err, item->detail, FIELD);
		copy(item->advice, "see 'sandgate policy lint'");
		return;
	}
	item->good = true;
	name = sg_policy_name(p);
	(void)snprintf(item->detail, FIELD, "%.*s, %u rules",
		       name.n < 256 ? (int)name.n : 256, name.p,
		       sg_policy_rule_count(p));
	sg_policy_free(p);
}

static void
look_at_python(const struct doctor *f, struct report *r, struct item *item)
{
	struct sg_str path, version;
	struct sg_err err;
	uint32_t minor;

	sg_err_clear(&err);
	item->name = "interpreter";
	if (sg_box_python(f->python, &r->arena, &path, &version, &minor, &err) <
	    0) {
		(void)sg_err_format(&err, item->detail, FIELD);
		copy(item->advice, "install python3, or name one with "
				   "'--python PATH'");
		return;
	}
	item->good = minor >= 9 && minor <= 14;
	(void)snprintf(item->detail, FIELD, "%.*s, version %.*s",
		       path.n < 256 ? (int)path.n : 256, path.p,
		       version.n < 64 ? (int)version.n : 64, version.p);
	if (!item->good)
		copy(item->advice, "Python 3.9 to 3.14 is supported");
}

static void
look_at_audit(const struct doctor *f, struct item *item)
{
	const char *named = getenv("SANDGATE_AUDIT");
	struct sg_audit_opts opts = { .path = f->audit };
	struct sg_audit *a = NULL;
	struct sg_err err;

	sg_err_clear(&err);
	item->name = "audit log";
	if (!opts.path && named && named[0])
		opts.path = named;
	if (sg_audit_open(&opts, &a, &err) < 0) {
		(void)sg_err_format(&err, item->detail, FIELD);
		copy(item->advice, "name one with '--audit FILE' or "
				   "SANDGATE_AUDIT; nothing runs without it");
		return;
	}
	item->good = true;
	copy(item->detail, sg_audit_path(a));
	sg_audit_free(a);
}

static void
probe(const struct doctor *f, struct report *r)
{
	struct sg_err err;

	sg_err_clear(&err);
	look_at_policy(f, &r->items[ITEM_POLICY]);
	look_at_python(f, r, &r->items[ITEM_PYTHON]);
	look_at_audit(f, &r->items[ITEM_AUDIT]);
	if (sg_box_probe(r->require, &r->arena, &r->layers, &r->nlayers,
			 &r->meets, &err) < 0) {
		sg_say_err(&err);
		r->failed = true;
	}
}

static const char *
state_name(enum sg_layer_state state)
{
	static const char *const names[] = {
		[SG_LAYER_OFF] = "off",
		[SG_LAYER_ACTIVE] = "active",
		[SG_LAYER_UNAVAILABLE] = "unavailable",
	};

	return names[state];
}

static const char *
level_name(enum sg_box_require require)
{
	static const char *const names[] = {
		[SG_REQUIRE_STRICT] = "strict",
		[SG_REQUIRE_STANDARD] = "standard",
		[SG_REQUIRE_ANY] = "any",
	};

	return names[require];
}

static bool
all_good(const struct report *r)
{
	bool good = r->meets && !r->failed;

	for (int i = 0; i < ITEMS; i++)
		good = good && r->items[i].good;
	return good;
}

/* The name of the highest level that the layers allow; NULL: none. */
static const char *
highest(const struct report *r)
{
	static const enum sg_box_require levels[] = { SG_REQUIRE_STRICT,
						      SG_REQUIRE_STANDARD,
						      SG_REQUIRE_ANY };

	for (size_t i = 0; r->nlayers && i < 3; i++) {
		unsigned must = sg_layer_required(levels[i]);

		for (uint32_t k = 0; k < r->nlayers; k++)
			if (r->layers[k].state == SG_LAYER_ACTIVE)
				must &= ~SG_L_BIT(k);
		if (!must)
			return level_name(levels[i]);
	}
	return NULL;
}

/* What is missing only because another layer is has no advice of its own. */
static struct sg_str
own_advice(const struct sg_layer *l)
{
	return l->state == SG_LAYER_UNAVAILABLE &&
			       !sg_str_starts(l->detail, SG_STR("not without"))
		       ? l->advice
		       : SG_STR_NONE;
}

static void
line(struct sg_buf *b, const char *name, const char *state,
     struct sg_str detail, struct sg_str advice)
{
	sg_buf_printf(b, "%-20s %-12s ", name, state);
	sg_render_safe(detail, b);
	sg_buf_char(b, '\n');
	if (!advice.n)
		return;
	sg_buf_printf(b, "%-20s %-12s -> ", "", "");
	sg_render_safe(advice, b);
	sg_buf_char(b, '\n');
}

static void
put_text(const struct report *r, struct sg_buf *b)
{
	for (int i = 0; i < ITEMS; i++) {
		const struct item *item = &r->items[i];

		line(b, item->name, item->good ? "good" : "MISSING",
		     sg_str_c(item->detail), sg_str_c(item->advice));
	}
	for (uint32_t i = 0; i < r->nlayers; i++) {
		const struct sg_layer *l = &r->layers[i];
		bool bad = l->state == SG_LAYER_UNAVAILABLE && l->required;

		line(b, l->name, bad ? "MISSING" : state_name(l->state),
		     l->detail, own_advice(l));
	}
	sg_buf_printf(b, "\n%s level '%s'",
		      all_good(r) ? "This host meets"
				  : "This host does not meet",
		      level_name(r->require));
	if (!r->meets && !r->failed) {
		sg_buf_c(b, "; its layers meet ");
		sg_buf_c(b, highest(r) ? highest(r) : "none");
	}
	sg_buf_char(b, '\n');
}

static void
put_json(const struct report *r, struct sg_buf *b)
{
	struct sg_json j;

	sg_json_init(&j, b);
	sg_json_object(&j);
	sg_json_kbool(&j, "meets", all_good(r));
	sg_json_kc(&j, "require", level_name(r->require));
	sg_json_kc(&j, "level", highest(r));
	for (int i = 0; i < ITEMS; i++) {
		static const char *const keys[] = { "policy", "interpreter",
						    "audit_log" };

		sg_json_key(&j, keys[i]);
		sg_json_object(&j);
		sg_json_kbool(&j, "good", r->items[i].good);
		sg_json_kc(&j, "detail", r->items[i].detail);
		sg_json_kc(&j, "advice",
			   r->items[i].advice[0] ? r->items[i].advice : NULL);
		sg_json_end(&j);
	}
	sg_json_key(&j, "layers");
	sg_json_array(&j);
	for (uint32_t i = 0; i < r->nlayers; i++) {
		const struct sg_layer *l = &r->layers[i];

		sg_json_object(&j);
		sg_json_kc(&j, "name", l->name);
		sg_json_kc(&j, "state", state_name(l->state));
		sg_json_kbool(&j, "required", l->required);
		sg_json_kstr(&j, "detail", l->detail);
		sg_json_kstr(&j, "advice", l->advice);
		sg_json_end(&j);
	}
	sg_json_end(&j);
	sg_json_end(&j);
	sg_buf_char(b, '\n');
}

static bool
good_usage(const struct sg_args *args, const struct doctor *f, struct report *r)
{
	struct sg_err err;

	sg_err_clear(&err);
	if (args->n) {
		sg_say("doctor: '%s' is one argument too many", args->v[0]);
		return false;
	}
	r->require = SG_REQUIRE_STANDARD;
	if (sg_run_require(f->require, &r->require, &err) == SG_OK)
		return true;
	sg_say_err(&err);
	return false;
}

static int
run_doctor(const struct sg_args *args, void *fields)
{
	const struct doctor *f = fields;
	struct report r = { .meets = false };
	struct sg_buf b;
	int status;

	if (!good_usage(args, f, &r))
		return SG_EXIT_ERROR;
	sg_arena_init(&r.arena, 4 << 20);
	sg_buf_init(&b, SG_TERM_MAX);
	probe(f, &r);
	if (f->json)
		put_json(&r, &b);
	else
		put_text(&r, &b);
	status = r.failed       ? SG_EXIT_ERROR
		 : all_good(&r) ? SG_EXIT_OK
				: SG_EXIT_REJECT;
	status = sg_term_put(&b, status, SG_EXIT_ERROR);
	sg_buf_release(&b);
	sg_arena_release(&r.arena);
	return status;
}

const struct sg_cmd sg_cmd_doctor = {
	.name = "doctor",
	.synopsis = "",
	.summary = "says what this host can enforce, layer by layer",
	.text = "Exit status: 0 all that is required holds, 1 something is "
		"missing, 2 an error.\n",
	.opts = options,
	.fields = sizeof(struct doctor),
	.failed = SG_EXIT_ERROR,
	.run = run_doctor,
};
