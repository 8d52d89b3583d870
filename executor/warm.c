#include "executor/warm.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "executor/cleaner.h"
#include "executor/pool.h"

/*
 * Theory of operation.  A *set* is what is imported ahead; a *slot* is one
 * zygote of a set.  A set has at most one slot that serves.  One thread of
 * the pool starts zygotes, so that no run ever waits for an import: a run
 * that finds none is a cold one, and leaves word that the set is wanted.
 *
 * A slot that has served its runs or its time is replaced first, and ends
 * when the last of its runs does, because its boxes end with it.  One that
 * has died is replaced too, each time after a longer pause.
 *
 * A second thread cleans up after runs (cleaner.c).
 *
 * `lock` is for everything but the talk with a zygote, which may take
 * milliseconds and has a lock in each slot.  A slot with users stays.
 */

enum {
	SETS_MAX = 32,
	NAME_ROOM = 64,
	MODULES_ROOM = 1024,
	LOST_MS = 100,  /* the kernel needs less to end a namespace */
	TICK_MS = 1000, /* how often the thread looks by itself */
	ARENA = 64 << 20
};

#define MS 1000000ull

struct set {
	char name[NAME_ROOM], modules[MODULES_ROOM];
	bool absent, wanted, fonts;
	uint64_t runs, ahead, started, failed;
	uint32_t streak;     /* failures, one after the other */
	uint64_t not_before; /* of the next start */
	struct sg_slot *now;
};

struct sg_warm {
	struct sg_arena arena;
	struct sg_python py;
	char wanted[PATH_MAX]; /* as the owner named it; "": found */
	struct sg_groups groups;
	struct sg_orders orders;
	struct sg_prepared with_fonts, without;
	uint32_t max_runs, max_age_ms;
	struct sg_buf guard; /* of most runs */
	uint32_t guards;     /* how many there were */
	enum sg_box_require require;
	struct set sets[SETS_MAX];
	uint32_t nsets;

	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	bool has_thread, stop;
	struct sg_slot *retired;
	struct sg_cleaner cleaner;
};

/* What most programs begin with, less what is large for what it is. */
#define STDLIB                                                                \
	"base64 bisect collections contextlib copy csv dataclasses datetime " \
	"decimal enum fractions functools heapq io itertools json linecache " \
	"math operator os pathlib random re statistics string struct "        \
	"textwrap time traceback typing warnings"

static const struct sg_warm_set usual[] = {
	{ "stdlib", STDLIB },
	{ "numpy", STDLIB " numpy" },
	{ "numpy+pandas", STDLIB " numpy pandas" },
	{ "numpy+matplotlib", STDLIB " numpy matplotlib.pyplot" },
	{ "all", STDLIB " numpy pandas matplotlib.pyplot" },
};

void
sg_warm_opts_init(struct sg_warm_opts *opts)
{
	memset(opts, 0, sizeof(*opts));
	opts->sets = usual;
	opts->nsets = sizeof(usual) / sizeof(usual[0]);
	opts->max_runs = 4000;
	opts->max_age_ms = 10 * 60 * 1000;
	opts->require = SG_REQUIRE_STANDARD;
}

/* --- which set ----------------------------------------------------------- */

/* `alive`: among the sets that serve. */
static struct set *
choose(struct sg_warm *w, const struct sg_box_spec *spec, bool alive)
{
	struct sg_warm_choice v[SETS_MAX];
	uint32_t best;

	for (uint32_t i = 0; i < w->nsets; i++) {
		struct set *s = &w->sets[i];

		v[i].modules = s->modules;
		v[i].open = !s->absent && (!alive || s->now);
	}
	best = sg_warm_choose(v, w->nsets, spec->imports, spec->nimports);
	return best < w->nsets ? &w->sets[best] : NULL;
}

/* --- slots --------------------------------------------------------------- */

static struct set *
set_of(const struct sg_slot *slot)
{
	return slot->set;
}

/* With the lock.  The set serves no more; runs under way go on. */
static void
retire(struct sg_warm *w, struct set *s)
{
	struct sg_slot *slot = s->now;

	s->now = NULL;
	slot->next = w->retired;
	w->retired = slot;
	(void)pthread_cond_signal(&w->wake);
}

/* With the lock.  Whatever kept it from serving, try again later. */
static void
note_failure(struct set *s)
{
	s->failed++;
	s->not_before = sg_clock_mono() + sg_warm_pause(s->streak++) * MS;
}

static bool
is_spent(const struct sg_warm *w, const struct sg_slot *slot)
{
	uint64_t age = (sg_clock_mono() - slot->born) / MS;

	return slot->guard != w->guards ||
	       (w->max_runs && slot->runs >= w->max_runs) ||
	       (w->max_age_ms && age >= w->max_age_ms);
}

