#include "executor/request.h"

#include <inttypes.h>

#include "base/buf.h"
#include "executor/limits.h"

enum { SPARE = 2 * 1024 * 1024 };

static void
add_text(struct sg_buf *b, struct sg_str s)
{
	char len[4];

	for (int i = 0; i < 4; i++)
		len[i] = (char)(s.n >> 8 * i & 0xff);
	sg_buf_add(b, len, sizeof(len));
	sg_buf_str(b, s);
}

/* NUL ends each part, so none may hold one. */
static bool
add_guard(struct sg_buf *b, struct sg_str s)
{
	if (s.n && memchr(s.p, '\0', s.n))
		return false;
	sg_buf_str(b, s);
	sg_buf_char(b, '\0');
	return true;
}

int
sg_request_guard(const struct sg_box_guard *v, uint32_t n, struct sg_buf *out,
		 struct sg_err *err)
{
	bool good = n <= SG_BOX_GUARD_MAX;

	for (uint32_t i = 0; good && i < n; i++)
		good = add_guard(out, v[i].event) &&
		       add_guard(out, v[i].name) &&
		       add_guard(out,
				 v[i].direct ? SG_STR("d") : SG_STR_NONE) &&
		       add_guard(out, v[i].message);
	if (!good || sg_buf_failed(out))
		return sg_err_set(err, SG_EUSAGE,
				  "the run-time guard is malformed or too "
				  "long");
	return SG_OK;
}

static int
encode_env(const struct sg_box_spec *spec, struct sg_buf *b, struct sg_err *err)
{
	for (const char *const *e = spec->env; e && *e; e++) {
		sg_buf_c(b, *e);
		sg_buf_char(b, '\0');
	}
	if (sg_buf_failed(b))
		return sg_err_set(err, SG_EUSAGE,
				  "the environment is longer than %d bytes",
				  SG_BOX_ENV_TEXT);
	return SG_OK;
}

int
sg_request_encode(const struct sg_box_spec *spec, struct sg_str filter,
		  struct sg_str known, struct sg_arena *arena,
		  struct sg_str *ret, struct sg_err *err)
{
	const struct sg_box_limits *l = &spec->limits;
	struct sg_str options, table;
	struct sg_buf b, guard, env;

	sg_buf_init(&guard, SG_BOX_GUARD_TEXT);
	sg_buf_init(&env, SG_BOX_ENV_TEXT);
	if ((!spec->guard_text.p &&
	     sg_request_guard(spec->guard, spec->nguard, &guard, err) < 0) ||
	    encode_env(spec, &env, err) < 0) {
		sg_buf_release(&guard);
		sg_buf_release(&env);
		return SG_EUSAGE;
	}
	options = sg_arena_printf(arena, "%u %u %" PRIu64, l->result, l->images,
				  l->image_bytes);
	sg_buf_init(&b, filter.n + spec->code.n + SPARE);
	add_text(&b, filter);
	add_text(&b, spec->code);
	add_text(&b, spec->script);
	add_text(&b, options);
	table = spec->guard_text.p ? spec->guard_text : sg_buf_view(&guard);
	add_text(&b, known.n && sg_str_eq(table, known) ? SG_STR("=") : table);
	add_text(&b, sg_buf_view(&env));
	sg_buf_release(&guard);
	sg_buf_release(&env);
	for (const char *const *a = spec->argv; a && *a; a++)
		add_text(&b, sg_str_c(*a));
	*ret = sg_buf_failed(&b) ? SG_STR_NONE
				 : sg_arena_dup(arena, sg_buf_view(&b));
	sg_buf_release(&b);
	if (!ret->p)
		return sg_err_set(err, SG_ENOMEM, "no memory for the request");
	return SG_OK;
}
