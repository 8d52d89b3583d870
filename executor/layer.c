#include "executor/layer.h"

#include <errno.h>
#include <unistd.h>

/* Where a layer belongs to the least that a level asks for. */
enum { ANY = 1, STANDARD = 2, STRICT = 4 };

struct row {
	const char *name;
	unsigned levels;
	const char *detail; /* when active */
	const char *advice; /* when not */
};

#define USERNS_ADVICE                                                      \
	"allow user namespaces (kernel.unprivileged_userns_clone=1, "      \
	"user.max_user_namespaces > 0, an AppArmor profile with userns), " \
	"or run as root"
#define SAME_ADVICE "comes with the user namespace, or with root"
#define CONTAINER_ADVICE                                                       \
	"in a container: --cap-add SYS_ADMIN --security-opt "                  \
	"seccomp=unconfined --security-opt apparmor=unconfined, or a runtime " \
	"that nests; or lower '--require'"
#define APPARMOR_ADVICE                                                   \
	"AppArmor: a profile for sandgate with 'userns,', or "            \
	"kernel.apparmor_restrict_unprivileged_userns=0; SELinux: allow " \
	"user_namespace create; or run as root"

static const struct row rows[SG_L_COUNT] = {
	[SG_L_USER_NS] = { "user namespace", STRICT | STANDARD,
			   "an unprivileged user of its own", USERNS_ADVICE },
	[SG_L_MOUNT_NS] = { "mount namespace", STRICT | STANDARD,
			    "a file tree of its own", SAME_ADVICE },
	[SG_L_PID_NS] = { "pid namespace", STRICT | STANDARD,
			  "sees and signals its own processes only",
			  SAME_ADVICE },
	[SG_L_NET_NS] = { "network namespace", STRICT | STANDARD,
			  "no interface is up", SAME_ADVICE },
	[SG_L_IPC_NS] = { "ipc namespace", STRICT | STANDARD,
			  "queues and segments of its own", SAME_ADVICE },
	[SG_L_UTS_NS] = { "uts namespace", STRICT | STANDARD,
			  "a host name of its own", SAME_ADVICE },
	[SG_L_CGROUP_NS] = { "cgroup namespace", STRICT,
			     "the host's groups are hidden", SAME_ADVICE },
	[SG_L_TIME_NS] = { "time namespace", STRICT,
			   "apart from the host's; clocks are not shifted",
			   "needs Linux 5.6 with CONFIG_TIME_NS" },
	[SG_L_ROOT] = { "private root", STRICT | STANDARD,
			"tmpfs root, system bound read-only, old root gone",
			"allow mount and pivot_root (container: "
			"--security-opt seccomp=unconfined, or nest user "
			"namespaces)" },
	[SG_L_PROC] = { "proc", STRICT, "its own processes only (subset=pid)",
			"the host hides parts of /proc; run where /proc is "
			"whole (container: --security-opt "
			"systempaths=unconfined), or go without" },
	[SG_L_WORKSPACE] = { "workspace", STRICT | STANDARD,
			     "tmpfs, bytes and inodes capped", SAME_ADVICE },
	[SG_L_CAPS] = { "capabilities", STRICT | STANDARD,
			"none, and none to be gained",
			"run as an ordinary user" },
	[SG_L_NNP] = { "no new privileges", STRICT | STANDARD | ANY,
		       "set-user-id files give nothing", "needs Linux 3.5" },
	[SG_L_RLIMITS] = { "resource limits", STRICT | STANDARD | ANY,
			   "data, cpu, file size, open files, processes",
			   "raise the hard limits of the caller" },
	[SG_L_MEMORY] = { "memory limit", STRICT, "",
			  "give us a control group with the memory "
			  "controller (systemd: Delegate=memory pids)" },
	[SG_L_PIDS] = { "process limit", STRICT,
			"no processes by the filter, threads by rlimit",
			"give us a control group with the pids controller "
			"(systemd: Delegate=memory pids)" },
	[SG_L_LANDLOCK] = { "landlock", STRICT, "",
			    "needs Linux 5.13 with landlock among the "
			    "security modules (lsm=landlock,...)" },
	[SG_L_SECCOMP] = { "seccomp", STRICT | STANDARD | ANY,
			   "an allowlist of system calls",
			   "needs Linux 4.14 with CONFIG_SECCOMP_FILTER" },
	[SG_L_NOTIFY] = { "seccomp notification", STRICT,
			  "refused calls are recorded by name",
			  "needs Linux 5.5; not inside another box that uses "
			  "notification itself" },
};

enum who { ANYBODY, ROOT, ORDINARY };

