/* The parser: the tree that the grammar's own runtime makes, or a refusal. */

#include <stdlib.h>

#include "analyzer/parse.h"
#include "unit/support.h"

const TSLanguage *tree_sitter_python(void);

enum { DUMP_MAX = 1 << 26 };

static struct sg_parse *
new_parse(void)
{
	struct sg_parse *p = malloc(sizeof(*p));

	ck_assert_ptr_nonnull(p);
	ck_assert(sg_parse_init(p));
	return p;
}

static void
free_parse(struct sg_parse *p)
{
	sg_parse_release(p);
	free(p);
}

static enum sg_parse_end
run(struct sg_parse *p, struct sg_str text)
{
	return sg_parse_run(p, text.p, (uint32_t)text.n, UINT64_MAX);
}

/* "(rule start end children)" of what is not hidden; shallow trees only. */
static void
write_ours(const struct sg_parse *p, uint32_t node, struct sg_buf *out)
{
	const struct sg_parse_node *n = &p->nodes.v[node];

	if (n->rule != SG_RULE_TOKEN)
		sg_buf_printf(out, "(%u %u %u", n->rule, n->start, n->end);
	for (uint32_t i = 0; i < n->nkids; i++)
		write_ours(p, p->kids.v[n->kids + i], out);
	if (n->rule != SG_RULE_TOKEN)
		sg_buf_char(out, ')');
}

static void
write_theirs(const struct sg_parse *p, TSNode node, struct sg_buf *out)
{
	uint8_t rule = p->rules[ts_node_symbol(node)];

	if (rule != SG_RULE_TOKEN)
		sg_buf_printf(out, "(%u %u %u", rule, ts_node_start_byte(node),
			      ts_node_end_byte(node));
	for (uint32_t i = 0; i < ts_node_child_count(node); i++)
		write_theirs(p, ts_node_child(node, i), out);
	if (rule != SG_RULE_TOKEN)
		sg_buf_char(out, ')');
}

static void
same_as_runtime(const char *text)
{
	struct sg_parse *p = new_parse();
	struct sg_buf ours, theirs;
	TSParser *parser = ts_parser_new();
	TSTree *tree;

	ck_assert_ptr_nonnull(parser);
	ck_assert(ts_parser_set_language(parser, tree_sitter_python()));
	tree = ts_parser_parse_string(parser, NULL, text,
				      (uint32_t)strlen(text));
	ck_assert_ptr_nonnull(tree);
	ck_assert_msg(!ts_node_has_error(ts_tree_root_node(tree)),
		      "the runtime does not take %s", text);
	ck_assert_msg(run(p, sg_str_c(text)) == SG_PARSE_GOOD,
		      "stopped at %u of %s", p->reached, text);
	sg_buf_init(&ours, DUMP_MAX);
	sg_buf_init(&theirs, DUMP_MAX);
	write_ours(p, p->root, &ours);
	write_theirs(p, ts_tree_root_node(tree), &theirs);
	ck_assert(!sg_buf_failed(&theirs) && theirs.len > 0);
	sg_buf_char(&theirs, '\0');
	ck_str_is(sg_buf_view(&ours), theirs.data);
	sg_buf_release(&ours);
	sg_buf_release(&theirs);
	ts_tree_delete(tree);
	ts_parser_delete(parser);
	free_parse(p);
}

static void
stops(const char *text, uint32_t at)
{
	struct sg_parse *p = new_parse();

	ck_assert_msg(run(p, sg_str_c(text)) == SG_PARSE_SYNTAX, "%s", text);
	ck_assert_msg(p->reached == at, "%s: at %u", text, p->reached);
	free_parse(p);
}

