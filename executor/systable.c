#include "executor/systable.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <termios.h>

/* --- by name alone ------------------------------------------------------- */

static const char *const io[] = {
	"read",      "write",       "readv",     "writev",    "pread64",
	"pwrite64",  "preadv",      "pwritev",   "preadv2",   "pwritev2",
	"close",     "close_range", "lseek",     "dup",       "dup2",
	"dup3",      "pipe",        "pipe2",     "sendfile",  "copy_file_range",
	"fadvise64", "readahead",   "fsync",     "fdatasync", "sync_file_range",
	"ftruncate", "truncate",    "fallocate", "flock",     NULL
};

static const char *const files[] = {
	"open",       "openat",     "creat",      "stat",       "lstat",
	"fstat",      "newfstatat", "statx",      "access",     "faccessat",
	"faccessat2", "readlink",   "readlinkat", "getdents",   "getdents64",
	"getcwd",     "chdir",      "fchdir",     "mkdir",      "mkdirat",
	"rmdir",      "unlink",     "unlinkat",   "rename",     "renameat",
	"renameat2",  "link",       "linkat",     "symlink",    "symlinkat",
	"chmod",      "fchmod",     "fchmodat",   "fchmodat2",  "utime",
	"utimes",     "utimensat",  "futimesat",  "umask",      "statfs",
	"fstatfs",    "listxattr",  "llistxattr", "flistxattr", "getxattr",
	"lgetxattr",  "fgetxattr",  NULL
};

static const char *const memory[] = { "mmap",    "mprotect", "munmap",
				      "mremap",  "brk",      "msync",
				      "mincore", "mlock",    "munlock",
				      NULL };

static const char *const signals[] = { "rt_sigaction",
				       "rt_sigprocmask",
				       "rt_sigreturn",
				       "rt_sigpending",
				       "rt_sigtimedwait",
				       "rt_sigsuspend",
				       "sigaltstack",
				       "restart_syscall",
				       "pause",
				       "alarm",
				       "setitimer",
				       "getitimer",
				       NULL };

static const char *const clocks[] = { "timer_create",    "timer_settime",
				      "timer_gettime",   "timer_getoverrun",
				      "timer_delete",    "timerfd_create",
				      "timerfd_settime", "timerfd_gettime",
				      "clock_gettime",   "clock_getres",
				      "clock_nanosleep", "nanosleep",
				      "gettimeofday",    "time",
				      "times",           NULL };

static const char *const self[] = { "set_tid_address",
				    "set_robust_list",
				    "get_robust_list",
				    "rseq",
				    "membarrier",
				    "sched_yield",
				    "sched_getaffinity",
				    "sched_getparam",
				    "sched_getscheduler",
				    "sched_get_priority_max",
				    "sched_get_priority_min",
				    "getcpu",
				    "exit",
				    "exit_group",
				    "gettid",
				    "getpid",
				    "getppid",
				    "getpgrp",
				    "getpgid",
				    "getsid",
				    "setsid",
				    "setpgid",
				    "getuid",
				    "geteuid",
				    "getgid",
				    "getegid",
				    "getresuid",
				    "getresgid",
				    "getgroups",
				    "getrusage",
				    "getrlimit",
				    "getpriority",
				    "uname",
				    "sysinfo",
				    "getrandom",
				    "capget",
				    "wait4",
				    "waitid",
				    NULL };

static const char *const waiting[] = { "poll",
				       "ppoll",
				       "select",
				       "pselect6",
				       "epoll_create",
				       "epoll_create1",
				       "epoll_ctl",
				       "epoll_wait",
				       "epoll_pwait",
				       "epoll_pwait2",
				       "eventfd",
				       "eventfd2",
				       NULL };

/* Harmless while socketpair() is the only way to get a socket. */
static const char *const pairs[] = { "sendto",      "recvfrom",   "sendmsg",
				     "recvmsg",     "shutdown",   "getsockname",
				     "getpeername", "getsockopt", NULL };

static const char *const no_sockets[] = { "socket", NULL };

static const char *const network[] = { "connect",  "bind",     "listen",
				       "accept",   "accept4",  "setsockopt",
				       "recvmmsg", "sendmmsg", NULL };

static const char *const tracing[] = {
	"ptrace", "process_vm_writev", "process_madvise",
	"kcmp",   "pidfd_getfd",       "perf_event_open",
	"bpf",    "userfaultfd",       "lookup_dcookie",
	NULL
};

