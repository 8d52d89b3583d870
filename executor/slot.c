#include "executor/slot.h"

#include <stdlib.h>

#include "base/clock.h"

enum {
	SPARES = 3,       /* boxes that wait */
	ANSWER_MS = 2000, /* a box takes one or two */
	ALIKE = 2         /* runs that make a habit */
};

struct sg_slot *
sg_slot_new(const struct sg_python *py, const struct sg_prepared *prepared,
	    struct sg_groups *groups, struct sg_orders *orders,
	    enum sg_box_require require, const char *modules,
	    struct sg_str guard, struct sg_err *err)
{
	struct sg_slot *slot = calloc(1, sizeof(*slot));
	int rc;

	if (!slot) {
		(void)sg_err_set(err, SG_ENOMEM, "out of memory");
		return NULL;
	}
	rc = sg_zygote_start(&slot->z, py, prepared, require, modules, guard,
			     err);
	if (rc < 0) {
		free(slot);
		return NULL;
	}
	(void)pthread_mutex_init(&slot->io, NULL);
	slot->born = sg_clock_mono();
	slot->like.groups = groups;
	slot->like.orders = orders;
	slot->like.cpus = sg_watch_cpus();
	slot->like.want = slot->z.want;
	slot->like.missing = slot->z.missing;
	/* In version 2 a worker is best born in its group. */
	slot->z.late = groups->base.memory.kind == SG_CGROUP_V2;
	sg_slot_refill(slot);
	return slot;
}

void
sg_slot_free(struct sg_slot *slot)
{
	sg_zygote_stop(&slot->z);
	(void)pthread_mutex_destroy(&slot->io);
	free(slot);
}

static bool
ask(struct sg_slot *slot)
{
	return sg_zygote_ask(&slot->z,
			     slot->alike >= ALIKE ? &slot->like : NULL);
}

void
sg_slot_refill(struct sg_slot *slot)
{
	(void)pthread_mutex_lock(&slot->io);
	while (slot->z.nasked < SPARES && ask(slot))
		;
	(void)pthread_mutex_unlock(&slot->io);
}

void
sg_slot_empty(struct sg_slot *slot)
{
	struct sg_spare box;

	(void)pthread_mutex_lock(&slot->io);
	while (slot->z.nasked && sg_zygote_answer(&slot->z, ANSWER_MS, &box))
		sg_spare_drop(&box);
	(void)pthread_mutex_unlock(&slot->io);
}

/*
 * With `io`.  A run with files is like no other, so that those in `like`,
 * which are the run's, are not looked at when it is over.
 */
static void
note(struct sg_slot *slot, const struct sg_box_spec *spec,
     const struct sg_prepared *prepared)
{
	struct sg_ready_for *f = &slot->like;

	if (f->prepared == prepared && sg_ready_fits(&f->spec, spec)) {
		slot->alike++;
		return;
	}
	slot->alike = 0;
	f->prepared = prepared;
	sg_ready_spec(spec, &f->spec);
}

/* A box that serves a run of `like`; one that does not is let go. */
static bool
take_box(struct sg_slot *slot, const struct sg_box_spec *spec,
	 const struct sg_prepared *prepared, struct sg_spare *ret)
{
	if (!sg_zygote_answer(&slot->z, ANSWER_MS, ret))
		return false;
	if (sg_spare_alive(ret) &&
	    (!ret->run || (ret->run->prepared == prepared &&
			   sg_ready_fits(&ret->run->spec, spec))))
		return true;
	sg_spare_drop(ret);
	return false;
}

enum sg_slot_answer
sg_slot_take(struct sg_slot *slot, const struct sg_box_spec *spec,
	     const struct sg_prepared *prepared, struct sg_spare *ret_box,
	     struct sg_ready **ret_run, bool *ret_ahead)
{
	struct sg_ready_for f;
	bool good = false;

	(void)pthread_mutex_lock(&slot->io);
	note(slot, spec, prepared);
	f = slot->like;
	for (int i = 0; !good && i <= SPARES; i++) {
		if (!slot->z.nasked && !sg_zygote_ask(&slot->z, NULL))
			break;
		good = take_box(slot, spec, prepared, ret_box);
		if (!good && !sg_zygote_alive(&slot->z))
			break;
	}
	(void)pthread_mutex_unlock(&slot->io);
	if (!good)
		return SG_SLOT_DEAD;
	*ret_run = ret_box->run;
	ret_box->run = NULL;
	*ret_ahead = *ret_run != NULL;
	if (!*ret_run)
		*ret_run = sg_ready_new(&f, ret_box->sock, -1);
	if (*ret_run)
		return SG_SLOT_BOX;
	sg_spare_drop(ret_box);
	sg_slot_refill(slot);
	return SG_SLOT_UNFIT;
}