START_TEST(expressions_are_those_of_the_runtime)
{
	same_as_runtime("n;\n");
	same_as_runtime("0+n*0-~n**-n//n@n%n<<0>>n|n&n^n;\n");
	same_as_runtime("n and n or not n;\n");
	same_as_runtime("n<0<=n!=n==n>=n>n is n is not n in n not in n;\n");
	same_as_runtime("n.n.n[0][n:0:n,:,::,...](n,*n,**n,n=0)();\n");
	same_as_runtime("[];\n");
	same_as_runtime("[n,0,[n],(n),(n,),()];\n");
	same_as_runtime("{};\n");
	same_as_runtime("{n:0,**n};\n");
	same_as_runtime("{n,0,};\n");
	same_as_runtime("[n for n in n if n for n,n in n];\n");
	same_as_runtime("{n:n for n in n};\n");
	same_as_runtime("{n for(n,n)in n};\n");
	same_as_runtime("n(n for n in n);\n");
	same_as_runtime("n if n else n if n else n;\n");
	same_as_runtime("lambda:lambda n,*n,n=0,**n:n;\n");
	same_as_runtime("lambda n,/,n,*,n:0;\n");
	same_as_runtime("[n for n in lambda:n,n];\n");
	same_as_runtime("(n:=(0));\n");
	same_as_runtime("(yield);\n");
	same_as_runtime("(await n)**n;\n");
	same_as_runtime("[S[n],n];\n");
	same_as_runtime("True,False,None,...;\n");
	same_as_runtime("n,n,;\n");
}
END_TEST

START_TEST(targets_are_those_of_the_runtime)
{
	same_as_runtime("n=n=0;\n");
	same_as_runtime("n,n=n,n;\n");
	same_as_runtime("n,=n;\n");
	same_as_runtime("(n,n)=n;\n");
	same_as_runtime("[n,(n,[n])]=n=[n,(n,[n])];\n");
	same_as_runtime("(n)[0]=0;\n");
	same_as_runtime("n.n,n[n],S[n]=n;\n");
	same_as_runtime("(n,n);\n");
	same_as_runtime("[n,n],n;\n");
	same_as_runtime("n+=n,n;\n");
	same_as_runtime("n:(n)=0;\n");
	same_as_runtime("for n,(n,n)in n,n:\n n;\n");
	same_as_runtime("[n for[n,n]in n];\n");
}
END_TEST

START_TEST(statements_are_those_of_the_runtime)
{
	same_as_runtime("import n,n.n as n;\n");
	same_as_runtime("from n.n import n,n as n;\n");
	same_as_runtime("from.import(n,n as n,);\n");
	same_as_runtime("from...n import*;\n");
	same_as_runtime("from....n import n;\n");
	same_as_runtime("raise n from ...;\n");
	same_as_runtime("yield from ...;\n");
	same_as_runtime("pass;break;continue;return;raise;\n");
	same_as_runtime("return n,n;del n,n;assert n,n;global n,n;"
			"nonlocal n;\n");
	same_as_runtime("if n:\n n;\nelif n:n;\nelse:\n if n:\n  n;\nn;\n");
	same_as_runtime("while n:n;\nelse:n;\n");
	same_as_runtime("try:\n n;\nexcept n as n:n;\nexcept:n;\nelse:n;\n"
			"finally:n;\n");
	same_as_runtime("try:n;\nexcept*n:n;\nexcept*(n,n)as n:n;\n");
	same_as_runtime("@n\n@n.n(0)\nasync def n(n,n:(n)=0,/,*n,n,**n)->(n):\n"
			" return;\n");
	same_as_runtime("class n:pass;\nclass n(n,n=n):\n pass;\n");
	same_as_runtime("def n[n(b=(n)),n()](*,n):n;\n");
	same_as_runtime("async for n in n:n;\n");
	same_as_runtime("while[n as n,n]:\n n;\n");
	same_as_runtime("while[n|n,n(n=n)]and(n):\n n;\n");
}
END_TEST

START_TEST(indentation_is_that_of_the_lines)
{
	same_as_runtime("if n:\n if n:\n  n;\n  n;\n n;\nn;\n");
	same_as_runtime("if n:\n if n:\n  if n:\n   n;\n");
	stops("if n:\n   n;\n", 9);
	stops("n;\n n;\n", 2);
}
END_TEST

START_TEST(what_does_not_fit_stops_it_there)
{
	stops("n n;\n", 2);
	stops("n=;\n", 2);
	stops("0=n;\n", 1);
	stops("(n,0)=n;\n", 5);
	stops("n,0=n;\n", 3);
	stops("import n.;\n", 9);
	stops("n=if;\n", 2);
	stops("\x7f;\n", 0);
	stops("n!n;\n", 1);
	stops("nn;\n", 2);
	stops("else:\n n;\n", 0);
	stops("(n;\n", 2);
}
END_TEST

