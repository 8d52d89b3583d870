#include "cmd/http_guard.h"

#include "unit/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct sg_opt_list hosts = { { "box.example" }, 1 };
static struct sg_opt_list origins = { { "https://chat.example" }, 1 };
static struct sg_opt_list none;

static void
write_file(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(path, mode), 0);
}

/* The status of a guard whose file of tokens holds `text`. */
static int
guard_of(struct sg_guard *g, const char *text, mode_t mode, struct sg_err *err)
{
	char path[] = "/tmp/sandgate-test-XXXXXX";
	int fd = mkstemp(path), status;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(close(fd), 0);
	write_file(path, text, mode);
	sg_err_clear(err);
	status = sg_guard_init(g, path, &hosts, &origins, err);
	ck_assert_int_eq(unlink(path), 0);
	return status;
}

static void
refused(const char *text, mode_t mode, const char *why)
{
	struct sg_guard g;
	struct sg_err err;

	ck_assert_int_eq(guard_of(&g, text, mode, &err), SG_EUSAGE);
	ck_assert_msg(strstr(err.msg, why), "%s", err.msg);
	sg_guard_release(&g);
}

START_TEST(without_a_file_everybody_may)
{
	struct sg_guard g;
	struct sg_err err;

	sg_err_clear(&err);
	ck_assert_int_eq(sg_guard_init(&g, NULL, &none, &none, &err), SG_OK);
	ck_assert(sg_guard_token(&g, NULL, NULL));
	ck_assert(sg_guard_token(&g, "Bearer x", "y"));
	sg_guard_release(&g);
}
END_TEST

START_TEST(a_token_is_a_line)
{
	struct sg_guard g;
	struct sg_err err;

	ck_assert_int_eq(
		guard_of(&g,
			 "# 0123456789abcdef\n\n  0123456789abcdef\t\r\n"
			 "fedcba9876543210",
			 0640, &err),
		SG_OK);
	ck_assert_uint_eq(g.ntokens, 2);
	ck_assert(sg_guard_token(&g, "Bearer 0123456789abcdef", NULL));
	ck_assert(sg_guard_token(&g, "bEARER   fedcba9876543210", NULL));
	ck_assert(sg_guard_token(&g, NULL, "fedcba9876543210"));
	ck_assert(!sg_guard_token(&g, NULL, NULL));
	ck_assert(!sg_guard_token(&g, "", ""));
	ck_assert(!sg_guard_token(&g, "Bearer", NULL));
	ck_assert(!sg_guard_token(&g, "Bearer 0123456789abcde", NULL));
	ck_assert(!sg_guard_token(&g, "Bearer 0123456789abcdef0", NULL));
	ck_assert(!sg_guard_token(&g, "Bearer 0123456789abcdef ", NULL));
	ck_assert(!sg_guard_token(&g, "Bearer # 0123456789abcdef", NULL));
	ck_assert(!sg_guard_token(&g, "Digest 0123456789abcdef", NULL));
	/* The other field counts where the first is no token at all. */
	ck_assert(sg_guard_token(&g, "Digest x", "0123456789abcdef"));
	sg_guard_release(&g);
}
END_TEST

START_TEST(bad_files_are_refused)
{
	refused("", 0600, "no token in it");
	refused("# only this\n\n", 0600, "no token in it");
	refused("0123456789abcde\n", 0600, "16 to 512");
	refused("ok-ok-ok-ok-ok-ok\n0123 456789abcdef\n", 0600, "line 2");
	refused("0123456789abcdef\xc3\xbc\n", 0600, "visible ASCII");
	refused("0123456789abcdef\n", 0604, "everybody can read it");
	refused("0123456789abcdef\n", 0602, "everybody can read it");
}
END_TEST

