#include <pthread.h>
#include <stdio.h>

#include "base/clock.h"
#include "policy/limits.h"
#include "policy/regex.h"
#include "unit/support.h"

static struct sg_regex *
compiled(const char *pattern)
{
	struct sg_regex *re = NULL;
	struct sg_err err;
	size_t offset;

	ck_good(sg_regex_new(sg_str_c(pattern), &re, &offset, &err), &err);
	return re;
}

static enum sg_regex_answer
find(struct sg_regex *re, struct sg_str text, size_t *start, size_t *end)
{
	struct sg_regex_run *run = NULL;
	enum sg_regex_answer answer;
	struct sg_err err;

	ck_good(sg_regex_run_new(&run, &err), &err);
	answer = sg_regex_find(re, run, text, 0, start, end);
	sg_regex_run_free(run);
	return answer;
}

START_TEST(a_match_has_a_place)
{
	struct sg_regex *re = compiled("b+");
	size_t start = 0, end = 0;

	ck_assert_int_eq(find(re, SG_STR("aabbbc"), &start, &end),
			 SG_REGEX_YES);
	ck_assert_uint_eq(start, 2);
	ck_assert_uint_eq(end, 5);
	ck_assert_int_eq(find(re, SG_STR("aac"), &start, &end), SG_REGEX_NO);
	ck_assert_int_eq(find(re, SG_STR_NONE, &start, &end), SG_REGEX_NO);
	sg_regex_free(re);
}
END_TEST

START_TEST(a_bad_pattern_says_where)
{
	struct sg_regex *re = NULL;
	struct sg_err err;
	size_t offset = 0;

	ck_assert_int_eq(sg_regex_new(SG_STR("ab(c"), &re, &offset, &err),
			 SG_EPOLICY);
	ck_assert_uint_eq(offset, 4);
	ck_assert_str_eq(err.code, "policy.regex");
	ck_assert_ptr_null(re);
}
END_TEST

START_TEST(text_that_is_not_utf8_is_searched_all_the_same)
{
	struct sg_regex *re = compiled("sec.et");
	size_t start, end;

	ck_assert_int_eq(find(re, SG_STR("\xff\xfe secret \xc3"), &start, &end),
			 SG_REGEX_YES);
	sg_regex_free(re);
}
END_TEST

START_TEST(what_matches_nothing_is_known)
{
	struct sg_regex *re = compiled("a*");

	ck_assert(sg_regex_matches_empty(re));
	sg_regex_free(re);
	re = compiled("a+");
	ck_assert(!sg_regex_matches_empty(re));
	sg_regex_free(re);
}
END_TEST

/* Patterns that need exponential or high polynomial time without limits. */
static const char *const explosive[] = {
	"(a+)+$",
	"(a|a)*$",
	"(a|aa)+$",
	"(.*a){20}$",
	"(a*)*b",
	"((a?){30}){30}b",
	"(?:a+){10,}b",
	"^(([a-z])+.)+[A-Z]([a-z])+$",
	"(x+x+)+y",
	"(?=(a+))*\\1b",
	"(?:(?:a|b)*?c)*?d",
	"^(?:a?){64}a{64}b",
	"(.+)*\\1x",
	"((a*)*)*z",
};

static struct sg_str
explosive_text(struct sg_buf *b, size_t n)
{
	size_t i;

	sg_buf_reset(b);
	for (i = 0; i < n; i++)
		sg_buf_char(b, 'a');
	sg_buf_char(b, '!');
	return sg_buf_view(b);
}

START_TEST(no_regex_hangs)
{
	uint64_t began = sg_clock_mono(), took;
	size_t i, start, end, sizes[] = { 40, 2000, 100000 }, s;
	struct sg_buf b;

	sg_buf_init(&b, 1 << 20);
	for (i = 0; i < sizeof(explosive) / sizeof(explosive[0]); i++) {
		struct sg_regex *re = compiled(explosive[i]);

		for (s = 0; s < 3; s++) {
			struct sg_str text = explosive_text(&b, sizes[s]);

			ck_assert_msg(find(re, text, &start, &end) !=
					      SG_REGEX_YES,
				      "%s", explosive[i]);
		}
		sg_regex_free(re);
	}
	took = (sg_clock_mono() - began) / 1000000;
	ck_assert_uint_lt(took, 20000);
	sg_buf_release(&b);
}
END_TEST

START_TEST(a_limit_is_not_a_no)
{
	struct sg_regex *re = compiled("^(a+)+$");
	size_t start, end;
	struct sg_buf b;

	sg_buf_init(&b, 1 << 20);
	ck_assert_int_eq(find(re, explosive_text(&b, 4000), &start, &end),
			 SG_REGEX_LIMIT);
	sg_regex_no_jit(re);
	ck_assert_int_eq(find(re, explosive_text(&b, 4000), &start, &end),
			 SG_REGEX_LIMIT);
	sg_regex_free(re);
	sg_buf_release(&b);
}
END_TEST

