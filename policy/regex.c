#include "policy/regex.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/clock.h"
#include "policy/limits.h"

struct sg_regex {
	pcre2_code *code;
	uint32_t min_length; /* no shorter text can match */
	bool empty;
	bool no_jit;
};

struct sg_regex_run {
	pcre2_match_context *context;
	pcre2_match_data *data;
	pcre2_jit_stack *stack;
	uint64_t deadline; /* sg_clock_cpu() */
	uint32_t since;    /* matches since the clock was read */
};

static int
compile_error(int number, size_t offset, size_t *ret_offset, struct sg_err *err)
{
	unsigned char text[160];

	if (pcre2_get_error_message(number, text, sizeof(text)) < 0)
		text[0] = '\0';
	*ret_offset = offset;
	(void)sg_err_set(err, SG_EPOLICY, "bad regex: %s", (const char *)text);
	return sg_err_code(err, "policy.regex");
}

int
sg_regex_new(struct sg_str pattern, struct sg_regex **ret, size_t *ret_offset,
	     struct sg_err *err)
{
	struct sg_regex *re;
	uint32_t empty = 0;
	size_t offset = 0;
	int number = 0;

	*ret_offset = 0;
	re = calloc(1, sizeof(*re));
	if (re == NULL)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	re->code = pcre2_compile((PCRE2_SPTR)pattern.p, pattern.n,
				 PCRE2_UTF | PCRE2_MATCH_INVALID_UTF |
					 PCRE2_NEVER_BACKSLASH_C,
				 &number, &offset, NULL);
	if (re->code == NULL) {
		free(re);
		return compile_error(number, offset, ret_offset, err);
	}
	/* Where JIT is refused (memory that may not be made executable) the
	 * interpreter gives the same answers under the same limits. */
	(void)pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
	(void)pcre2_pattern_info(re->code, PCRE2_INFO_MINLENGTH,
				 &re->min_length);
	(void)pcre2_pattern_info(re->code, PCRE2_INFO_MATCHEMPTY, &empty);
	re->empty = empty != 0;
	*ret = re;
	return SG_OK;
}

void
sg_regex_free(struct sg_regex *re)
{
	if (re == NULL)
		return;
	pcre2_code_free(re->code);
	free(re);
}

bool
sg_regex_matches_empty(const struct sg_regex *re)
{
	return re->empty;
}

void
sg_regex_no_jit(struct sg_regex *re)
{
	re->no_jit = true;
}

int
sg_regex_run_new(struct sg_regex_run **ret, struct sg_err *err)
{
	struct sg_regex_run *run = calloc(1, sizeof(*run));

	if (run == NULL)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	run->context = pcre2_match_context_create(NULL);
	run->data = pcre2_match_data_create(1, NULL);
	run->stack = pcre2_jit_stack_create(SG_REGEX_JIT_STACK_MIN,
					    SG_REGEX_JIT_STACK_MAX, NULL);
	if (run->context == NULL || run->data == NULL) {
		sg_regex_run_free(run);
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	}
	(void)pcre2_set_match_limit(run->context, SG_REGEX_MATCH_LIMIT);
	(void)pcre2_set_depth_limit(run->context, SG_REGEX_DEPTH_LIMIT);
	(void)pcre2_set_heap_limit(run->context, SG_REGEX_HEAP_KIB);
	if (run->stack != NULL)
		pcre2_jit_stack_assign(run->context, NULL, run->stack);
	sg_regex_run_reset(run);
	*ret = run;
	return SG_OK;
}

void
sg_regex_run_free(struct sg_regex_run *run)
{
	if (run == NULL)
		return;
	pcre2_match_context_free(run->context);
	pcre2_match_data_free(run->data);
	pcre2_jit_stack_free(run->stack);
	free(run);
}

void
sg_regex_run_reset(struct sg_regex_run *run)
{
	run->deadline = 0;
	run->since = 0;
}

/* The clock is read for each long text and for every 64th short one. */
static bool
out_of_time(struct sg_regex_run *run, size_t length)
{
	uint64_t now;

	if (length < 4096 && run->since++ % 64 != 0)
		return false;
	now = sg_clock_cpu();
	if (run->deadline == 0)
		run->deadline = now + SG_REGEX_TIME_MS * UINT64_C(1000000);
	if (now <= run->deadline)
		return false;
	run->since = 0; /* so that the next call looks again */
	return true;
}

enum sg_regex_answer
sg_regex_find(const struct sg_regex *re, struct sg_regex_run *run,
	      struct sg_str text, size_t from, size_t *ret_start,
	      size_t *ret_end)
{
	const size_t *ov;
	int rc;

	if (from > text.n || text.n - from < re->min_length)
		return SG_REGEX_NO;
	if (out_of_time(run, text.n))
		return SG_REGEX_LIMIT;
	rc = pcre2_match(re->code, (PCRE2_SPTR)(text.p ? text.p : ""), text.n,
			 from, re->no_jit ? PCRE2_NO_JIT : 0, run->data,
			 run->context);
	if (rc == PCRE2_ERROR_NOMATCH)
		return SG_REGEX_NO;
	if (rc < 0) {
		/* The time is gone as well: look at the clock next time. */
		run->since = 0;
		return SG_REGEX_LIMIT;
	}
	ov = pcre2_get_ovector_pointer(run->data);
	*ret_start = ov[0];
	*ret_end = ov[1] >= ov[0] ? ov[1] : ov[0];
	return SG_REGEX_YES;
}
