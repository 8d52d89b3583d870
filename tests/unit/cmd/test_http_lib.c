#include "cmd/http_lib.h"

#include "unit/support.h"

#include <dlfcn.h>

/* One is looked up by hand; none stands for two. */
START_TEST(every_function_is_the_one_of_its_name)
{
	struct sg_http_lib lib;
	struct sg_err err;
	void *members[sizeof(lib) / sizeof(void *)];
	void *handle = dlopen(SG_MHD_SONAME, RTLD_NOW | RTLD_LOCAL), *stop;

	sg_err_clear(&err);
	ck_assert_int_eq(sg_http_lib_load(&lib, &err), SG_OK);
	memcpy(members, &lib, sizeof(lib));
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		ck_assert_ptr_nonnull(members[i]);
		for (size_t k = 0; k < i; k++)
			ck_assert_ptr_ne(members[k], members[i]);
	}
	ck_assert_ptr_nonnull(handle);
	stop = dlsym(handle, "MHD_stop_daemon");
	ck_assert_mem_eq(&lib.stop_daemon, &stop, sizeof(stop));
	ck_assert_int_eq(dlclose(handle), 0);
}
END_TEST

SG_TEST_MAIN("http_lib", every_function_is_the_one_of_its_name)