START_TEST(one_budget_of_time_serves_all_regexes)
{
	struct sg_regex *re = compiled("^(a+)+$");
	struct sg_regex_run *run = NULL;
	uint64_t began, took;
	struct sg_err err;
	struct sg_buf b;
	struct sg_str text;
	size_t start, end;
	int i;

	sg_buf_init(&b, 1 << 20);
	ck_good(sg_regex_run_new(&run, &err), &err);
	text = explosive_text(&b, 4000);
	began = sg_clock_mono();
	for (i = 0; i < 1000; i++)
		ck_assert_int_eq(sg_regex_find(re, run, text, 0, &start, &end),
				 SG_REGEX_LIMIT);
	took = (sg_clock_mono() - began) / 1000000;
	ck_assert_uint_lt(took, 20 * SG_REGEX_TIME_MS);
	sg_regex_run_reset(run);
	ck_assert_int_eq(sg_regex_find(re, run, SG_STR("aaa"), 0, &start, &end),
			 SG_REGEX_YES);
	sg_regex_run_free(run);
	sg_regex_free(re);
	sg_buf_release(&b);
}
END_TEST

static const char *const patterns[] = {
	"a",         "^a",          "a$",      "a|b",     "(a)(b)?",
	"[ab]+c",    "\\bfoo\\b",   "(?i)FOO", "a{2,3}",  "(?=a)b",
	"(?<!x)foo", "\\w+\\.\\w+", "^/etc/",  "(a|b)*c", "(?m)^x",
	"\\p{Lu}",   "[^a]b",       "a.c",     "(?s)a.c", "(\\w)\\1",
};
static const char *const texts[] = {
	"",          "a",       "b",           "aa",   "ab",
	"abc",       "aac",     "foo",         "xfoo", "a foo b",
	"FOO",       "os.path", "/etc/passwd", "bbbc", "y\nx",
	"\xc3\x84x", "a\nc",    "bookkeeper",  "aaaa",
};

START_TEST(jit_and_interpreter_agree)
{
	size_t i, k, s1 = 0, e1 = 0, s2 = 0, e2 = 0;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		struct sg_regex *jit = compiled(patterns[i]);
		struct sg_regex *plain = compiled(patterns[i]);

		sg_regex_no_jit(plain);
		for (k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
			struct sg_str t = sg_str_c(texts[k]);
			enum sg_regex_answer a = find(jit, t, &s1, &e1);

			ck_assert_int_eq(a, find(plain, t, &s2, &e2));
			if (a != SG_REGEX_YES)
				continue;
			ck_assert_uint_eq(s1, s2);
			ck_assert_uint_eq(e1, e2);
		}
		sg_regex_free(jit);
		sg_regex_free(plain);
	}
}
END_TEST

/* What is seen before PCRE2 is asked must be what it would say. */
static void *
find_in_thread(void *re)
{
	size_t start = 0, end = 0;

	/* Texts on which the first call and later ones would differ if the
	 * code were used before it is whole. */
	for (uint32_t i = 0; i < 100; i++)
		if (find(re, SG_STR("aaa secret-42 bbb"), &start, &end) !=
			    SG_REGEX_YES ||
		    start != 4 || end != 13)
			return re;
	return NULL;
}

START_TEST(threads_may_use_a_new_regex_at_once)
{
	for (uint32_t round = 0; round < 50; round++) {
		struct sg_regex *re = compiled("(sec|pub)[a-z]+-\\d+");
		pthread_t threads[8];
		void *bad;

		for (size_t i = 0; i < 8; i++)
			ck_assert_int_eq(pthread_create(&threads[i], NULL,
							find_in_thread, re),
					 0);
		for (size_t i = 0; i < 8; i++) {
			ck_assert_int_eq(pthread_join(threads[i], &bad), 0);
			ck_assert_ptr_null(bad);
		}
		sg_regex_free(re);
	}
}
END_TEST

/* What was found when sandgate was built is what is found now. */
START_TEST(known_patterns_are_known_rightly)
{
	const struct sg_regex_known *k = sg_regex_known;
	char version[SG_REGEX_VERSION];

	sg_regex_version(version);
	ck_assert_str_eq(sg_regex_known_by, version);
	for (; k->pattern != NULL; k++) {
		struct sg_str pattern = { k->pattern, k->length };
		struct sg_regex_traits t;
		struct sg_err err;
		size_t offset;

		sg_err_clear(&err);
		ck_good(sg_regex_study(pattern, &t, &offset, &err), &err);
		ck_assert_mem_eq(t.starts, k->traits.starts, sizeof(t.starts));
		ck_assert(t.has_starts == k->traits.has_starts);
		ck_assert(t.has_need == k->traits.has_need);
		ck_assert_int_eq(t.need, k->traits.need);
		ck_assert_int_eq(t.need_too, k->traits.need_too);
		ck_assert(t.empty == k->traits.empty);
		ck_assert_uint_eq(t.min_length, k->traits.min_length);
	}
	ck_assert_int_gt(k - sg_regex_known, 10);
}
END_TEST

