/* Characters by name, as each version of Python knows them. */

#include "analyzer/charname.h"
#include "unit/support.h"

enum { OLDEST = 9, NEWEST = 14 };

static void
is(uint32_t minor, const char *name, uint32_t want)
{
	uint32_t cp = 0;

	ck_assert_msg(sg_charname_find(sg_str_c(name), minor, &cp),
		      "3.%u does not know %s", minor, name);
	ck_assert_msg(cp == want, "%s is U+%04X", name, cp);
}

static void
is_none(uint32_t minor, const char *name)
{
	uint32_t cp = 0x5a;

	ck_assert_msg(!sg_charname_find(sg_str_c(name), minor, &cp),
		      "3.%u knows %s", minor, name);
	ck_assert_uint_eq(cp, 0x5a);
}

START_TEST(names_and_aliases_are_found)
{
	for (uint32_t minor = OLDEST; minor <= NEWEST; minor++) {
		is(minor, "LATIN SMALL LETTER A", 'a');
		is(minor, "SNOWMAN", 0x2603);
		is(minor, "NULL", 0);
		is(minor, "BELL", 0x1f514);
		is(minor, "ALERT", 7);
		is(minor, "LF", '\n');
		is(minor, "BYTE ORDER MARK", 0xfeff);
		is(minor, "VS17", 0xe0100);
		is(minor, "WEIERSTRASS ELLIPTIC FUNCTION", 0x2118);
		is(minor, "CJK COMPATIBILITY IDEOGRAPH-F900", 0xf900);
		is(minor, "TAG LATIN SMALL LETTER Z", 0xe007a);
	}
}
END_TEST

START_TEST(case_does_not_matter_and_all_else_does)
{
	is(OLDEST, "latin Small letter A", 'a');
	is_none(OLDEST, "");
	is_none(OLDEST, " SNOWMAN");
	is_none(OLDEST, "SNOWMAN ");
	is_none(OLDEST, "SNOW MAN");
	is_none(OLDEST, "LATIN  SMALL LETTER A");
	is_none(OLDEST, "LATIN_SMALL_LETTER_A");
	is_none(OLDEST, "LATIN SMALL LETTER");
	is_none(OLDEST, "U+0041");
	/* A sequence has a name, and is no character. */
	is_none(OLDEST, "KEYCAP DIGIT ZERO");
}
END_TEST

START_TEST(hangul_syllables_are_spelt)
{
	is(OLDEST, "HANGUL SYLLABLE GA", 0xac00);
	is(OLDEST, "HANGUL SYLLABLE GAG", 0xac01);
	is(OLDEST, "HANGUL SYLLABLE A", 0xc544);
	is(OLDEST, "HANGUL SYLLABLE GYAE", 0xac54);
	is(OLDEST, "HANGUL SYLLABLE SSANG", 0xc30d);
	is(OLDEST, "HANGUL SYLLABLE HIH", 0xd7a3);
	is_none(OLDEST, "HANGUL SYLLABLE ");
	is_none(OLDEST, "HANGUL SYLLABLE G");
	is_none(OLDEST, "HANGUL SYLLABLE GAX");
	is_none(OLDEST, "HANGUL SYLLABLE SSANGH");
	is_none(OLDEST, "HANGUL SYLLABLE ga");
	is_none(OLDEST, "Hangul Syllable GA");
}
END_TEST

START_TEST(ideographs_are_numbered)
{
	is(OLDEST, "CJK UNIFIED IDEOGRAPH-4E00", 0x4e00);
	is(OLDEST, "CJK UNIFIED IDEOGRAPH-04E00", 0x4e00);
	is(OLDEST, "CJK UNIFIED IDEOGRAPH-20000", 0x20000);
	is_none(OLDEST, "CJK UNIFIED IDEOGRAPH-4e00");
	is_none(OLDEST, "CJK UNIFIED IDEOGRAPH-4E0");
	is_none(OLDEST, "CJK UNIFIED IDEOGRAPH-004E00");
	is_none(OLDEST, "CJK UNIFIED IDEOGRAPH-0041");
	is_none(OLDEST, "cjk unified ideograph-4E00");
	is_none(12, "CJK UNIFIED IDEOGRAPH-2EBF0");
	is(13, "CJK UNIFIED IDEOGRAPH-2EBF0", 0x2ebf0);
}
END_TEST

START_TEST(each_version_knows_its_own)
{
	is_none(10, "MELTING FACE");
	is(11, "MELTING FACE", 0x1fae0);
	is_none(11, "SHAKING FACE");
	is(12, "SHAKING FACE", 0x1fae8);
	is_none(13, "OUTLINED LATIN CAPITAL LETTER A");
	is(14, "OUTLINED LATIN CAPITAL LETTER A", 0x1ccd6);
}
END_TEST

START_TEST(characters_have_an_age)
{
	ck_assert(sg_charname_in_version('a', OLDEST));
	ck_assert(sg_charname_in_version(0x2603, OLDEST));
	ck_assert(!sg_charname_in_version(0x1fae0, 10));
	ck_assert(sg_charname_in_version(0x1fae0, 11));
	ck_assert(!sg_charname_in_version(0x2ebf0, 12));
	ck_assert(sg_charname_in_version(0x2ebf0, 13));
	ck_assert(!sg_charname_in_version(0x1ccd6, 13));
	ck_assert(sg_charname_in_version(0x10ffff, OLDEST));
}
END_TEST

SG_TEST_MAIN("charname", names_and_aliases_are_found,
	     case_does_not_matter_and_all_else_does, hangul_syllables_are_spelt,
	     ideographs_are_numbered, each_version_knows_its_own,
	     characters_have_an_age)
