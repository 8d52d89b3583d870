#include "policy/regex.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
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
 * compiling them all takes longer than all else that is done to load it.
 * Machine code is made of each when it is first to run, by the thread that
 * comes first; of a pattern that is known, everything is made only then.
 */
struct sg_regex {
	const struct sg_regex_known *known; /* or NULL */
	pcre2_code *code;                   /* NULL: not compiled yet */
	struct sg_regex_traits traits;
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
add_start(struct sg_regex_traits *t, char c)
{
	t->starts[(uint8_t)c >> 3] |= (uint8_t)(1u << ((uint8_t)c & 7));
}

/* What a match of `rest`, anywhere, begins with. */
static void
take_start(struct sg_regex_traits *t, const pcre2_code *rest)
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
		memcpy(t->starts, map, sizeof(t->starts));
		t->has_starts = true;
	} else if (type == 1 && unit < 0x80) {
		add_start(t, (char)unit);
		add_start(t, other_case((char)unit));
		if (!is_simple(unit)) {
			add_start(t, '\xc5'); /* U+017F, long s */
			add_start(t, '\xe2'); /* U+212A, the Kelvin sign */
		}
		t->has_starts = true;
	}
}

/* PCRE2 does not look behind a circumflex for what follows, so the regex is
 * read once more without; it is the first byte of a text then. */
static void
find_start(struct sg_regex_traits *t, const pcre2_code *code,
	   struct sg_str pattern)
{
	uint32_t options = 0;
	pcre2_code *rest;
	size_t offset;
	int number;

	(void)pcre2_pattern_info(code, PCRE2_INFO_ALLOPTIONS, &options);
	if ((options & PCRE2_ANCHORED) == 0 || pattern.p[0] != '^')
		return;
	rest = pcre2_compile((PCRE2_SPTR)pattern.p + 1, pattern.n - 1, OPTIONS,
			     &number, &offset, NULL);
	if (rest != NULL)
		take_start(t, rest);
	pcre2_code_free(rest);
}

static void
find_need(struct sg_regex_traits *t, const pcre2_code *code)
{
	uint32_t type = 0, unit = 0;
	char c;

	(void)pcre2_pattern_info(code, PCRE2_INFO_LASTCODETYPE, &type);
	(void)pcre2_pattern_info(code, PCRE2_INFO_LASTCODEUNIT, &unit);
	c = (char)unit;
	if (type != 1 || !is_simple(unit))
		return;
	t->has_need = true;
	t->need = c;
	t->need_too = other_case(c);
}

static void
study(const pcre2_code *code, struct sg_str pattern, struct sg_regex_traits *t)
{
	uint32_t empty = 0;

	(void)pcre2_pattern_info(code, PCRE2_INFO_MINLENGTH, &t->min_length);
	(void)pcre2_pattern_info(code, PCRE2_INFO_MATCHEMPTY, &empty);
	t->empty = empty != 0;
	find_start(t, code, pattern);
	find_need(t, code);
}

/* --- known patterns ------------------------------------------------------ */

void
sg_regex_version(char out[SG_REGEX_VERSION])
{
	char pcre[32] = "", unicode[24] = "";

	out[0] = '\0';
	if (pcre2_config(PCRE2_CONFIG_VERSION, NULL) > (int)sizeof(pcre) ||
	    pcre2_config(PCRE2_CONFIG_UNICODE_VERSION, NULL) >
		    (int)sizeof(unicode))
		return;
	(void)pcre2_config(PCRE2_CONFIG_VERSION, pcre);
	(void)pcre2_config(PCRE2_CONFIG_UNICODE_VERSION, unicode);
	(void)snprintf(out, SG_REGEX_VERSION, "%s, Unicode %s", pcre, unicode);
}

static const struct sg_regex_known *
find_known(struct sg_str pattern)
{
	const struct sg_regex_known *k = sg_regex_known;
	char version[SG_REGEX_VERSION];

	while (k->pattern != NULL &&
	       (k->length != pattern.n ||
		memcmp(k->pattern, pattern.p, pattern.n) != 0))
		k++;
	if (k->pattern == NULL)
		return NULL;
	sg_regex_version(version);
	if (version[0] == '\0' || strcmp(version, sg_regex_known_by) != 0)
		return NULL;
	return k;
}

