#ifndef SG_EXECUTOR_LIMITS_H
#define SG_EXECUTOR_LIMITS_H

/* Caps of the executor's own machinery; those of a run are in box.h. */

enum {
	/* The interpreter must reach the first line of the program in this
	   time; a loaded machine with a cold cache needs a second or two. */
	SG_BOX_START_MS = 20000,
	/* After this long a box that is still there is killed again. */
	SG_BOX_REKILL_MS = 20,
	/* How far beyond a limit a process-wide rlimit stands behind it. */
	SG_BOX_CPU_SLACK_S = 2,
	SG_BOX_PINNED = 64 << 20, /* bytes of a zygote's memory */
	/* Stack of one thread as the C library reserves it. */
	SG_BOX_STACK = 8 * 1024 * 1024,
	/* How often memory is looked at where there is no cgroup. */
	SG_BOX_POLL_MS = 5,

	SG_BOX_CODE_MAX = 16 * 1024 * 1024,
	SG_BOX_ARGS_MAX = 256,
	SG_BOX_GUARD_MAX = 4096,        /* entries */
	SG_BOX_GUARD_TEXT = 512 * 1024, /* bytes of all of them */
	SG_BOX_ENV_TEXT = 128 * 1024,   /* bytes of the environment */
	SG_BOX_INPUTS_MAX = 1000,
	SG_BOX_NAME_MAX = 512,       /* bytes in the name of one file */
	SG_BOX_DEPTH_MAX = 16,       /* folders below the workspace */
	SG_BOX_ENTRIES_MAX = 100000, /* looked at while collecting */

	SG_BOX_BINDS_MAX = 64,
	/* Refused calls answered one by one; then the listener is closed and
	   the kernel answers ENOSYS by itself. */
	SG_BOX_DENIED_CALLS = 4096,
	SG_BOX_DENIED_NAMES = 64,

	SG_BOX_HINT_MAX = 1024,
	SG_BOX_TEXT_MAX = 64 * 1024, /* traceback, error value */
	SG_BOX_PNG_SIDE_MAX = 32768  /* pixels */
};

#endif
