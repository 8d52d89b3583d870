/*
 * Writes the system call filters of this machine's architecture as files,
 * one for each set of options, into a folder; the makefile builds them in.
 *
 *	filters FOLDER
 */

#include <stdio.h>

#include "base/embed.h"
#include "base/file.h"
#include "executor/sysfilter.h"

static int
write_one(const char *folder, const struct sg_filter_opts *o,
	  struct sg_err *err)
{
	char key[SG_FILTER_KEY], path[1024];
	struct sg_arena arena;
	struct sg_str program;
	int rc;

	sg_arena_init(&arena, 1 << 20);
	sg_filter_key(o, key);
	(void)snprintf(path, sizeof(path), "%s/%s", folder, key);
	rc = sg_filter_build(o, &arena, &program, err);
	if (rc == SG_OK)
		rc = sg_file_replace(path, program, 0644, err);
	sg_arena_release(&arena);
	return rc;
}

int
main(int argc, char **argv)
{
	struct sg_err err;

	sg_err_clear(&err);
	if (argc != 2)
		return 2;
	for (unsigned bits = 0; bits < 24; bits++) {
		const struct sg_filter_opts o = {
			(enum sg_filter_stage)(bits / 8), SG_ARCH_NATIVE,
			bits & 1, bits & 2, bits & 4
		};

		if (write_one(argv[1], &o, &err) < 0) {
			fprintf(stderr, "filters: %s\n", err.msg);
			return 1;
		}
	}
	return 0;
}
