#include "policy/regex.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/clock.h"
#include "policy/limits.h"

/*
 * Most texts match none of the regexes that look at them, and a call of
 * PCRE2 costs more than it takes to see that: the text is too short, does not
 * begin as a match must, or lacks a byte that every match has.
 *
 * So most regexes of a policy are never run in the life of a command, and
 * making machine code of all takes longer than it takes to read them: that
 * is done for each when it is first to run, by the thread that comes first.
 */
struct sg_regex {
	pcre2_code *code;
	uint8_t starts[32]; /* set of bytes that may begin a match, when it
			     * is the start of the text; if has_starts */
	bool has_starts;
	char need, need_too; /* every match has one of them; if has_need */
	bool has_need;
	uint32_t min_length; /* no shorter text can match */
	bool empty;
	bool no_jit;
	pthread_mutex_t lock; /* held while `ready` is made true */
	atomic_bool ready;    /* there is machine code, or will never be */
};

struct sg_regex_run {
	pcre2_match_context *context;
	pcre2_match_data *data;
	pcre2_jit_stack *stack;
	uint64_t deadline; /* sg_clock_cpu() */
	uint32_t since;    /* matches since the clock was read */
};

enum {
	OPTIONS = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C
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

/* Case is left out; k and s have others beyond ASCII. */
static bool
is_simple(uint32_t unit)
{
	return unit < 0x80 && strchr("kKsS", (int)unit) == NULL;
}

static char
other_case(char c)
{
	bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

	return letter ? (char)(c ^ 0x20) : c;
}

static void
add_start(struct sg_regex *re, char c)
{
	re->starts[(uint8_t)c >> 3] |= (uint8_t)(1u << ((uint8_t)c & 7));
}

/* What a match of `rest`, anywhere, begins with. */
static void
take_start(struct sg_regex *re, const pcre2_code *rest)
{
	const uint8_t *map = NULL;
	uint32_t type = 0, unit = 0, empty = 1;

	(void)pcre2_pattern_info(rest, PCRE2_INFO_MATCHEMPTY, &empty);
	(void)pcre2_pattern_info(rest, PCRE2_INFO_FIRSTBITMAP, &map);
	(void)pcre2_pattern_info(rest, PCRE2_INFO_FIRSTCODETYPE, &type);
	(void)pcre2_pattern_info(rest, PCRE2_INFO_FIRSTCODEUNIT, &unit);
	if (empty != 0)
		return;
	if (map != NULL) {
		memcpy(re->starts, map, sizeof(re->starts));
		re->has_starts = true;
	} else if (type == 1 && unit < 0x80) {
		add_start(re, (char)unit);
		add_start(re, other_case((char)unit));
		if (!is_simple(unit)) {
			add_start(re, '\xc5'); /* U+017F, long s */
			add_start(re, '\xe2'); /* U+212A, the Kelvin sign */
		}
		re->has_starts = true;
	}
}

/* PCRE2 does not look behind a circumflex for what follows, so the regex is
 * read once more without; it is the first byte of a text then. */
static void
find_start(struct sg_regex *re, struct sg_str pattern)
{
	uint32_t options = 0;
	pcre2_code *rest;
	size_t offset;
	int number;

	(void)pcre2_pattern_info(re->code, PCRE2_INFO_ALLOPTIONS, &options);
	if ((options & PCRE2_ANCHORED) == 0 || pattern.p[0] != '^')
		return;
	rest = pcre2_compile((PCRE2_SPTR)pattern.p + 1, pattern.n - 1, OPTIONS,
			     &number, &offset, NULL);
	if (rest != NULL)
		take_start(re, rest);
	pcre2_code_free(rest);
}

static void
find_need(struct sg_regex *re)
{
	uint32_t type = 0, unit = 0;
	char c;

	(void)pcre2_pattern_info(re->code, PCRE2_INFO_LASTCODETYPE, &type);
	(void)pcre2_pattern_info(re->code, PCRE2_INFO_LASTCODEUNIT, &unit);
	c = (char)unit;
	if (type != 1 || !is_simple(unit))
		return;
	re->has_need = true;
	re->need = c;
	re->need_too = other_case(c);
}

bool
sg_regex_may_begin(const struct sg_regex *re, uint8_t byte)
{
	return !re->has_starts || (re->starts[byte >> 3] >> (byte & 7) & 1);
}

static bool
cannot_match(const struct sg_regex *re, struct sg_str text, size_t from)
{
	if (from > text.n || text.n - from < re->min_length)
		return true;
	if (from == 0 && text.n > 0 &&
	    !sg_regex_may_begin(re, (uint8_t)text.p[0]))
		return true;
	if (!re->has_need || from == text.n)
		return false;
	return memchr(text.p + from, re->need, text.n - from) == NULL &&
	       (re->need == re->need_too ||
		memchr(text.p + from, re->need_too, text.n - from) == NULL);
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
	re->code = pcre2_compile((PCRE2_SPTR)pattern.p, pattern.n, OPTIONS,
				 &number, &offset, NULL);
	if (re->code == NULL) {
		free(re);
		return compile_error(number, offset, ret_offset, err);
	}
	(void)pthread_mutex_init(&re->lock, NULL);
	atomic_init(&re->ready, false);
	(void)pcre2_pattern_info(re->code, PCRE2_INFO_MINLENGTH,
				 &re->min_length);
	(void)pcre2_pattern_info(re->code, PCRE2_INFO_MATCHEMPTY, &empty);
	re->empty = empty != 0;
	find_start(re, pattern);
	find_need(re);
	*ret = re;
	return SG_OK;
}

void
sg_regex_free(struct sg_regex *re)
{
	if (re == NULL)
		return;
	(void)pthread_mutex_destroy(&re->lock);
	pcre2_code_free(re->code);
	free(re);
}

/* Where JIT is refused (memory that may not be made executable) the
 * interpreter gives the same answers under the same limits. */
static void
make_ready(struct sg_regex *re)
{
	if (atomic_load_explicit(&re->ready, memory_order_acquire))
		return;
	(void)pthread_mutex_lock(&re->lock);
	if (!atomic_load_explicit(&re->ready, memory_order_relaxed)) {
		(void)pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
		atomic_store_explicit(&re->ready, true, memory_order_release);
	}
	(void)pthread_mutex_unlock(&re->lock);
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
sg_regex_find(struct sg_regex *re, struct sg_regex_run *run, struct sg_str text,
	      size_t from, size_t *ret_start, size_t *ret_end)
{
	const size_t *ov;
	int rc;

	if (cannot_match(re, text, from))
		return SG_REGEX_NO;
	if (out_of_time(run, text.n))
		return SG_REGEX_LIMIT;
	make_ready(re);
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