bool
sg_regex_may_begin(const struct sg_regex *re, uint8_t byte)
{
	const struct sg_regex_traits *t = &re->traits;

	return !t->has_starts || (t->starts[byte >> 3] >> (byte & 7) & 1);
}

static bool
cannot_match(const struct sg_regex *re, struct sg_str text, size_t from)
{
	const struct sg_regex_traits *t = &re->traits;

	if (from > text.n || text.n - from < t->min_length)
		return true;
	if (from == 0 && text.n > 0 &&
	    !sg_regex_may_begin(re, (uint8_t)text.p[0]))
		return true;
	if (!t->has_need || from == text.n)
		return false;
	return memchr(text.p + from, t->need, text.n - from) == NULL &&
	       (t->need == t->need_too ||
		memchr(text.p + from, t->need_too, text.n - from) == NULL);
}

/* --- compiling ----------------------------------------------------------- */

static int
compile(struct sg_str pattern, pcre2_code **ret, size_t *ret_offset,
	struct sg_err *err)
{
	size_t offset = 0;
	int number = 0;

	*ret_offset = 0;
	*ret = pcre2_compile((PCRE2_SPTR)pattern.p, pattern.n, OPTIONS, &number,
			     &offset, NULL);
	return *ret != NULL ? SG_OK
			    : compile_error(number, offset, ret_offset, err);
}

int
sg_regex_study(struct sg_str pattern, struct sg_regex_traits *ret,
	       size_t *ret_offset, struct sg_err *err)
{
	pcre2_code *code;
	int rc = compile(pattern, &code, ret_offset, err);

	if (rc != SG_OK)
		return rc;
	*ret = (struct sg_regex_traits){ .empty = false };
	study(code, pattern, ret);
	pcre2_code_free(code);
	return SG_OK;
}

int
sg_regex_new(struct sg_str pattern, struct sg_regex **ret, size_t *ret_offset,
	     struct sg_err *err)
{
	struct sg_regex *re;
	int rc = SG_OK;

	*ret_offset = 0;
	re = calloc(1, sizeof(*re));
	if (re == NULL)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	re->known = find_known(pattern);
	if (re->known != NULL)
		re->traits = re->known->traits;
	else
		rc = compile(pattern, &re->code, ret_offset, err);
	if (rc != SG_OK) {
		free(re);
		return rc;
	}
	if (re->code != NULL)
		study(re->code, pattern, &re->traits);
	(void)pthread_mutex_init(&re->lock, NULL);
	atomic_init(&re->ready, false);
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

/* The lock is held.  Where JIT is refused (memory that may not be made
 * executable) the interpreter gives the same answers under the same limits. */
static bool
compile_now(struct sg_regex *re)
{
	struct sg_err err;
	size_t offset;

	sg_err_clear(&err);
	if (re->code == NULL &&
	    compile((struct sg_str){ re->known->pattern, re->known->length },
		    &re->code, &offset, &err) != SG_OK)
		return false;
	(void)pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
	atomic_store_explicit(&re->ready, true, memory_order_release);
	return true;
}

/* False without memory; it is tried again the next time. */
static bool
make_ready(struct sg_regex *re)
{
	bool good;

	if (atomic_load_explicit(&re->ready, memory_order_acquire))
		return true;
	(void)pthread_mutex_lock(&re->lock);
	good = atomic_load_explicit(&re->ready, memory_order_relaxed) ||
	       compile_now(re);
	(void)pthread_mutex_unlock(&re->lock);
	return good;
}

bool
sg_regex_is_compiled(const struct sg_regex *re)
{
	return re->code != NULL;
}

bool
sg_regex_matches_empty(const struct sg_regex *re)
{
	return re->traits.empty;
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
	if (!make_ready(re))
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