/* A text of `head`, `each` n times, and `tail`. */
static struct sg_buf
repeated(const char *head, const char *each, uint32_t n, const char *tail)
{
	struct sg_buf b;

	sg_buf_init(&b, 1 << 24);
	sg_buf_c(&b, head);
	for (uint32_t i = 0; i < n; i++)
		sg_buf_c(&b, each);
	sg_buf_c(&b, tail);
	ck_assert(!sg_buf_failed(&b));
	return b;
}

START_TEST(long_texts_need_no_stack_and_little_memory)
{
	static const char *const texts[][3] = {
		{ "n=", "-", "n;\n" },
		{ "n=", "not ", "n;\n" },
		{ "n=", "lambda:", "n;\n" },
		{ "n", ".n", ";\n" },
		{ "n=", "n if n else ", "n;\n" },
		{ "[n,", "n,", "]=n;\n" },
		{ "(", "[n,n],", "n);\n" },
		{ "n=", "n=", "n;\n" },
		{ "", "if n:n;\n", "" },
	};
	struct sg_parse *p = new_parse();

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct sg_buf b = repeated(texts[i][0], texts[i][1], 200000,
					   texts[i][2]);

		ck_assert_int_eq(run(p, sg_buf_view(&b)), SG_PARSE_GOOD);
		ck_assert_uint_le(p->nversions, 2);
		ck_assert_uint_lt(p->nodes.n, 16 * 200000);
		sg_buf_release(&b);
	}
	free_parse(p);
}
END_TEST

START_TEST(a_parser_is_used_again)
{
	struct sg_parse *p = new_parse();

	ck_assert_int_eq(run(p, SG_STR("n=(n;\n")), SG_PARSE_SYNTAX);
	ck_assert_int_eq(run(p, SG_STR("if n:\n n;\n")), SG_PARSE_GOOD);
	ck_assert_int_eq(run(p, SG_STR("if n:\n")), SG_PARSE_GOOD);
	ck_assert_int_eq(run(p, SG_STR("n;\n")), SG_PARSE_GOOD);
	ck_assert_uint_eq(p->nodes.v[p->root].rule, SG_RULE_MODULE);
	ck_assert_uint_eq(p->nodes.v[p->root].end, 3);
	free_parse(p);
}
END_TEST

START_TEST(the_deadline_ends_it)
{
	struct sg_parse *p = new_parse();
	struct sg_buf b = repeated("", "n;\n", 100000, "");

	ck_assert_int_eq(sg_parse_run(p, b.data, (uint32_t)b.len, 0),
			 SG_PARSE_LATE);
	ck_assert_uint_lt(p->reached, 100000);
	sg_buf_release(&b);
	free_parse(p);
}
END_TEST

START_TEST(refused_memory_is_told)
{
	struct sg_buf b = repeated("", "[n,(n,n)]=n;\n", 300, "");
	uint32_t refused = 0;

	SG_TEST_EACH_ALLOCATION() {
		struct sg_parse *p = malloc(sizeof(*p));
		enum sg_parse_end end;

		if (!p)
			continue;
		if (sg_parse_init(p)) {
			end = run(p, sg_buf_view(&b));
			ck_assert(end == SG_PARSE_GOOD ||
				  end == SG_PARSE_NO_MEMORY);
			refused += end == SG_PARSE_NO_MEMORY;
		}
		free_parse(p);
	}
	ck_assert_uint_gt(refused, 3);
	sg_buf_release(&b);
}
END_TEST

SG_TEST_MAIN("parse", expressions_are_those_of_the_runtime,
	     targets_are_those_of_the_runtime,
	     statements_are_those_of_the_runtime,
	     indentation_is_that_of_the_lines, what_does_not_fit_stops_it_there,
	     long_texts_need_no_stack_and_little_memory, a_parser_is_used_again,
	     the_deadline_ends_it, refused_memory_is_told)