/* What an error means for a layer, and what to do, where it is known. */
static const struct reason {
	enum sg_layer_id id;
	int sys;
	enum who who;
	const char *detail; /* NULL: as it is */
	const char *advice;
} reasons[] = {
	{ SG_L_USER_NS, ENOSPC, ANYBODY,
	  "the limit user.max_user_namespaces is reached",
	  "raise it: sysctl user.max_user_namespaces=15000; in a container "
	  "the host's counts" },
	{ SG_L_USER_NS, EUSERS, ANYBODY, "namespaces are nested too deeply",
	  "run it in fewer boxes" },
	{ SG_L_USER_NS, ENOENT, ANYBODY,
	  "its mapping cannot be written: there is no /proc in the box",
	  "comes with the private root" },
	{ SG_L_USER_NS, EPERM, ROOT,
	  "not even root may make one: a container's filter, or a security "
	  "module",
	  CONTAINER_ADVICE },
	{ SG_L_USER_NS, EPERM, ORDINARY, "this user may not make one",
	  USERNS_ADVICE },
	{ SG_L_USER_NS, EACCES, ORDINARY, "a security module refuses it",
	  APPARMOR_ADVICE },
	{ SG_L_MOUNT_NS, EPERM, ROOT, "root may not mount", CONTAINER_ADVICE },
	{ SG_L_MOUNT_NS, EACCES, ROOT, "root may not mount", CONTAINER_ADVICE },
	{ SG_L_MOUNT_NS, EPERM, ORDINARY,
	  "a user namespace can be made, but nothing may be mounted in it",
	  APPARMOR_ADVICE },
	{ SG_L_MOUNT_NS, EACCES, ORDINARY,
	  "a user namespace can be made, but nothing may be mounted in it",
	  APPARMOR_ADVICE },
	{ SG_L_ROOT, EPERM, ROOT, "mount or pivot_root is refused",
	  CONTAINER_ADVICE },
	{ SG_L_ROOT, EACCES, ROOT, "mount or pivot_root is refused",
	  CONTAINER_ADVICE },
	{ SG_L_ROOT, EPERM, ORDINARY, "mount or pivot_root is refused",
	  APPARMOR_ADVICE },
	{ SG_L_ROOT, EACCES, ORDINARY, "mount or pivot_root is refused",
	  APPARMOR_ADVICE },
	{ SG_L_MEMORY, EACCES, ORDINARY, NULL,
	  "run it in a group of your own: systemd-run --user --scope -p "
	  "Delegate=yes sandgate ..., or Delegate=memory pids in its unit" },
	{ SG_L_MEMORY, EROFS, ANYBODY, NULL,
	  "in a container: mount /sys/fs/cgroup so that it can be written "
	  "(--privileged --cgroupns=private), or go without" },
	{ SG_L_MEMORY, ENODEV, ANYBODY, NULL,
	  "mount one: mount -t cgroup2 none /sys/fs/cgroup; or go without" },
	{ SG_L_LANDLOCK, ENOSYS, ANYBODY, "this kernel has none",
	  "needs Linux 5.13 with CONFIG_SECURITY_LANDLOCK; the other walls "
	  "stand without it" },
	{ SG_L_LANDLOCK, EOPNOTSUPP, ANYBODY,
	  "this kernel has it, switched off",
	  "name landlock in lsm= of the kernel's command line; "
	  "/sys/kernel/security/lsm says what is on" },
	{ SG_L_NOTIFY, EBUSY, ANYBODY, "a box around this one listens already",
	  "refused calls are refused all the same, but not recorded by "
	  "name" },
};

static const struct reason *
reason_of(enum sg_layer_id id, int sys)
{
	enum who who = geteuid() == 0 ? ROOT : ORDINARY;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].id == id && reasons[i].sys == sys &&
		    (reasons[i].who == ANYBODY || reasons[i].who == who))
			return &reasons[i];
	return NULL;
}

unsigned
sg_layer_required(enum sg_box_require require)
{
	unsigned level = require == SG_REQUIRE_STRICT     ? STRICT
			 : require == SG_REQUIRE_STANDARD ? STANDARD
							  : ANY;
	unsigned bits = 0;

	for (unsigned i = 0; i < SG_L_COUNT; i++)
		if (rows[i].levels & level)
			bits |= SG_L_BIT(i);
	return bits;
}

const char *
sg_layer_name(enum sg_layer_id id)
{
	return rows[id].name;
}

/* Why it is not there, and what to do about it. */
static void
explain(enum sg_layer_id id, const struct sg_layer_note *note,
	struct sg_arena *arena, struct sg_layer *ret)
{
	const struct reason *r = reason_of(id, note->sys);

	ret->advice = sg_str_c(r ? r->advice : rows[id].advice);
	if (note->with) {
		const char *name =
			sg_layer_name((enum sg_layer_id)(note->with - 1));

		ret->detail = sg_arena_printf(arena, "not without the %s",
					      name);
		ret->advice = sg_arena_printf(arena, "comes with the %s", name);
	} else if (r && r->detail && !ret->detail.n) {
		ret->detail = sg_arena_printf(arena, "%s (%s)", r->detail,
					      strerror(note->sys));
	} else if (note->sys && !ret->detail.n) {
		ret->detail = sg_arena_printf(arena, "the kernel says: %s",
					      strerror(note->sys));
	}
}

void
sg_layer_describe(enum sg_layer_id id, const struct sg_layer_note *note,
		  unsigned required, struct sg_arena *arena,
		  struct sg_layer *ret)
{
	ret->name = rows[id].name;
	ret->state = (enum sg_layer_state)note->state;
	ret->required = (required & SG_L_BIT(id)) != 0;
	ret->advice = SG_STR_NONE;
	if (ret->state == SG_LAYER_UNAVAILABLE)
		explain(id, note, arena, ret);
	else if (ret->state == SG_LAYER_ACTIVE && !ret->detail.n)
		ret->detail = sg_str_c(rows[id].detail);
}