/* With the lock, which is let go meanwhile. */
static void
free_retired(struct sg_warm *w)
{
	struct sg_slot **at = &w->retired;

	while (*at) {
		struct sg_slot *slot = *at;

		if (slot->users) {
			at = &slot->next;
			continue;
		}
		*at = slot->next;
		(void)pthread_mutex_unlock(&w->lock);
		sg_slot_free(slot);
		(void)pthread_mutex_lock(&w->lock);
		at = &w->retired;
	}
}

/* With the lock, which is let go meanwhile. */
static void
start(struct sg_warm *w, struct set *s)
{
	uint32_t number = w->guards;
	struct sg_slot *slot;
	struct sg_buf guard;
	struct sg_err err;

	sg_err_clear(&err);
	sg_buf_init(&guard, SG_BOX_GUARD_TEXT);
	sg_buf_str(&guard, sg_buf_view(&w->guard));
	(void)pthread_mutex_unlock(&w->lock);
	slot = sg_slot_new(&w->py, s->fonts ? &w->with_fonts : &w->without,
			   &w->groups, &w->orders, w->require, s->modules,
			   sg_buf_view(&guard), &err);
	sg_buf_release(&guard);
	(void)pthread_mutex_lock(&w->lock);
	if (!slot) {
		if (err.status == SG_ENOENT)
			s->absent = true;
		note_failure(s);
		return;
	}
	slot->set = s;
	slot->guard = number;
	s->started++;
	if (s->now)
		retire(w, s);
	s->now = slot;
}

/* --- the thread ---------------------------------------------------------- */

/* With the lock.  True when there was something to do. */
static bool
tend(struct sg_warm *w, struct set *s)
{
	if (s->absent || sg_clock_mono() < s->not_before)
		return false;
	if (s->now && !sg_zygote_alive(&s->now->z)) {
		note_failure(s);
		retire(w, s);
		return false;
	}
	if (s->now ? !is_spent(w, s->now) : !s->wanted)
		return false;
	start(w, s);
	return true;
}

/* With the lock. */
static void
nap(struct sg_warm *w)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (TICK_MS % 1000) * 1000000L;
	until.tv_sec += TICK_MS / 1000;
	(void)pthread_cond_timedwait(&w->wake, &w->lock, &until);
}

static void *
keep(void *arg)
{
	struct sg_warm *w = arg;
	sigset_t all;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, NULL);
	(void)pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		bool busy = false;

		for (struct set *set = w->sets;
		     set < w->sets + w->nsets && !w->stop; set++)
			busy |= tend(w, set);
		free_retired(w);
		if (!busy && !w->stop)
			nap(w);
	}
	(void)pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* --- runs ---------------------------------------------------------------- */

/* The slot that is to serve, counted as in use; NULL: none does. */
static struct sg_slot *
enter(struct sg_warm *w, const struct sg_box_spec *spec)
{
	struct sg_slot *slot = NULL;
	struct set *s;

	(void)pthread_mutex_lock(&w->lock);
	s = choose(w, spec, false);
	if (s && !s->wanted) {
		s->wanted = true;
		(void)pthread_cond_signal(&w->wake);
	}
	s = choose(w, spec, true);
	if (s) {
		slot = s->now;
		slot->users++;
		slot->runs++;
		if (is_spent(w, slot))
			(void)pthread_cond_signal(&w->wake);
	}
	(void)pthread_mutex_unlock(&w->lock);
	return slot;
}

static void
leave(void *arg, struct sg_slot *slot)
{
	struct sg_warm *w = arg;

	(void)pthread_mutex_lock(&w->lock);
	slot->users--;
	if (!slot->users && set_of(slot)->now != slot)
		(void)pthread_cond_signal(&w->wake);
	(void)pthread_mutex_unlock(&w->lock);
}

/* A zygote that gives no box is no better than a dead one. */
static void
give_up(struct sg_warm *w, struct sg_slot *slot)
{
	(void)pthread_mutex_lock(&w->lock);
	if (set_of(slot)->now == slot) {
		note_failure(set_of(slot));
		retire(w, set_of(slot));
	}
	(void)pthread_mutex_unlock(&w->lock);
}

/* The run would have the pool's interpreter. */
static bool
is_ours(const struct sg_warm *w, const char *python)
{
	struct sg_python py = { NULL, NULL };
	struct sg_arena arena;
	bool same;

	if (strcmp(python ? python : "", w->wanted) == 0)
		return true;
	sg_arena_init(&arena, ARENA);
	same = sg_python_find(python, &arena, &py, NULL) == SG_OK && py.path &&
	       strcmp(py.path, w->py.path) == 0 &&
	       strcmp(py.real, w->py.real) == 0;
	sg_arena_release(&arena);
	return same;
}

