#include "executor/filterset.h"

#include "base/embed.h"

extern const struct sg_embed sg_embed_filters[];

bool
sg_filter_builtin(const struct sg_filter_opts *opts, struct sg_str *ret)
{
	char key[SG_FILTER_KEY];

	if (opts->arch != SG_ARCH_NATIVE)
		return false;
	sg_filter_key(opts, key);
	for (const struct sg_embed *e = sg_embed_filters; e->name; e++)
		if (strcmp(e->name, key) == 0) {
			*ret = e->data;
			return true;
		}
	return false;
}

int
sg_filter_get(const struct sg_filter_opts *opts, struct sg_arena *arena,
	      struct sg_str *ret, struct sg_err *err)
{
	if (sg_filter_builtin(opts, ret))
		return SG_OK;
	return sg_filter_build(opts, arena, ret, err);
}
