#ifndef SG_EXECUTOR_LAYER_H
#define SG_EXECUTOR_LAYER_H

/* The layers of the box, by number; layer.c has their names and advice. */

#include "base/arena.h"
#include "executor/box.h"

enum sg_layer_id {
	SG_L_USER_NS,
	SG_L_MOUNT_NS,
	SG_L_PID_NS,
	SG_L_NET_NS,
	SG_L_IPC_NS,
	SG_L_UTS_NS,
	SG_L_CGROUP_NS,
	SG_L_TIME_NS,
	SG_L_ROOT, /* pivot_root into a tmpfs with read-only binds */
	SG_L_PROC,
	SG_L_WORKSPACE, /* a capped tmpfs */
	SG_L_CAPS,
	SG_L_NNP,
	SG_L_RLIMITS,
	SG_L_MEMORY, /* a limit on all memory together */
	SG_L_PIDS,
	SG_L_LANDLOCK,
	SG_L_SECCOMP,
	SG_L_NOTIFY,
	SG_L_COUNT
};

#define SG_L_BIT(id) (1u << (id))
#define SG_L_ALL ((1u << SG_L_COUNT) - 1)

/* What a step of the set-up found; plain data in shared memory. */
struct sg_layer_note {
	int state; /* enum sg_layer_state */
	int sys;   /* errno behind UNAVAILABLE */
	int with;  /* the layer that it needs and that is unavailable, plus 1;
		      0: it is missing by itself */
};

/* The bits of the layers without which nothing may run. */
unsigned sg_layer_required(enum sg_box_require require);
const char *sg_layer_name(enum sg_layer_id id);

/* Fills in name, detail (if empty), advice and `required`. */
void sg_layer_describe(enum sg_layer_id id, const struct sg_layer_note *note,
		       unsigned required, struct sg_arena *arena,
		       struct sg_layer *ret);

#endif
