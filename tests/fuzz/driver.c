/*
 * Feeds files to a fuzz target without libFuzzer, so that what was once
 * found stays found: any compiler, any sanitizer, part of `make check`.
 *
 *	driver FOLDER|FILE...
 *
 * A target that misbehaves ends the program, which then does not print its
 * last line.
 */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "fuzz/target.h"

enum { INPUT_MAX = 4 << 20 };

static int
run_file(const char *path)
{
	struct sg_buf input;
	struct sg_err err;
	char text[1024];
	uint8_t *copy;
	int status;

	sg_err_clear(&err);
	sg_buf_init(&input, INPUT_MAX);
	status = sg_file_read(path, &input, &err);
	if (status != SG_OK) {
		(void)fprintf(stderr, "%s\n",
			      sg_err_format(&err, text, sizeof(text)));
		sg_buf_release(&input);
		return 1;
	}
	/* Of its exact size, so that a read beyond it is seen. */
	copy = malloc(input.len ? input.len : 1);
	if (copy) {
		if (input.len)
			memcpy(copy, input.data, input.len);
		(void)LLVMFuzzerTestOneInput(copy, input.len);
		free(copy);
	}
	sg_buf_release(&input);
	return copy ? 0 : 1;
}

static int
not_hidden(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int
run_folder(const char *path, int *count)
{
	struct dirent **names;
	char file[4096];
	int bad = 0, n = scandir(path, &names, not_hidden, alphasort);

	if (n < 0) {
		*count = 1;
		return run_file(path);
	}
	*count = n;
	for (int i = 0; i < n; i++) {
		(void)snprintf(file, sizeof(file), "%s/%s", path,
			       names[i]->d_name);
		bad += run_file(file);
		free(names[i]);
	}
	free(names);
	return bad;
}

int
main(int argc, char **argv)
{
	int total = 0, bad = 0;

	for (int i = 1; i < argc; i++) {
		int count;

		bad += run_folder(argv[i], &count);
		total += count;
	}
	(void)printf("%d passed, %d failed\n", total - bad, bad);
	return bad || total == 0;
}