static enum sg_slot_answer
take_box(const struct sg_warm *w, struct sg_slot *slot,
	 const struct sg_box_spec *spec, struct sg_lease *ret)
{
	const struct set *s = set_of(slot);
	bool plain = s->fonts || !sg_fonts_wanted(spec->code);

	ret->name = s->name;
	ret->guard = slot->z.guard;
	ret->slot = slot;
	return sg_slot_take(slot, spec, plain ? &w->without : &w->with_fonts,
			    &ret->box, &ret->run, &ret->ahead);
}

bool
sg_warm_take(struct sg_warm *w, const struct sg_box_spec *spec,
	     struct sg_lease *ret)
{
	unsigned must = sg_layer_required(spec->require);
	enum sg_slot_answer answer;
	struct sg_slot *slot;

	if (!is_ours(w, spec->python))
		return false;
	slot = enter(w, spec);
	if (!slot)
		return false;
	/* Groups are the run's own, whatever the zygote has. */
	must &= ~(SG_L_BIT(SG_L_MEMORY) | SG_L_BIT(SG_L_PIDS));
	memset(ret, 0, sizeof(*ret));
	answer = (slot->z.want & must) == must ? take_box(w, slot, spec, ret)
					       : SG_SLOT_UNFIT;
	if (answer == SG_SLOT_BOX)
		return true;
	if (answer == SG_SLOT_DEAD)
		give_up(w, slot);
	leave(w, slot);
	return false;
}

void
sg_warm_give(struct sg_warm *w, struct sg_lease *lease)
{
	struct sg_slot *slot = lease->slot;
	struct set *s = set_of(slot);

	sg_spare_drop(&lease->box);
	(void)pthread_mutex_lock(&w->lock);
	s->runs++;
	s->ahead += lease->ahead;
	s->streak = 0;
	(void)pthread_mutex_unlock(&w->lock);
	sg_cleaner_give(&w->cleaner, lease->run, slot);
	lease->slot = NULL;
	lease->run = NULL;
}

bool
sg_warm_lost(const struct sg_lease *lease)
{
	struct pollfd pfd[2] = { { lease->slot->z.control, 0, 0 },
				 { lease->slot->z.pidfd, POLLIN, 0 } };

	return poll(pfd, 2, LOST_MS) != 0;
}

/* --- the pool ------------------------------------------------------------ */

static bool
copy_word(char *to, size_t room, const char *from)
{
	size_t n = from ? strlen(from) : 0;

	if (n == 0 || n >= room)
		return false;
	memcpy(to, from, n + 1);
	return true;
}

static int
add_sets(struct sg_warm *w, const struct sg_warm_opts *opts, struct sg_err *err)
{
	const struct sg_warm_set *from = opts->nsets ? opts->sets : usual;

	w->nsets = opts->nsets ? opts->nsets : sizeof(usual) / sizeof(usual[0]);
	if (w->nsets > SETS_MAX)
		return sg_err_set(err, SG_EUSAGE, "more than %d sets",
				  SETS_MAX);
	for (uint32_t i = 0; i < w->nsets; i++) {
		struct set *s = &w->sets[i];

		if (!copy_word(s->name, sizeof(s->name), from[i].name) ||
		    !copy_word(s->modules, sizeof(s->modules), from[i].modules))
			return sg_err_set(err, SG_EUSAGE,
					  "a set's name or modules are empty "
					  "or too long");
		s->wanted = opts->eager;
		s->fonts = sg_warm_has(s->modules, SG_STR("matplotlib"));
	}
	return SG_OK;
}

static int
begin(struct sg_warm *w, struct sg_err *err)
{
	pthread_condattr_t attr;
	int rc;

	(void)pthread_mutex_init(&w->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&w->wake, &attr);
	(void)pthread_condattr_destroy(&attr);
	rc = pthread_create(&w->thread, NULL, keep, w);
	w->has_thread = rc == 0;
	if (rc != 0)
		return sg_err_sys(err, SG_EBOX, rc, "cannot start a thread");
	return sg_cleaner_open(&w->cleaner, leave, w, err);
}

