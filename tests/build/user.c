/* A program of somebody who installed the library: judges two scripts. */

#include <sandgate.h>
#include <stdio.h>
#include <string.h>

static int
decision_is(struct sg_lib *lib, const char *code, const char *want)
{
	struct sg_lib_request request = SG_LIB_REQUEST_INIT;
	struct sg_lib_text result = { NULL, 0 };
	struct sg_lib_error error;
	int same;

	request.code = code;
	request.code_size = strlen(code);
	if (sg_lib_check(lib, &request, &result, &error) != SG_LIB_OK) {
		(void)fprintf(stderr, "check: %s\n", error.message);
		return 0;
	}
	same = strstr(result.data, want) != NULL;
	if (!same)
		(void)fprintf(stderr, "no %s in %s\n", want, result.data);
	sg_lib_text_free(&result);
	return same;
}

int
main(void)
{
	struct sg_lib *lib;
	struct sg_lib_error error;
	int good;

	if (sg_lib_open(NULL, &lib, &error) != SG_LIB_OK) {
		(void)fprintf(stderr, "open: %s\n", error.message);
		return 1;
	}
	good = decision_is(lib, "print(1)\n", "\"decision\":\"pass\"") &&
	       decision_is(lib, "import os\nos.system('ls')\n",
			   "\"decision\":\"reject\"");
	sg_lib_free(lib);
	(void)printf("sandgate %s\n", sg_lib_version());
	return good ? 0 : 1;
}