static const char *const mounts[] = {
	"mount",     "umount",        "umount2",           "pivot_root",
	"chroot",    "setns",         "unshare",           "move_mount",
	"open_tree", "fsopen",        "fsconfig",          "fsmount",
	"fspick",    "mount_setattr", "open_by_handle_at", "name_to_handle_at",
	NULL
};

static const char *const keys[] = { "keyctl", "add_key", "request_key", NULL };

static const char *const machine[] = { "init_module",
				       "finit_module",
				       "delete_module",
				       "kexec_load",
				       "kexec_file_load",
				       "reboot",
				       "swapon",
				       "swapoff",
				       "syslog",
				       "acct",
				       "quotactl",
				       "quotactl_fd",
				       "settimeofday",
				       "clock_settime",
				       "clock_adjtime",
				       "adjtimex",
				       "sethostname",
				       "setdomainname",
				       "ioperm",
				       "iopl",
				       "modify_ldt",
				       "personality",
				       "vhangup",
				       "nfsservctl",
				       NULL };

static const char *const identity[] = {
	"setuid",    "setgid",      "setreuid",     "setregid",
	"setresuid", "setresgid",   "setfsuid",     "setfsgid",
	"setgroups", "capset",      "chown",        "fchown",
	"lchown",    "fchownat",    "setxattr",     "lsetxattr",
	"fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
	"mknod",     "mknodat",     "setrlimit",    NULL
};

static const char *const scheduling[] = { "sched_setaffinity",
					  "sched_setparam",
					  "sched_setscheduler",
					  "sched_setattr",
					  "setpriority",
					  "ioprio_set",
					  NULL };

static const char *const sysv[] = { "msgget",
				    "msgsnd",
				    "msgrcv",
				    "msgctl",
				    "semget",
				    "semop",
				    "semctl",
				    "semtimedop",
				    "shmget",
				    "shmat",
				    "shmdt",
				    "shmctl",
				    "mq_open",
				    "mq_unlink",
				    "mq_timedsend",
				    "mq_timedreceive",
				    "mq_notify",
				    "mq_getsetattr",
				    NULL };

static const char *const exotic[] = { "vmsplice",      "splice",
				      "tee",           "fanotify_init",
				      "fanotify_mark", "memfd_secret",
				      "execveat",      "io_setup",
				      "io_submit",     "io_destroy",
				      "io_getevents",  "io_cancel",
				      "seccomp",       NULL };

const struct sg_sys_group sg_sys_groups[] = {
	{ "io", "reading and writing what is open", SG_SYS_ALLOW, 0, io },
	{ "files", "names and attributes", SG_SYS_ALLOW, 0, files },
	{ "memory", "its own memory", SG_SYS_ALLOW, 0, memory },
	{ "signals", "its own signals", SG_SYS_ALLOW, 0, signals },
	{ "clocks", "reading clocks, timers", SG_SYS_ALLOW, 0, clocks },
	{ "self", "asking about itself, ending", SG_SYS_ALLOW, 0, self },
	{ "waiting", "poll and its kin", SG_SYS_ALLOW, 0, waiting },
	{ "pairs", "talking over a socket pair", SG_SYS_ALLOW, 0, pairs },
	{ "no-sockets", "making a socket", SG_SYS_DENY, EAFNOSUPPORT,
	  no_sockets },
	{ "network", "using one", SG_SYS_DENY, EPERM, network },
	{ "tracing", "looking into other processes and the kernel", SG_SYS_DENY,
	  EPERM, tracing },
	{ "mounts", "namespaces and the file tree", SG_SYS_DENY, EPERM,
	  mounts },
	{ "keys", "kernel keyrings", SG_SYS_DENY, EPERM, keys },
	{ "machine", "the machine as a whole", SG_SYS_DENY, EPERM, machine },
	{ "identity", "users, owners, capabilities, limits", SG_SYS_DENY, EPERM,
	  identity },
	{ "scheduling", "priorities", SG_SYS_DENY, EPERM, scheduling },
	{ "sysv", "message queues, semaphores, shared segments", SG_SYS_DENY,
	  EPERM, sysv },
	{ "exotic", "large attack surface, no use here", SG_SYS_DENY, EPERM,
	  exotic },
	{ NULL, NULL, SG_SYS_ALLOW, 0, NULL }
};

