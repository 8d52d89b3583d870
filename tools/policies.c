/*
 * Writes what sg_doc_read() makes of policies as files, one beside the other
 * in a folder and each by the name of its policy; the makefile builds them
 * in.
 *
 *	policies FOLDER FILE.yaml...
 */

#include <stdio.h>

#include "base/file.h"
#include "policy/docpack.h"
#include "policy/limits.h"

/* "FOLDER/default" of "rules/default.yaml". */
static void
name_of(const char *folder, const char *file, char *out, size_t room)
{
	const char *slash = strrchr(file, '/');
	const char *name = slash != NULL ? slash + 1 : file;
	const char *dot = strrchr(name, '.');
	size_t n = dot != NULL ? (size_t)(dot - name) : strlen(name);

	(void)snprintf(out, room, "%s/%.*s", folder, (int)n, name);
}

static int
write_one(const char *folder, const char *file, struct sg_err *err)
{
	struct sg_doc_node *root = NULL;
	struct sg_arena arena;
	struct sg_buf text, packed;
	char path[1024];
	int rc;

	sg_arena_init(&arena, SG_POLICY_ARENA);
	sg_buf_init(&text, SG_POLICY_BYTES);
	sg_buf_init(&packed, SG_POLICY_ARENA);
	name_of(folder, file, path, sizeof(path));
	rc = sg_file_read(file, &text, err);
	if (rc == SG_OK)
		rc = sg_doc_read(sg_buf_view(&text), file, &arena, &root, err);
	if (rc == SG_OK) {
		sg_doc_pack(root, sg_buf_view(&text), &packed);
		rc = sg_buf_failed(&packed)
			     ? sg_err_set(err, SG_ENOMEM, "out of memory")
			     : sg_file_replace(path, sg_buf_view(&packed), 0644,
					       err);
	}
	sg_buf_release(&packed);
	sg_buf_release(&text);
	sg_arena_release(&arena);
	return rc;
}

int
main(int argc, char **argv)
{
	char text[1024];
	struct sg_err err;

	sg_err_clear(&err);
	if (argc < 3)
		return 2;
	for (int i = 2; i < argc; i++)
		if (write_one(argv[1], argv[i], &err) < 0) {
			fprintf(stderr, "policies: %s\n",
				sg_err_format(&err, text, sizeof(text)));
			return 1;
		}
	return 0;
}
