/*
 * Judges a script, and runs it if it passes, with libsandgate:
 *
 *	cc embed.c $(pkg-config --cflags --libs sandgate) -o embed
 *	./embed 'print(6 * 7)'
 */

#include <sandgate.h>

#include <stdio.h>
#include <string.h>

int
main(int argc, char **argv)
{
	struct sg_lib_options options = SG_LIB_OPTIONS_INIT;
	struct sg_lib_request request = SG_LIB_REQUEST_INIT;
	struct sg_lib_text result;
	struct sg_lib_error error;
	struct sg_lib *lib;
	int status;

	if (argc < 2) {
		fprintf(stderr, "usage: embed CODE [AUDIT-LOG]\n");
		return 2;
	}
	options.audit = argc > 2 ? argv[2] : NULL;
	if (sg_lib_open(&options, &lib, &error) != SG_LIB_OK) {
		fprintf(stderr, "embed: %s\n", error.message);
		return 2;
	}
	request.code = argv[1];
	request.code_size = strlen(argv[1]);
	request.name = "embedded.py";
	request.timeout_ms = 10000;
	status = sg_lib_run(lib, &request, &result, &error);
	if (status == SG_LIB_OK)
		printf("%s\n", result.data);
	else
		fprintf(stderr, "embed: %s\n", error.message);
	sg_lib_text_free(&result);
	sg_lib_free(lib);
	return status == SG_LIB_OK ? 0 : 2;
}