/* The first that is known, and a text that may match as far as is known. */
START_TEST(known_patterns_are_compiled_when_they_run)
{
	const struct sg_regex_known *k = sg_regex_known;
	struct sg_regex *re = compiled(k->pattern), *other = compiled("a[b]c");
	char text[4096];
	size_t start, end;

	ck_assert(!sg_regex_is_compiled(re));
	ck_assert(sg_regex_is_compiled(other));
	if (k->traits.min_length > 0) {
		ck_assert_int_eq(find(re, SG_STR(""), &start, &end),
				 SG_REGEX_NO);
		ck_assert(!sg_regex_is_compiled(re));
	}
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i % 96 + ' ');
	for (int byte = ' '; byte < 127; byte++) {
		text[0] = (char)byte;
		ck_assert_int_ne(find(re, (struct sg_str){ text, sizeof(text) },
				      &start, &end),
				 SG_REGEX_LIMIT);
	}
	ck_assert(sg_regex_is_compiled(re));
	sg_regex_free(re);
	sg_regex_free(other);
}
END_TEST

START_TEST(short_cuts_change_no_answer)
{
	static const char *const looked_for[] = {
		"^ab",
		"^(?i)s",
		"^(?i)ka",
		"^s1",

		"^(?i)ab",
		"^(a|b)c",
		"^\\s*x",
		"abc",
		"(?i)abc",
		"(?i)ask",
		"(?i)\xc5\xbf",
		"a.*z$",
		"^/etc/(?!x)\\w",
		"x(?=y)",
		"(?<=a)b",
		"(?s).*x",
		"\\Ga",
		"\\Aa",
		"^\xc3\xa9",
		"[\xc3\xa9z]1",
		"^[^a]",
		"a{2,}b?c",
		"(?m)^b",
		"^(?:\\S*/)?\\.rc$",
		"(?i)k$",
		"\xe2\x84\xaa",
		"^$|^a",
		"(a)?b\\1",
		"^(?(?=a)ab|cd)",
		"a|b|cd",
		"^.",
	};
	static const char *const looked_at[] = {
		"",
		"a",
		"ab",
		"AB",
		"xab",
		"aBc",
		"b\nb",
		" x",
		"/etc/x",
		"/etc/y",
		"ask",
		"a\xc5\xbf"
		"k",
		"\xe2\x84\xaa",
		"K",
		"S",
		"\xc3\xa9",
		"\xc3\xa9"
		"1",
		"z1",
		"\xff"
		"ab",
		"ab\xff",
		"\xff\nb",
		"a/.rc",
		".rc",
		"aab",
		"aaabc",
		"cd",
		"xy",
		"a z",
		"a\nz",
		"bb",
		"aba",
		"x x",
	};
	const size_t np = sizeof(looked_for) / sizeof(looked_for[0]);
	const size_t nt = sizeof(looked_at) / sizeof(looked_at[0]);
	char plain[128];
	size_t p, t, s1 = 0, e1 = 0, s2 = 0, e2 = 0;

	for (p = 0; p < np; p++) {
		struct sg_regex *with = compiled(looked_for[p]), *without;

		/* nothing is known of what has another side */
		(void)snprintf(plain, sizeof(plain), "(?:%s)|(?!)",
			       looked_for[p]);
		without = compiled(plain);
		for (t = 0; t < nt; t++) {
			struct sg_str text = sg_str_c(looked_at[t]);
			enum sg_regex_answer a = find(with, text, &s1, &e1),
					     b = find(without, text, &s2, &e2);

			ck_assert_msg(a == b && s1 == s2 && e1 == e2,
				      "'%s' in '%s'", looked_for[p],
				      looked_at[t]);
		}
		sg_regex_free(with);
		sg_regex_free(without);
	}
}
END_TEST

SG_TEST_MAIN("regex", short_cuts_change_no_answer, a_match_has_a_place,
	     a_bad_pattern_says_where,
	     text_that_is_not_utf8_is_searched_all_the_same,
	     what_matches_nothing_is_known, no_regex_hangs, a_limit_is_not_a_no,
	     one_budget_of_time_serves_all_regexes, jit_and_interpreter_agree,
	     known_patterns_are_known_rightly,
	     known_patterns_are_compiled_when_they_run,
	     threads_may_use_a_new_regex_at_once)
