#include "executor/attempt.h"

static struct sg_layer_note
note_of(const struct sg_attempt *a, unsigned i)
{
	static const unsigned spaces = SG_L_BIT(SG_L_MOUNT_NS) |
				       SG_L_BIT(SG_L_PID_NS) |
				       SG_L_BIT(SG_L_NET_NS) |
				       SG_L_BIT(SG_L_IPC_NS) |
				       SG_L_BIT(SG_L_TIME_NS);
	struct sg_layer_note note = a->board->note[i];

	if (!(a->want & SG_L_BIT(i)))
		return a->missing[i];
	/* These come with the clone, not with a step. */
	if (SG_L_BIT(i) & spaces)
		note.state = SG_LAYER_ACTIVE;
	return note;
}

static void
describe_group(const struct sg_attempt *a, const struct sg_cgroup_part *p,
	       const char *what, struct sg_layer_note *note,
	       struct sg_layer *ret)
{
	if (p->procs_fd >= 0 && note->state == SG_LAYER_ACTIVE) {
		ret->detail = sg_arena_printf(a->arena, "cgroup v%d: %s",
					      p->kind == SG_CGROUP_V1 ? 1 : 2,
					      what);
		return;
	}
	note->state = SG_LAYER_UNAVAILABLE;
	note->sys = p->sys;
	ret->detail = sg_arena_printf(
		a->arena, "%s; resource limits and watching instead",
		p->why[0] ? p->why : "the group cannot be joined");
}

int
sg_attempt_layers(const struct sg_attempt *a,
		  const struct sg_layer **ret_layers, struct sg_err *err)
{
	struct sg_layer *v = SG_NEWN(a->arena, struct sg_layer, SG_L_COUNT);
	unsigned must = sg_layer_required(a->spec->require);

	if (!v)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	for (unsigned i = 0; i < SG_L_COUNT; i++) {
		struct sg_layer_note note = note_of(a, i);

		if (i == SG_L_MEMORY)
			describe_group(a, &a->cgroup.memory, "memory", &note,
				       &v[i]);
		else if (i == SG_L_PIDS && a->spec->limits.processes)
			describe_group(a, &a->cgroup.pids, "pids", &note,
				       &v[i]);
		else if (i == SG_L_LANDLOCK && a->board->landlock_abi)
			v[i].detail = sg_arena_printf(a->arena, "version %d",
						      a->board->landlock_abi);
		sg_layer_describe((enum sg_layer_id)i, &note, must, a->arena,
				  &v[i]);
	}
	*ret_layers = v;
	return SG_OK;
}
