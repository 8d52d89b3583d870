#ifndef SG_EXECUTOR_SYSFILTER_H
#define SG_EXECUTOR_SYSFILTER_H

/*
 * The seccomp programs of a run, made from systable.h.
 *
 * The *first* is in place before the interpreter is executed.  It refuses
 * what is hostile and lets the rest pass, so that any interpreter can load.
 * Where the kernel has user notification, a refused call is put to the
 * supervisor, which records it by name and answers with its errno.
 *
 * The *final* one is added by the native module before the first line of
 * the program: an allowlist, ENOSYS for what it does not name.  The kernel
 * runs both and takes the stricter answer; so in a run with notification
 * the final one lets the hostile calls pass to the first, which asks.
 *
 * The *whole* one answers what these two answer together.  It is the only
 * one in a fork of a zygote, where the interpreter is there already and
 * nothing of ours comes between the two: each takes the kernel a while to
 * install, and it is as long as the final one.
 *
 * In all, another architecture's calls (int 0x80, x32) kill.
 */

#include "base/arena.h"
#include "base/status.h"

enum sg_filter_stage { SG_FILTER_FIRST, SG_FILTER_FINAL, SG_FILTER_WHOLE };

enum sg_filter_arch { SG_ARCH_NATIVE, SG_ARCH_X86_64, SG_ARCH_AARCH64 };

struct sg_filter_opts {
	enum sg_filter_stage stage;
	enum sg_filter_arch arch;
	bool notify;    /* the first one asks the supervisor */
	bool processes; /* fork and exec are allowed */
	bool pidns;     /* signals cannot leave the box */
};

/*
 * *ret is an array of struct sock_filter as bytes, owned by `arena`.
 * SG_EBOX when the machine is of another architecture, SG_ENOMEM.
 */
SG_MUST_CHECK int sg_filter_build(const struct sg_filter_opts *opts,
				  struct sg_arena *arena, struct sg_str *ret,
				  struct sg_err *err);

/* "final-notify-processes-pidns" and so on: what the options say. */
enum { SG_FILTER_KEY = 64 };
void sg_filter_key(const struct sg_filter_opts *opts, char out[SG_FILTER_KEY]);

enum { SG_SYS_NAME = 32 };

/* The name of native system call `nr`, or "syscall_<nr>". */
void sg_filter_name(int nr, char out[SG_SYS_NAME]);
/* The native number of `name`, or -1. */
int sg_filter_number(const char *name);

#endif