/* --- by argument --------------------------------------------------------- */

#define LOW32 0xffffffffu
#define NAMESPACES                                                \
	((uint64_t)CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | \
	 CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define CLONE_BAD (NAMESPACES | CLONE_UNTRACED | CLONE_PTRACE)

/* Constants that the C library's headers may be too old to know. */
#define IOC_FICLONE 0x40049409u
#define PRC_SET_VMA 0x53564d41u
#define PRC_SET_PTRACER 0x59616d61u
#define PRC_SET_MDWE 65u
#define ARCH_SET_FS_ 0x1002u
#define ARCH_GET_FS_ 0x1003u
#define ARCH_CET_STATUS_ 0x3001u

#define ALLOW_EQ(call, i, v)                         \
	{                                            \
		call, SG_SYS_ALLOW, 0, 0,            \
		{                                    \
			{ SG_OP_MASK, i, LOW32, v }, \
			{                            \
				SG_OP_NONE, 0, 0, 0  \
			}                            \
		}                                    \
	}
#define LATE_EQ(call, i, v)                          \
	{                                            \
		call, SG_SYS_LATE, EPERM, 0,         \
		{                                    \
			{ SG_OP_MASK, i, LOW32, v }, \
			{                            \
				SG_OP_NONE, 0, 0, 0  \
			}                            \
		}                                    \
	}
#define DENY_EQ(call, i, v)                          \
	{                                            \
		call, SG_SYS_DENY, EPERM, 0,         \
		{                                    \
			{ SG_OP_MASK, i, LOW32, v }, \
			{                            \
				SG_OP_NONE, 0, 0, 0  \
			}                            \
		}                                    \
	}
#define ALLOW_WHEN(call, when)                      \
	{                                           \
		call, SG_SYS_ALLOW, 0, when,        \
		{                                   \
			{ SG_OP_NONE, 0, 0, 0 },    \
			{                           \
				SG_OP_NONE, 0, 0, 0 \
			}                           \
		}                                   \
	}
#define DENY_WHEN(call, when)                       \
	{                                           \
		call, SG_SYS_DENY, EPERM, when,     \
		{                                   \
			{ SG_OP_NONE, 0, 0, 0 },    \
			{                           \
				SG_OP_NONE, 0, 0, 0 \
			}                           \
		}                                   \
	}
#define CLONE_RULE(verdict, when, mask, value)          \
	{                                               \
		"clone", verdict, EPERM, when,          \
		{                                       \
			{ SG_OP_MASK, 0, mask, value }, \
			{                               \
				SG_OP_NONE, 0, 0, 0     \
			}                               \
		}                                       \
	}
#define CLONE_NO(bit) CLONE_RULE(SG_SYS_DENY, SG_WHEN_PROCS, bit, bit)
/* The operation without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME. */
#define FUTEX_CALL(op)                                                     \
	{                                                                  \
		"futex", SG_SYS_ALLOW, 0, 0,                               \
		{                                                          \
			{ SG_OP_MASK, 1, LOW32 & (uint32_t)FUTEX_CMD_MASK, \
			  op },                                            \
			{                                                  \
				SG_OP_NONE, 0, 0, 0                        \
			}                                                  \
		}                                                          \
	}

const struct sg_sys_rule sg_sys_rules[] = {
	/* Threads are clone() with CLONE_THREAD; all else is a process. */
	CLONE_RULE(SG_SYS_ALLOW, SG_WHEN_NO_PROCS, CLONE_BAD | CLONE_THREAD,
		   CLONE_THREAD),
	CLONE_RULE(SG_SYS_DENY, SG_WHEN_NO_PROCS, CLONE_THREAD, 0),
	CLONE_RULE(SG_SYS_ALLOW, SG_WHEN_PROCS, CLONE_BAD, 0),
	CLONE_NO(CLONE_NEWNS),
	CLONE_NO(CLONE_NEWCGROUP),
	CLONE_NO(CLONE_NEWUTS),
	CLONE_NO(CLONE_NEWIPC),
	CLONE_NO(CLONE_NEWUSER),
	CLONE_NO(CLONE_NEWPID),
	CLONE_NO(CLONE_NEWNET),
	CLONE_NO(CLONE_UNTRACED),
	CLONE_NO(CLONE_PTRACE),
	ALLOW_WHEN("fork", SG_WHEN_PROCS),
	ALLOW_WHEN("vfork", SG_WHEN_PROCS),
	ALLOW_WHEN("execve", SG_WHEN_PROCS),
	DENY_WHEN("fork", SG_WHEN_NO_PROCS),
	DENY_WHEN("vfork", SG_WHEN_NO_PROCS),
	DENY_WHEN("execve", SG_WHEN_NO_PROCS),

	/* Beyond the namespace there would be somebody to hit. */
	ALLOW_WHEN("kill", SG_WHEN_PIDNS),
	ALLOW_WHEN("tkill", SG_WHEN_PIDNS),
	ALLOW_WHEN("tgkill", SG_WHEN_PIDNS),
	ALLOW_WHEN("rt_sigqueueinfo", SG_WHEN_PIDNS),
	ALLOW_WHEN("rt_tgsigqueueinfo", SG_WHEN_PIDNS),
	DENY_WHEN("kill", SG_WHEN_NO_PIDNS),
	DENY_WHEN("tkill", SG_WHEN_NO_PIDNS),
	DENY_WHEN("tgkill", SG_WHEN_NO_PIDNS),
	DENY_WHEN("rt_sigqueueinfo", SG_WHEN_NO_PIDNS),
	DENY_WHEN("rt_tgsigqueueinfo", SG_WHEN_NO_PIDNS),

	ALLOW_EQ("socketpair", 0, AF_UNIX),
	{ "socketpair",
	  SG_SYS_DENY,
	  EAFNOSUPPORT,
	  0,
	  { { SG_OP_NE, 0, 0, AF_UNIX }, { SG_OP_NONE, 0, 0, 0 } } },

	ALLOW_EQ("ioctl", 1, TCGETS),
	ALLOW_EQ("ioctl", 1, TIOCGWINSZ),
	ALLOW_EQ("ioctl", 1, FIONREAD),
	ALLOW_EQ("ioctl", 1, FIONBIO),
	ALLOW_EQ("ioctl", 1, FIOCLEX),
	ALLOW_EQ("ioctl", 1, FIONCLEX),
	/* A copy by pathlib expects EOPNOTSUPP, which tmpfs gives. */
	ALLOW_EQ("ioctl", 1, IOC_FICLONE),
	DENY_EQ("ioctl", 1, TIOCSTI),
	DENY_EQ("ioctl", 1, TIOCLINUX),

	ALLOW_EQ("fcntl", 1, F_DUPFD),
	ALLOW_EQ("fcntl", 1, F_DUPFD_CLOEXEC),
	ALLOW_EQ("fcntl", 1, F_GETFD),
	ALLOW_EQ("fcntl", 1, F_SETFD),
	ALLOW_EQ("fcntl", 1, F_GETFL),
	ALLOW_EQ("fcntl", 1, F_SETFL),
	ALLOW_EQ("fcntl", 1, F_GETLK),
	ALLOW_EQ("fcntl", 1, F_SETLK),
	ALLOW_EQ("fcntl", 1, F_SETLKW),
	ALLOW_EQ("fcntl", 1, F_OFD_GETLK),
	ALLOW_EQ("fcntl", 1, F_OFD_SETLK),
	ALLOW_EQ("fcntl", 1, F_OFD_SETLKW),
	ALLOW_EQ("fcntl", 1, F_GETPIPE_SZ),
	ALLOW_EQ("fcntl", 1, F_GET_SEALS),
	DENY_EQ("fcntl", 1, F_SETPIPE_SZ),
	DENY_EQ("fcntl", 1, F_SETLEASE),
	DENY_EQ("fcntl", 1, F_NOTIFY),
	DENY_EQ("fcntl", 1, F_SETOWN),
	DENY_EQ("fcntl", 1, F_SETSIG),
	DENY_EQ("fcntl", 1, F_SETOWN_EX),

	ALLOW_EQ("prctl", 0, PR_SET_NAME),
	ALLOW_EQ("prctl", 0, PR_GET_NAME),
	ALLOW_EQ("prctl", 0, PR_GET_DUMPABLE),
	ALLOW_EQ("prctl", 0, PR_CAPBSET_READ),
	ALLOW_EQ("prctl", 0, PR_GET_NO_NEW_PRIVS),
	ALLOW_EQ("prctl", 0, PR_GET_PDEATHSIG),
	ALLOW_EQ("prctl", 0, PR_GET_SECCOMP),
	ALLOW_EQ("prctl", 0, PRC_SET_VMA),
	LATE_EQ("prctl", 0, PR_SET_DUMPABLE),
	LATE_EQ("prctl", 0, PR_SET_SECCOMP),
	LATE_EQ("prctl", 0, PR_SET_PDEATHSIG),
	LATE_EQ("prctl", 0, PR_SET_CHILD_SUBREAPER),
	LATE_EQ("prctl", 0, PR_SET_MM),
	LATE_EQ("prctl", 0, PR_SET_SECUREBITS),
	LATE_EQ("prctl", 0, PR_CAPBSET_DROP),
	LATE_EQ("prctl", 0, PR_CAP_AMBIENT),
	LATE_EQ("prctl", 0, PR_SET_NO_NEW_PRIVS),
	LATE_EQ("prctl", 0, PRC_SET_PTRACER),
	LATE_EQ("prctl", 0, PRC_SET_MDWE),

	ALLOW_EQ("madvise", 2, MADV_NORMAL),
	ALLOW_EQ("madvise", 2, MADV_RANDOM),
	ALLOW_EQ("madvise", 2, MADV_SEQUENTIAL),
	ALLOW_EQ("madvise", 2, MADV_WILLNEED),
	ALLOW_EQ("madvise", 2, MADV_DONTNEED),
	ALLOW_EQ("madvise", 2, MADV_FREE),
	ALLOW_EQ("madvise", 2, MADV_HUGEPAGE),
	ALLOW_EQ("madvise", 2, MADV_NOHUGEPAGE),
	ALLOW_EQ("madvise", 2, MADV_DONTDUMP),
	ALLOW_EQ("madvise", 2, MADV_DODUMP),
	ALLOW_EQ("madvise", 2, MADV_WIPEONFORK),

	FUTEX_CALL(FUTEX_WAIT),
	FUTEX_CALL(FUTEX_WAKE),
	FUTEX_CALL(FUTEX_REQUEUE),
	FUTEX_CALL(FUTEX_CMP_REQUEUE),
	FUTEX_CALL(FUTEX_WAKE_OP),
	FUTEX_CALL(FUTEX_LOCK_PI),
	FUTEX_CALL(FUTEX_UNLOCK_PI),
	FUTEX_CALL(FUTEX_TRYLOCK_PI),
	FUTEX_CALL(FUTEX_WAIT_BITSET),
	FUTEX_CALL(FUTEX_WAKE_BITSET),

	ALLOW_EQ("arch_prctl", 0, ARCH_SET_FS_),
	ALLOW_EQ("arch_prctl", 0, ARCH_GET_FS_),
	ALLOW_EQ("arch_prctl", 0, ARCH_CET_STATUS_),

	/*
	 * Reading its own limits; changing any would be setrlimit().  Each
	 * rule begins with the same argument: libseccomp does not get a mix
	 * right.
	 */
	{ "prlimit64",
	  SG_SYS_ALLOW,
	  0,
	  0,
	  { { SG_OP_EQ, 0, 0, 0 }, { SG_OP_EQ, 2, 0, 0 } } },
	{ "prlimit64",
	  SG_SYS_DENY,
	  EPERM,
	  0,
	  { { SG_OP_EQ, 0, 0, 0 }, { SG_OP_NE, 2, 0, 0 } } },
	{ "prlimit64",
	  SG_SYS_DENY,
	  EPERM,
	  0,
	  { { SG_OP_NE, 0, 0, 0 }, { SG_OP_NONE, 0, 0, 0 } } },

	{ NULL,
	  SG_SYS_ALLOW,
	  0,
	  0,
	  { { SG_OP_NONE, 0, 0, 0 }, { SG_OP_NONE, 0, 0, 0 } } }
};

static int
group_errno(const struct sg_sys_group *g, const char *call)
{
	for (const char *const *c = g->calls; *c; c++)
		if (strcmp(*c, call) == 0)
			return g->err;
	return 0;
}

int
sg_sys_errno(const char *call)
{
	for (const struct sg_sys_group *g = sg_sys_groups; g->name; g++)
		if (g->verdict == SG_SYS_DENY && group_errno(g, call))
			return group_errno(g, call);
	for (const struct sg_sys_rule *r = sg_sys_rules; r->call; r++)
		if (r->verdict == SG_SYS_DENY && strcmp(r->call, call) == 0)
			return r->err;
	return EPERM;
}
