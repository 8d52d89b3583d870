#include "executor/groups.h"

/*
 * Theory of operation.  A group waits as its run has left it, and is made as
 * new when the next one wants it (sg_cgroup_part_reset()): by then the
 * kernel has taken back the last of what the run had, its workspace above
 * all, which is given up after the answer is out.  The one that has waited
 * longest is asked; when it cannot be had yet it waits again, for some
 * times, and the run has a new one.
 *
 * Version 2 never forgets a peak, and has one group for both controllers.
 */

enum { ASKED = 4 /* times in vain, until one is given up */ };

void
sg_groups_init(struct sg_groups *g)
{
	memset(g, 0, sizeof(*g));
	sg_cgroup_base_init(&g->base);
	g->apart = strcmp(g->base.memory.dir, g->base.pids.dir) != 0;
	(void)pthread_mutex_init(&g->lock, NULL);
}

/* False when there is none. */
static bool
pop(struct sg_groups *g, struct sg_groups_idle *idle,
    struct sg_cgroup_part *ret)
{
	bool some;

	(void)pthread_mutex_lock(&g->lock);
	some = idle->n > 0;
	if (some) {
		*ret = idle->v[0];
		idle->n--;
		memmove(idle->v, idle->v + 1, idle->n * sizeof(idle->v[0]));
	}
	(void)pthread_mutex_unlock(&g->lock);
	return some;
}

/* Closes it when there is no room. */
static void
push(struct sg_groups *g, struct sg_groups_idle *idle, struct sg_cgroup_part *p)
{
	bool room;

	(void)pthread_mutex_lock(&g->lock);
	room = idle->n < SG_GROUPS_IDLE;
	if (room)
		idle->v[idle->n++] = *p;
	(void)pthread_mutex_unlock(&g->lock);
	if (!room)
		sg_cgroup_part_close(p);
}

static void
take(struct sg_groups *g, struct sg_groups_idle *idle, const char *controller,
     uint64_t limit, struct sg_cgroup_part *ret)
{
	if (pop(g, idle, ret)) {
		if (sg_cgroup_part_reset(ret, limit)) {
			ret->asked = 0;
			ret->uses++;
			return;
		}
		if (++ret->asked < ASKED)
			push(g, idle, ret);
		else
			sg_cgroup_part_close(ret);
	}
	sg_cgroup_part_open(ret, controller, limit, &g->base);
}

void
sg_groups_take(struct sg_groups *g, const struct sg_cgroup_limits *l,
	       struct sg_cgroup *ret)
{
	if (!g->apart) {
		sg_cgroup_open(ret, l, &g->base);
		return;
	}
	sg_cgroup_init(ret);
	if (l->memory)
		take(g, &g->memory, "memory", l->memory, &ret->memory);
	if (l->pids)
		take(g, &g->pids, "pids", l->pids, &ret->pids);
}

static void
give(struct sg_groups *g, struct sg_groups_idle *idle, struct sg_cgroup_part *p)
{
	if (p->kind == SG_CGROUP_V1 && p->dir_fd >= 0 &&
	    p->uses < SG_GROUPS_USES)
		push(g, idle, p);
	else
		sg_cgroup_part_close(p);
	sg_cgroup_part_init(p);
}

void
sg_groups_give(struct sg_groups *g, struct sg_cgroup *cg)
{
	if (!g->apart) {
		sg_cgroup_close(cg);
		return;
	}
	give(g, &g->memory, &cg->memory);
	give(g, &g->pids, &cg->pids);
}

void
sg_groups_empty(struct sg_groups *g)
{
	struct sg_cgroup_part p;

	while (pop(g, &g->memory, &p))
		sg_cgroup_part_close(&p);
	while (pop(g, &g->pids, &p))
		sg_cgroup_part_close(&p);
}

void
sg_groups_release(struct sg_groups *g)
{
	sg_groups_empty(g);
	(void)pthread_mutex_destroy(&g->lock);
}
