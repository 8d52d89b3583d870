#include "pipeline/render.h"

#include "unit/support.h"

#include <stdio.h>

static void
safe(struct sg_str in, const char *want)
{
	struct sg_buf b;

	sg_buf_init(&b, 10000);
	sg_render_safe(in, &b);
	ck_str_is(sg_buf_view(&b), want);
	sg_buf_release(&b);
}

static void
terminal(struct sg_str in, const char *want)
{
	struct sg_buf b;

	sg_buf_init(&b, 10000);
	sg_render_terminal(in, &b);
	ck_str_is(sg_buf_view(&b), want);
	sg_buf_release(&b);
}

START_TEST(controls_and_hidden_characters_are_shown)
{
	safe(SG_STR("plain \u00e4\u20ac\U0001f600"),
	     "plain \u00e4\u20ac\U0001f600");
	safe(SG_STR("a\tb"), "a\tb");
	safe(SG_STR("\x1b[31m"), "\\x1b[31m");
	safe(SG_STR("a\nb\rc\0d\x7f"), "a\\x0ab\\x0dc\\x00d\\x7f");
	safe(SG_STR("\xc2\x85\xc2\x9b"), "\\x85\\x9b");
	safe(SG_STR("\u202e\u2066\u200b\ufeff\u00ad"),
	     "\\u202e\\u2066\\u200b\\ufeff\\xad");
	safe(SG_STR("\U000e0041"), "\\U000e0041");
	safe(SG_STR("\xff\xc3"), "\\xff\\xc3");
}
END_TEST

START_TEST(a_terminal_gets_colours_and_no_other_sequence)
{
	terminal(SG_STR("\x1b[1;31mred\x1b[0m\n"), "\x1b[1;31mred\x1b[0m\n");
	terminal(SG_STR("50%\r60%\b\t"), "50%\r60%\b\t");
	terminal(SG_STR("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
	terminal(SG_STR("\x1b[2J\x1b[1"), "\\x1b[2J\\x1b[1");
	terminal(SG_STR("\x1b"), "\\x1b");
	terminal(SG_STR("\x1b[\xc2\x85"), "\\x1b[\\x85");
}
END_TEST

/* What a finding at bytes [from, to) of `text` looks like. */
static void
looks(const char *text, uint32_t from, uint32_t to, uint32_t line,
      const char *want)
{
	struct sg_source source = { .text = sg_str_c(text) };
	struct sg_finding f = {
		.rule = SG_STR("R1"),
		.message = SG_STR("it is bad"),
		.action = SG_REJECT,
		.range = { from, to },
		.begin = { line, 1 },
	};
	struct sg_check c = { .source = &source, .canonical = sg_str_c(text) };
	const struct sg_render_opts o = { .file = "a.py" };
	struct sg_buf b;

	c.verdict.findings = &f;
	c.verdict.nfindings = 1;
	sg_buf_init(&b, 10000);
	sg_render_findings(&c, &o, &b);
	ck_str_is(sg_buf_view(&b), want);
	sg_buf_release(&b);
}

START_TEST(a_finding_is_marked_in_its_line)
{
	looks("x = 1\nos.system(y)\n", 6, 15, 2,
	      "a.py:2:1: reject R1: it is bad\n"
	      "    2 | os.system(y)\n"
	      "      | ^^^^^^^^^\n");
	looks("\tf(x)", 1, 2, 1,
	      "a.py:1:1: reject R1: it is bad\n"
	      "    1 | \tf(x)\n"
	      "      | \t^\n");
	looks("\u00e4 = \x01; f()", 8, 9, 1,
	      "a.py:1:1: reject R1: it is bad\n"
	      "    1 | \u00e4 = \\x01; f()\n"
	      "      |           ^\n");
}
END_TEST

START_TEST(a_finding_over_many_lines_is_marked_in_the_first)
{
	looks("f(\n1)\n", 0, 5, 1,
	      "a.py:1:1: reject R1: it is bad\n"
	      "    1 | f(\n"
	      "      | ^^\n");
}
END_TEST

START_TEST(an_empty_range_has_a_caret)
{
	looks("", 0, 0, 1,
	      "a.py:1:1: reject R1: it is bad\n"
	      "    1 | \n"
	      "      | ^\n");
	looks("x\n", 2, 2, 2,
	      "a.py:2:1: reject R1: it is bad\n"
	      "    2 | \n"
	      "      | ^\n");
}
END_TEST

START_TEST(a_long_line_is_cut_around_the_place)
{
	char text[2001], *at;
	struct sg_source source = { .text = { text, 2000 } };
	struct sg_finding f = { .rule = SG_STR("R1"),
				.range = { 1000, 1005 },
				.begin = { 1, 1001 } };
	struct sg_check c = { .source = &source, .canonical = { text, 2000 } };
	const struct sg_render_opts o = { .file = "a.py" };
	struct sg_buf b;

	memset(text, 'x', 2000);
	memcpy(text + 1000, "HERE!", 5);
	text[2000] = '\0';
	c.verdict.findings = &f;
	c.verdict.nfindings = 1;
	sg_buf_init(&b, 10000);
	sg_render_findings(&c, &o, &b);
	ck_assert_uint_lt(b.len, 600);
	at = strstr(b.data, "| ...");
	ck_assert_ptr_nonnull(at);
	ck_assert_ptr_nonnull(strstr(at, "HERE!"));
	/* The carets stand below it. */
	ck_assert_int_eq(strstr(at, "HERE!") - at,
			 strstr(at, "^^^^^") - strstr(at + 1, "| "));
	sg_buf_release(&b);
}
END_TEST

START_TEST(the_rest_is_counted)
{
	struct sg_finding f[3] = { { .rule = SG_STR("R1") },
				   { .rule = SG_STR("R2") },
				   { .rule = SG_STR("R3") } };
	struct sg_check c = { .judged = true };
	const struct sg_render_opts o = { .file = "a.py",
					  .concise = true,
					  .most = 1 };
	struct sg_buf b;

	c.verdict.findings = f;
	c.verdict.nfindings = 3;
	c.verdict.nsuppressed = 4;
	sg_buf_init(&b, 10000);
	sg_render_findings(&c, &o, &b);
	ck_str_is(sg_buf_view(&b), "a.py:0:0: pass R1: \n  ... and 6 more\n");
	sg_buf_release(&b);
}
END_TEST

SG_TEST_MAIN("render", controls_and_hidden_characters_are_shown,
	     a_terminal_gets_colours_and_no_other_sequence,
	     a_finding_is_marked_in_its_line,
	     a_finding_over_many_lines_is_marked_in_the_first,
	     an_empty_range_has_a_caret, a_long_line_is_cut_around_the_place,
	     the_rest_is_counted)
