#include "base/digest.h"

#include "unit/support.h"

START_TEST(digests_are_those_of_the_standard)
{
	struct sg_digest d;
	char hex[SG_DIGEST_HEX];

	d = sg_digest_of(SG_STR("abc"));
	sg_digest_hex(&d, hex);
	ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223"
			      "b00361a396177a9cb410ff61f20015ad");
	d = sg_digest_of(SG_STR_NONE);
	sg_digest_hex(&d, hex);
	ck_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb924"
			      "27ae41e4649b934ca495991b7852b855");
}
END_TEST

START_TEST(text_goes_there_and_back)
{
	struct sg_digest d = sg_digest_of(SG_STR("x")), e;
	char hex[SG_DIGEST_HEX];

	sg_digest_hex(&d, hex);
	ck_assert(sg_digest_parse(sg_str_c(hex), &e));
	ck_assert_mem_eq(&d, &e, sizeof(d));
	hex[3] = 'A';
	hex[4] = 'F';
	ck_assert(sg_digest_parse(sg_str_c(hex), &e));
	ck_assert_uint_eq(e.b[1] & 15, 10);
	ck_assert_uint_eq(e.b[2] >> 4, 15);
}
END_TEST

START_TEST(text_that_is_no_digest_is_refused)
{
	struct sg_digest d = sg_digest_of(SG_STR("x")), e = d;
	char hex[SG_DIGEST_HEX + 1];

	sg_digest_hex(&d, hex);
	ck_assert(!sg_digest_parse((struct sg_str){ hex, 63 }, &e));
	hex[64] = '0';
	ck_assert(!sg_digest_parse((struct sg_str){ hex, 65 }, &e));
	for (const char *bad = "g/:@`G \n"; *bad; bad++) {
		hex[63] = *bad;
		ck_assert(!sg_digest_parse((struct sg_str){ hex, 64 }, &e));
	}
	/* What was there stays. */
	ck_assert_mem_eq(&d, &e, sizeof(d));
}
END_TEST

START_TEST(digests_are_the_same_or_not)
{
	struct sg_digest d = sg_digest_of(SG_STR("x")), e = d;

	ck_assert(sg_digest_same(&d, &e));
	e.b[SG_DIGEST_BYTES - 1] ^= 1;
	ck_assert(!sg_digest_same(&d, &e));
}
END_TEST

START_TEST(random_bytes_differ)
{
	char a[32] = { 0 }, b[32] = { 0 };

	sg_random_bytes(a, sizeof(a));
	sg_random_bytes(b, sizeof(b));
	ck_assert_mem_ne(a, b, sizeof(a));
}
END_TEST

SG_TEST_MAIN("digest", digests_are_those_of_the_standard,
	     text_goes_there_and_back, text_that_is_no_digest_is_refused,
	     digests_are_the_same_or_not, random_bytes_differ)
