#ifndef SG_EXECUTOR_SYS_H
#define SG_EXECUTOR_SYS_H

/*
 * System calls without the C library, for wardens.  The warden of a warm run
 * shares the memory of its zygote and of other wardens, so it shares errno
 * and whatever else the library keeps for a thread.  Each of these returns
 * what the kernel does: a result, or -errno.  Names and arguments are those
 * of the calls; structures are the kernel's.
 */

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>

#if defined(__x86_64__)
static inline long
sg_sys(long nr, long a, long b, long c, long d, long e)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	/* The sixth is there for calls that look at it. */
	register long r9 __asm__("r9") = 0;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
			   "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
static inline long
sg_sys(long nr, long a, long b, long c, long d, long e)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = 0;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "no system calls for this processor"
#endif

static inline long
sg_sys_arg(const void *p)
{
	return (long)(intptr_t)p;
}

/* --- files --------------------------------------------------------------- */

static inline int
sg_sys_open(const char *path, int flags)
{
	return (int)sg_sys(SYS_openat, AT_FDCWD, sg_sys_arg(path), flags, 0, 0);
}

static inline int
sg_sys_close(int fd)
{
	return (int)sg_sys(SYS_close, fd, 0, 0, 0, 0);
}

static inline int
sg_sys_close_range(unsigned from, unsigned to)
{
	return (int)sg_sys(SYS_close_range, from, to, 0, 0, 0);
}

static inline ssize_t
sg_sys_read(int fd, void *p, size_t n)
{
	return sg_sys(SYS_read, fd, sg_sys_arg(p), (long)n, 0, 0);
}

static inline ssize_t
sg_sys_write(int fd, const void *p, size_t n)
{
	return sg_sys(SYS_write, fd, sg_sys_arg(p), (long)n, 0, 0);
}

static inline ssize_t
sg_sys_pwrite(int fd, const void *p, size_t n, off_t at)
{
	return sg_sys(SYS_pwrite64, fd, sg_sys_arg(p), (long)n, at, 0);
}

static inline int
sg_sys_pipe(int fds[2])
{
	return (int)sg_sys(SYS_pipe2, sg_sys_arg(fds), O_CLOEXEC, 0, 0, 0);
}

static inline int
sg_sys_poll(struct pollfd *p, unsigned n)
{
	return (int)sg_sys(SYS_ppoll, sg_sys_arg(p), n, 0, 0, 0);
}

/* Does not wait. */
static inline int
sg_sys_poll_now(struct pollfd *p, unsigned n)
{
	const long none[2] = { 0, 0 };

	return (int)sg_sys(SYS_ppoll, sg_sys_arg(p), n, sg_sys_arg(none), 0, 0);
}

static inline int
sg_sys_chdir(const char *path)
{
	return (int)sg_sys(SYS_chdir, sg_sys_arg(path), 0, 0, 0, 0);
}

static inline void
sg_sys_umask(mode_t mask)
{
	(void)sg_sys(SYS_umask, (long)mask, 0, 0, 0, 0);
}

static inline int
sg_sys_mkdir(const char *path, mode_t mode)
{
	return (int)sg_sys(SYS_mkdirat, AT_FDCWD, sg_sys_arg(path), (long)mode,
			   0, 0);
}

static inline int
sg_sys_chmod(const char *path, mode_t mode)
{
	return (int)sg_sys(SYS_fchmodat, AT_FDCWD, sg_sys_arg(path), (long)mode,
			   0, 0);
}

static inline int
sg_sys_chown(const char *path, uid_t uid, gid_t gid)
{
	return (int)sg_sys(SYS_fchownat, AT_FDCWD, sg_sys_arg(path), (long)uid,
			   (long)gid, 0);
}

static inline int
sg_sys_mount(const char *from, const char *at, const char *type,
	     unsigned long flags, const char *options)
{
	return (int)sg_sys(SYS_mount, sg_sys_arg(from), sg_sys_arg(at),
			   sg_sys_arg(type), (long)flags, sg_sys_arg(options));
}

/* --- sockets ------------------------------------------------------------- */

static inline int
sg_sys_socketpair(int type, int fds[2])
{
	return (int)sg_sys(SYS_socketpair, AF_UNIX, type | SOCK_CLOEXEC, 0,
			   sg_sys_arg(fds), 0);
}

static inline ssize_t
sg_sys_sendmsg(int sock, const struct msghdr *m)
{
	return sg_sys(SYS_sendmsg, sock, sg_sys_arg(m), MSG_NOSIGNAL, 0, 0);
}

static inline ssize_t
sg_sys_send(int sock, const void *p, size_t n)
{
	return sg_sys(SYS_sendto, sock, sg_sys_arg(p), (long)n, MSG_NOSIGNAL,
		      0);
}

static inline ssize_t
sg_sys_recvmsg(int sock, struct msghdr *m)
{
	return sg_sys(SYS_recvmsg, sock, sg_sys_arg(m), MSG_CMSG_CLOEXEC, 0, 0);
}

/* --- processes ----------------------------------------------------------- */

static inline int
sg_sys_prctl(int what, unsigned long a, unsigned long b)
{
	return (int)sg_sys(SYS_prctl, what, (long)a, (long)b, 0, 0);
}

static inline int
sg_sys_unshare(int flags)
{
	return (int)sg_sys(SYS_unshare, flags, 0, 0, 0, 0);
}

static inline int
sg_sys_clone3(struct clone_args *args)
{
	return (int)sg_sys(SYS_clone3, sg_sys_arg(args), sizeof(*args), 0, 0,
			   0);
}

/* Who has ended, if anybody has; 0: nobody. */
static inline pid_t
sg_sys_wait_now(int *ret_status, struct rusage *ru)
{
	return (pid_t)sg_sys(SYS_wait4, -1, sg_sys_arg(ret_status),
			     1 /* WNOHANG */ | 0x40000000 /* __WALL */,
			     sg_sys_arg(ru), 0);
}

/* Waits for one. */
static inline pid_t
sg_sys_wait_for(pid_t pid)
{
	return (pid_t)sg_sys(SYS_wait4, pid, 0, 0, 0, 0);
}

/* The signals in `reset` as a fresh process has them, `blocked` held back. */
static inline void
sg_sys_signals(uint64_t reset, uint64_t blocked)
{
	const unsigned long dfl[4] = { 0, 0, 0, 0 };

	for (int s = 1; s <= 64; s++)
		if (reset & UINT64_C(1) << (s - 1))
			(void)sg_sys(SYS_rt_sigaction, s, sg_sys_arg(dfl), 0,
				     sizeof(uint64_t), 0);
	(void)sg_sys(SYS_rt_sigprocmask, SIG_SETMASK, sg_sys_arg(&blocked), 0,
		     sizeof(uint64_t), 0);
}

static inline int
sg_sys_signalfd(uint64_t mask)
{
	return (int)sg_sys(SYS_signalfd4, -1, sg_sys_arg(&mask), sizeof(mask),
			   O_CLOEXEC | O_NONBLOCK, 0);
}

#endif