int
sg_warm_open(const struct sg_warm_opts *opts, struct sg_warm **ret,
	     struct sg_err *err)
{
	struct sg_warm *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	sg_arena_init(&w->arena, ARENA);
	sg_buf_init(&w->guard, SG_BOX_GUARD_TEXT);
	sg_buf_str(&w->guard, opts->guard);
	w->max_runs = opts->max_runs;
	w->max_age_ms = opts->max_age_ms;
	w->require = opts->require;
	sg_groups_init(&w->groups);
	sg_orders_init(&w->orders);
	rc = add_sets(w, opts, err);
	if (rc == SG_OK && sg_buf_failed(&w->guard))
		rc = sg_err_set(err, SG_ENOMEM, "no memory for a guard");
	if (rc == SG_OK)
		rc = sg_hold_standard_fds(err);
	if (rc == SG_OK)
		rc = sg_python_find(opts->python, &w->arena, &w->py, err);
	if (rc == SG_OK && opts->python &&
	    !copy_word(w->wanted, sizeof(w->wanted), opts->python))
		rc = sg_err_set(err, SG_EUSAGE, "the path is too long");
	if (rc == SG_OK) {
		struct sg_box_spec spec;

		sg_box_spec_init(&spec);
		spec.require = opts->require;
		sg_prepare(&sg_prepare_driver, &spec, &w->py, &w->arena,
			   &w->without);
		w->with_fonts = w->without;
		sg_prepare(&sg_prepare_fonts, &spec, &w->py, &w->arena,
			   &w->with_fonts);
		rc = begin(w, err);
	}
	if (rc < 0) {
		sg_warm_free(w);
		return rc;
	}
	*ret = w;
	return SG_OK;
}

void
sg_warm_free(struct sg_warm *w)
{
	if (!w)
		return;
	if (w->has_thread) {
		(void)pthread_mutex_lock(&w->lock);
		w->stop = true;
		(void)pthread_cond_signal(&w->wake);
		(void)pthread_mutex_unlock(&w->lock);
		(void)pthread_join(w->thread, NULL);
		sg_cleaner_close(&w->cleaner);
		for (uint32_t i = 0; i < w->nsets; i++)
			if (w->sets[i].now)
				sg_slot_free(w->sets[i].now);
		while (w->retired) {
			struct sg_slot *slot = w->retired;

			w->retired = slot->next;
			sg_slot_free(slot);
		}
		(void)pthread_cond_destroy(&w->wake);
		(void)pthread_mutex_destroy(&w->lock);
	}
	sg_groups_release(&w->groups);
	sg_orders_release(&w->orders);
	sg_arena_release(&w->arena);
	sg_buf_release(&w->guard);
	free(w);
}

int
sg_warm_guard(struct sg_warm *w, struct sg_str guard, struct sg_err *err)
{
	struct sg_buf copy;

	sg_buf_init(&copy, SG_BOX_GUARD_TEXT);
	sg_buf_str(&copy, guard);
	if (sg_buf_failed(&copy)) {
		sg_buf_release(&copy);
		return sg_err_set(err, SG_ENOMEM, "no memory for a guard");
	}
	(void)pthread_mutex_lock(&w->lock);
	if (!sg_str_eq(sg_buf_view(&w->guard), guard)) {
		struct sg_buf old = w->guard;

		w->guard = copy;
		copy = old;
		w->guards++;
		(void)pthread_cond_signal(&w->wake);
	}
	(void)pthread_mutex_unlock(&w->lock);
	sg_buf_release(&copy);
	return SG_OK;
}

void
sg_warm_rest(struct sg_warm *w)
{
	sg_cleaner_rest(&w->cleaner);
	(void)pthread_mutex_lock(&w->lock);
	for (uint32_t i = 0; i < w->nsets; i++) {
		struct sg_slot *slot = w->sets[i].now;

		if (!slot)
			continue;
		slot->users++;
		(void)pthread_mutex_unlock(&w->lock);
		sg_slot_empty(slot);
		(void)pthread_mutex_lock(&w->lock);
		slot->users--;
	}
	(void)pthread_cond_signal(&w->wake);
	(void)pthread_mutex_unlock(&w->lock);
	sg_groups_empty(&w->groups);
	sg_orders_empty(&w->orders);
}

uint32_t
sg_warm_stats(struct sg_warm *w, struct sg_warm_stats *out, uint32_t room)
{
	uint32_t n = 0;

	(void)pthread_mutex_lock(&w->lock);
	for (uint32_t i = 0; i < w->nsets; i++) {
		const struct set *s = &w->sets[i];
		struct sg_warm_stats *o = &out[n];

		if (s->absent || n++ >= room)
			continue;
		o->name = s->name;
		o->alive = s->now && sg_zygote_alive(&s->now->z);
		o->runs = s->runs;
		o->ahead = s->ahead;
		o->started = s->started;
		o->failed = s->failed;
		o->memory = o->alive ? sg_zygote_memory(&s->now->z) : 0;
	}
	(void)pthread_mutex_unlock(&w->lock);
	return n;
}