START_TEST(limits_of_tokens)
{
	char text[(SG_GUARD_TOKENS + 1) * 20 + SG_GUARD_TOKEN_MAX + 8];
	struct sg_guard g;
	struct sg_err err;
	size_t n = 0;

	memset(text, 'a', SG_GUARD_TOKEN_MAX);
	text[SG_GUARD_TOKEN_MAX] = '\0';
	ck_assert_int_eq(guard_of(&g, text, 0600, &err), SG_OK);
	sg_guard_release(&g);
	text[SG_GUARD_TOKEN_MAX] = 'a';
	text[SG_GUARD_TOKEN_MAX + 1] = '\0';
	refused(text, 0600, "16 to 512");
	for (int i = 0; i < SG_GUARD_TOKENS; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%016d\n", i);
	ck_assert_int_eq(guard_of(&g, text, 0600, &err), SG_OK);
	ck_assert(sg_guard_token(&g, NULL, "0000000000000063"));
	sg_guard_release(&g);
	(void)snprintf(text + n, sizeof(text) - n, "%016d\n", SG_GUARD_TOKENS);
	refused(text, 0600, "more than 64");
}
END_TEST

START_TEST(a_reload_that_fails_leaves_the_tokens)
{
	char path[] = "/tmp/sandgate-test-XXXXXX";
	int fd = mkstemp(path);
	struct sg_guard g;
	struct sg_err err;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(close(fd), 0);
	write_file(path, "0123456789abcdef\n", 0600);
	sg_err_clear(&err);
	ck_assert_int_eq(sg_guard_init(&g, path, &none, &none, &err), SG_OK);
	write_file(path, "short\n", 0600);
	ck_assert_int_eq(sg_guard_reload(&g, &err), SG_EUSAGE);
	ck_assert_str_eq(err.file, path);
	ck_assert(sg_guard_token(&g, NULL, "0123456789abcdef"));
	ck_assert_int_eq(unlink(path), 0);
	sg_err_clear(&err);
	ck_assert_int_eq(sg_guard_reload(&g, &err), SG_EIO);
	ck_assert(sg_guard_token(&g, NULL, "0123456789abcdef"));
	write_file(path, "fedcba9876543210\n", 0600);
	ck_assert_int_eq(sg_guard_reload(&g, &err), SG_OK);
	ck_assert(!sg_guard_token(&g, NULL, "0123456789abcdef"));
	ck_assert(sg_guard_token(&g, NULL, "fedcba9876543210"));
	ck_assert_int_eq(unlink(path), 0);
	sg_guard_release(&g);
}
END_TEST

START_TEST(hosts_are_addresses_and_names_that_were_given)
{
	static const char *const good[] = {
		"localhost",     "LOCALHOST:8080", "127.0.0.1",
		"127.0.0.1:1",   "[::1]",          "[::1]:8080",
		"10.0.0.1:8080", "box.example",    "Box.Example:9",
	};
	static const char *const bad[] = {
		"",
		":",
		":8080",
		"localhost.",
		"evil.example",
		"box.example.evil.example",
		"xbox.example",
		"127.0.0.1.evil.example",
		"127.1",
		"0x7f.0.0.1",
		"::1",
		"[::1",
		"[::1]x",
		"[::1]:80x",
		"localhost:80:80",
		"localhost:8x",
		"user@localhost",
		"localhost/",
		"localhost ",
	};
	struct sg_guard g;
	struct sg_err err;

	sg_err_clear(&err);
	ck_assert_int_eq(sg_guard_init(&g, NULL, &hosts, &none, &err), SG_OK);
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		ck_assert_msg(sg_guard_host(&g, good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(!sg_guard_host(&g, bad[i]), "%s", bad[i]);
	sg_guard_release(&g);
}
END_TEST

static void
origin_is(const struct sg_guard *g, const char *origin, const char *host,
	  enum sg_guard_origin want)
{
	ck_assert_msg(sg_guard_origin(g, origin, host) == want, "%s at %s",
		      origin, host ? host : "(none)");
}

START_TEST(pages_are_ours_or_those_that_were_given)
{
	struct sg_guard g;
	struct sg_err err;

	sg_err_clear(&err);
	ck_assert_int_eq(sg_guard_init(&g, NULL, &none, &origins, &err), SG_OK);
	origin_is(&g, "https://chat.example", "localhost", SG_ORIGIN_LISTED);
	origin_is(&g, "HTTPS://Chat.Example", NULL, SG_ORIGIN_LISTED);
	origin_is(&g, "http://localhost:8080", "localhost:8080",
		  SG_ORIGIN_SAME);
	origin_is(&g, "http://localhost:8081", "localhost:8080", SG_ORIGIN_BAD);
	origin_is(&g, "http://localhost", NULL, SG_ORIGIN_BAD);
	origin_is(&g, "http://chat.example", "localhost", SG_ORIGIN_BAD);
	origin_is(&g, "https://chat.example.evil", "localhost", SG_ORIGIN_BAD);
	origin_is(&g, "null", "localhost", SG_ORIGIN_BAD);
	origin_is(&g, "", "localhost", SG_ORIGIN_BAD);
	sg_guard_release(&g);
}
END_TEST

SG_TEST_MAIN("http_guard", without_a_file_everybody_may, a_token_is_a_line,
	     bad_files_are_refused, limits_of_tokens,
	     a_reload_that_fails_leaves_the_tokens,
	     hosts_are_addresses_and_names_that_were_given,
	     pages_are_ours_or_those_that_were_given)
