/*
 * Runs in forks of zygotes: whatever one does, the next is clean, and a
 * program cannot tell.
 */

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/box/lib/pool.h"

enum { TEXT = 4096 };

/* --- what a program sees ------------------------------------------------- */

/*
 * Everything of a process that it can ask for and that does not tell one run
 * from the next.
 */
static const char portrait[] =
	"import os, resource, signal, socket, sys, locale, time\n"
	"def show(name, value): print(name, '=', value)\n"
	"for r in sorted(n for n in dir(resource) if n[:6] == 'RLIMIT'):\n"
	"    show(r, resource.getrlimit(getattr(resource, r)))\n"
	"for s in sorted(signal.Signals):\n"
	"    show(s.name, signal.getsignal(s))\n"
	"show('mask', signal.pthread_sigmask(signal.SIG_BLOCK, []))\n"
	"for k, v in sorted(os.environ.items()): show(k, v)\n"
	"keep = ('Name Umask Tgid Ngid Pid PPid TracerPid Uid Gid Groups '\n"
	"        'NStgid NSpgid NSsid Threads SigPnd ShdPnd SigBlk SigIgn '\n"
	"        'SigCgt CapInh CapPrm CapEff CapBnd CapAmb NoNewPrivs '\n"
	"        'Seccomp').split()\n"
	"for line in open('/proc/self/status'):\n"
	"    if line.split(':')[0] in keep: print(line, end='')\n"
	"show('comm', open('/proc/self/comm').read())\n"
	"show('oom', open('/proc/self/oom_score_adj').read())\n"
	"show('cgroup', __import__('re').sub('gate[.].*', '', open('/proc/self/cgroup').read()))\n"
	"show('uids', open('/proc/self/uid_map').read().split()[::2])\n"
	"show('setgroups', open('/proc/self/setgroups').read())\n"
	"show('fds', sorted(os.listdir('/proc/self/fd')))\n"
	"show('proc', sorted(os.listdir('/proc')))\n"
	"show('cmdline', open('/proc/self/cmdline').read()[:40])\n"
	"show('ids', (os.getpid(), os.getppid(), os.getpgid(0), os.getsid(0)))\n"
	"show('nice', os.getpriority(0, 0))\n"
	"show('cpus', os.sched_getaffinity(0))\n"
	"show('cwd', os.getcwd())\n"
	"show('umask', os.umask(0))\n"
	"show('host', socket.gethostname())\n"
	"for d in ('/', '/dev', '/etc', '/mnt', '/mnt/data', '/tmp', '/run',\n"
	"          '/dev/shm', '/old', '/proc/self/task'):\n"
	"    show(d, sorted(os.listdir(d)) if os.path.isdir(d) and\n"
	"         'task' not in d and d != '/run' else os.path.isdir(d))\n"
	"    s = os.stat(d) if os.path.exists(d) else None\n"
	"    if s: show(d, (oct(s.st_mode), s.st_uid, s.st_gid))\n"
	"    v = os.statvfs(d) if os.path.exists(d) else None\n"
	"    if v: show(d, (v.f_flag, v.f_blocks if 'data' in d else 0))\n"
	"for f in (sys.stdin, sys.stdout, sys.stderr):\n"
	"    show(f.name, (type(f), f.encoding, f.errors, f.mode, f.newlines,\n"
	"         f.line_buffering, f.write_through, type(f.buffer),\n"
	"         f.buffer.name, f.fileno(), f.closed, f.isatty()))\n"
	"show('seek', sys.stdin.seekable())\n"
	"show('flags', sys.flags)\n"
	"show('argv', (sys.argv, sys.orig_argv[:3], sys.executable))\n"
	"show('path', sys.path)\n"
	"show('prefix', (sys.prefix, sys.exec_prefix))\n"
	"show('locale', (locale.setlocale(locale.LC_ALL), time.tzname))\n"
	"show('main', sorted(n for n in globals() if n[:2] == '__'))\n"
	"show('files', (__name__, __file__))\n"
	"import gc, threading\n"
	"show('gc', (gc.isenabled(), gc.get_threshold(), gc.get_debug()))\n"
	"show('threads', (threading.active_count(), threading.stack_size(),\n"
	"     threading.current_thread().name,\n"
	"     threading.current_thread().native_id == os.getpid()))\n"
	"show('hooks', (sys.excepthook.__module__, sys.gettrace(),\n"
	"     sys.getprofile(), sys.getrecursionlimit(),\n"
	"     sys.getswitchinterval()))\n"
	"show('warn', __import__('warnings').filters)\n"
	"show('mount', sorted({(l.split()[4], l.split()[5],\n"
	"     l.split(' - ')[1].split()[0])\n"
	"     for l in open('/proc/self/mountinfo')\n"
	"     if l.split()[4] in ('/', '/mnt/data', '/tmp', '/proc')}))\n";

static int
a_program_sees_what_it_sees_in_a_cold_run(void)
{
	static const char *const argv[] = { "one", "two words", NULL };
	static const char *const env[] = { "OWN=1", "TZ=Asia/Tokyo", NULL };
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run a, b;

	NEED(warm);
	for (int round = 0; round < 3; round++) {
		/* In the last one, in a box that had its order before. */
		if (round == 2)
			NEED(make_habit(warm));
		run_init(&a, portrait);
		run_in(&b, warm, portrait);
		if (round == 1) {
			a.spec.has_input = b.spec.has_input = true;
			a.spec.argv = b.spec.argv = argv;
			a.spec.env = b.spec.env = env;
		}
		NEED_RUN(&a, SG_RUN_OK);
		NEED_RUN(&b, SG_RUN_OK);
		NEED(a.r.warm.n == 0);
		NEED(sg_str_eq(b.r.warm, SG_STR("plain")));
		if (!sg_str_eq(a.r.out.text, b.r.out.text)) {
			show_difference(a.r.out.text, b.r.out.text);
			return 1;
		}
		NEED(a.r.nlayers == b.r.nlayers);
		for (uint32_t i = 0; i < a.r.nlayers; i++) {
			NEED(a.r.layers[i].state == b.r.layers[i].state);
			NEED(sg_str_eq(a.r.layers[i].detail,
				       b.r.layers[i].detail));
		}
	}
	sg_warm_free(warm);
	return 0;
}

/* True when no line of `a` is the same line in `b`. */
static bool
all_differ(struct sg_str a, struct sg_str b)
{
	while (a.n && b.n) {
		size_t i = sg_str_find(a, '\n'), j = sg_str_find(b, '\n');

		if (sg_str_eq(sg_str_slice(a, 0, i), sg_str_slice(b, 0, j))) {
			printf("# twice: %.*s\n", (int)i, a.p);
			return false;
		}
		a = sg_str_slice(a, i + 1, a.n);
		b = sg_str_slice(b, j + 1, b.n);
	}
	return true;
}

static void *
run_it(void *arg)
{
	return run(arg) == SG_OK ? arg : NULL;
}

static int
two_runs_at_once_share_no_namespace(void)
{
	static const char code[] =
		"import os, time\n"
		"for n in 'cgroup ipc mnt net pid user uts'.split():\n"
		"    print(os.readlink('/proc/self/ns/' + n))\n"
		"time.sleep(1)\n";
	static const char *const kinds[] = { "cgroup", "ipc",  "mnt", "net",
					     "pid",    "user", "uts" };
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	char path[64], own[64];
	struct run a, b;
	pthread_t t;
	void *good;
	ssize_t n;

	NEED(warm);
	run_in(&a, warm, code);
	run_in(&b, warm, code);
	NEED(pthread_create(&t, NULL, run_it, &a) == 0);
	NEED_RUN(&b, SG_RUN_OK);
	NEED(pthread_join(t, &good) == 0 && good);
	NEED(a.r.status == SG_RUN_OK && a.r.warm.n && b.r.warm.n);
	NEED(all_differ(a.r.out.text, b.r.out.text));
	/* Nor with us. */
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		(void)snprintf(path, sizeof(path), "/proc/self/ns/%s",
			       kinds[i]);
		n = readlink(path, own, sizeof(own) - 1);
		NEED(n > 0);
		NEED(!memmem(a.r.out.text.p, a.r.out.text.n, own, (size_t)n));
	}
	sg_warm_free(warm);
	return 0;
}

/* --- the next run is clean ----------------------------------------------- */

/* What the damage below would change in a run that is not clean. */
static const char clean[] =
	"import sys, os, json, random, threading, signal, builtins, time\n"
	"import logging, tempfile, gc, atexit\n"
	"def show(*v): print(*v)\n"
	"show(len([]), abs(-1), 1 + 1, 'a' 'b', sum([1, 2, 3]), True, None)\n"
	"show(json.dumps({'a': [1, 2.5, None]}), json.loads('[1]'))\n"
	"show(sorted(n for n in vars(builtins)))\n"
	"show(threading.active_count(), signal.getsignal(signal.SIGTERM))\n"
	"show(sys.gettrace(), sys.getprofile(), sys.excepthook.__module__)\n"
	"show([type(f).__name__ for f in sys.meta_path], sys.path_hooks)\n"
	"show(sys.path, sorted(os.environ), os.getcwd(), os.listdir('/tmp'))\n"
	"show(os.listdir('.'), os.listdir('/dev/shm'), os.umask(0o22))\n"
	"show(logging.root.handlers, logging.root.level, tempfile.tempdir)\n"
	"show(gc.isenabled(), gc.callbacks, gc.garbage, atexit._ncallbacks())\n"
	"show(sys.getrecursionlimit(), sys.displayhook.__module__)\n"
	"show(hasattr(sys, 'mark'), hasattr(json, 'mark'), 'mark' in "
	"sys.modules)\n"
	"show(int.__add__(2, 3), [].append.__name__, ().__class__)\n"
	"show(sys.getswitchinterval(), sys.dont_write_bytecode)\n";

static const char *const damages[] = {
	/* patched builtins, modules, hooks */
	"import builtins\n"
	"for n in ('len', 'print', 'open', 'sum', 'abs', 'sorted'):\n"
	"    setattr(builtins, n, lambda *a, **k: 42)\n"
	"builtins.mark = 1",
	"import json, sys\njson.dumps = lambda *a: 'evil'\n"
	"sys.modules['mark'] = sys\nsys.mark = json.mark = 1",
	"import sys\n"
	"class F:\n"
	"    def find_spec(self, *a): raise ImportError('evil')\n"
	"sys.meta_path.insert(0, F())\nsys.path_hooks.clear()\n"
	"sys.path[:] = ['/tmp']",
	"import sys, threading\n"
	"sys.settrace(lambda *a: None); sys.setprofile(lambda *a: None)\n"
	"threading.settrace(lambda *a: None)\nsys.excepthook = print\n"
	"sys.displayhook = print\nsys.setrecursionlimit(77)\n"
	"sys.setswitchinterval(1)",
	/* what the next interpreter would have inherited of a process */
	"import os, signal\n"
	"signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
	"signal.signal(signal.SIGCHLD, lambda *a: None)\n"
	"signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})\n"
	"os.environ['LEFT'] = '1'\nos.chdir('/tmp')\nos.umask(0)\n"
	"for d in ('.', '/tmp', '/dev/shm', '/mnt/data'):\n"
	"    open(d + '/left', 'w').write('x' * 9999)",
	"import threading, time\n"
	"for i in range(20):\n"
	"    threading.Thread(target=time.sleep, args=(60,), daemon=True)"
	".start()",
	"import atexit, gc, logging, os, tempfile\n"
	"atexit.register(os.write, 1, b'late')\n"
	"gc.callbacks.append(lambda *a: None); gc.disable()\n"
	"logging.basicConfig(level=1)\ntempfile.tempdir = '/left'",
	/* a heap that is not what it was */
	"import ctypes\n"
	"ctypes.memset(id(1) + 24, 7, 1)\nprint(1)",
	"import ctypes, sys\n"
	"ctypes.memset(id(None), 0xff, 8)\nctypes.memset(id('a'), 0, 64)\n"
	"ctypes.memset(id(int), 0x41, 200)",
	"import ctypes\n"
	"libc = ctypes.CDLL(None)\n"
	"libc.free(0x41414141)",
	"import ctypes\n"
	"f = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 7)\n"
	"for line in open('/proc/self/maps'):\n"
	"    a = line.split()\n"
	"    if 'rw' in a[1] and 'stack' not in line:\n"
	"        lo, hi = (int(x, 16) for x in a[0].split('-'))\n"
	"        ctypes.memset(lo, 0x5a, hi - lo)",
	/* the pipes of the driver */
	"import os\n"
	"os.write(3, b'S\\0\\0\\0\\0' * 3 + b'V\\xff\\xff\\xff\\xff')\n"
	"os.write(3, b'Z' * 100000)",
	"import os\n"
	"for fd in range(3, 300):\n"
	"    for f in (lambda: os.write(fd, b'B' * 24),\n"
	"              lambda: os.read(fd, 1) if fd > 3 else 0,\n"
	"              lambda: os.close(fd)):\n"
	"        try: f()\n"
	"        except OSError: pass",
	"import os, socket\n"
	"for fd in range(3, 64):\n"
	"    try: socket.socket(fileno=fd).send(b'Z')\n"
	"    except OSError: pass",
	/* the others in the box, and whoever is above */
	"import os, signal\n"
	"for pid in (1, 0, -1, 3, 4, 5, os.getppid()):\n"
	"    for s in (signal.SIGSTOP, signal.SIGKILL):\n"
	"        try: pid in (0, -1) or os.kill(pid, s)\n"
	"        except OSError: pass",
	"import os, signal\nos.kill(-1, signal.SIGKILL)",
	"for pid in (1, 2, 'self', 3, 4):\n"
	"    for n in ('mem', 'oom_score_adj', 'coredump_filter', 'attr/exec'):\n"
	"        try: open('/proc/%s/%s' % (pid, n), 'r+b').write(b'0')\n"
	"        except OSError: pass",
	"import ctypes\n"
	"libc = ctypes.CDLL(None, use_errno=True)\n"
	"buf = ctypes.create_string_buffer(64)\n"
	"for pid in (1, 3, 4, 5):\n"
	"    libc.ptrace(16, pid, 0, 0)\n"
	"    libc.process_vm_writev(pid, buf, 1, buf, 1, 0)\n"
	"    libc.syscall(438, 3, 0, 0)",
	/* ends of every kind */
	"import os\nos.abort()",
	"import os\nos._exit(9)",
	"import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
	"import sys\nsys.setrecursionlimit(10**9)\n"
	"def f(): f()\nf()",
	"x = []\nwhile True: x.append(bytearray(1 << 20))",
	"raise SystemExit(3)",
	"class X:\n"
	"    def __del__(self): raise RuntimeError\n"
	"x = X()\nx.x = x\nimport sys\nsys.modules.clear()",
	"import sys, builtins\nbuiltins.__dict__.clear()\nsys.modules.clear()",
};

static int
the_next_run_is_clean_whatever_was_done(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run first, bad, next;

	NEED(warm);
	run_in(&first, warm, clean);
	NEED_RUN(&first, SG_RUN_OK);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		run_in(&bad, warm, damages[i]);
		bad.spec.limits.memory = 128 << 20;
		bad.spec.limits.wall_ms = 3000;
		if (run(&bad) != SG_OK || !bad.r.warm.n) {
			printf("# damage %zu: %s\n", i, bad.err.msg);
			return 1;
		}
		run_in(&next, warm, clean);
		NEED_RUN(&next, SG_RUN_OK);
		NEED(next.r.warm.n);
		if (!sg_str_eq(first.r.out.text, next.r.out.text)) {
			printf("# after damage %zu\n", i);
			show_difference(first.r.out.text, next.r.out.text);
			return 1;
		}
		sg_arena_release(&bad.arena);
		sg_arena_release(&next.arena);
	}
	/* One zygote has stood it all. */
	NEED(stats_of(warm).started == 1);
	NEED(stats_of(warm).failed == 0);
	sg_warm_free(warm);
	return 0;
}

static int
nothing_that_is_forged_becomes_the_result(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm);
	run_in(&t, warm,
	       "import os\n"
	       "os.write(3, b'H\\4\\0\\0\\0hint')\n"
	       "os.write(3, b'Z'); os.write(3, b'B'); os._exit(5)");
	NEED_RUN(&t, SG_RUN_ERROR);
	NEED(t.r.warm.n && t.r.exit_code == 5 && !t.r.value.is_set);
	run_in(&t, warm, "1 + 1");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(t.r.warm.n && sg_str_eq(t.r.value.repr, SG_STR("2")));
	sg_warm_free(warm);
	return 0;
}

static int
a_program_holds_its_own_descriptors_only(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm);
	/* The last is the folder's that is being listed. */
	run_in(&t, warm,
	       "import os\n"
	       "for n in sorted(os.listdir('/proc/self/fd')):\n"
	       "    try: to = os.readlink('/proc/self/fd/' + n)\n"
	       "    except OSError: to = 'gone'\n"
	       "    print(n, to.partition(':')[0])");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(t.r.warm.n);
	NEED(out_is(&t, "0 /dev/null\n1 pipe\n2 pipe\n3 pipe\n4 gone\n"));
	sg_warm_free(warm);
	return 0;
}

static int
no_order_stays_in_the_memory_of_the_next_run(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct sg_box_input file = { SG_STR("secret.txt"),
				     SG_STR("bananaphone-7319") };
	struct run t;

	NEED(warm);
	for (int i = 0; i < 5; i++) {
		run_in(&t, warm,
		       "print(len(open('secret.txt').read()), "
		       "len('xylophone-' + '4242'))");
		t.spec.files = &file;
		t.spec.nfiles = 1;
		t.spec.input = SG_STR("harpsichord-99");
		t.spec.has_input = true;
		NEED_RUN(&t, SG_RUN_OK);
	}
	run_in(&t, warm,
	       "import ctypes\n"
	       "words = [(b'banana', b'phone-7319'), (b'harpsi', b'chord-99'),\n"
	       "         (b'xylophone', b'-')]\n"
	       "for line in open('/proc/self/maps'):\n"
	       "    a = line.split()\n"
	       "    if a[1][0] != 'r' or a[-1] in ('[vvar]', '[vsyscall]') or\\\n"
	       "            a[-1].startswith('[vvar'):\n"
	       "        continue\n"
	       "    lo, hi = (int(x, 16) for x in a[0].split('-'))\n"
	       "    data = ctypes.string_at(lo, hi - lo)\n"
	       "    for x, y in words:\n"
	       "        at = data.find(x)\n"
	       "        while at >= 0:\n"
	       "            if data.startswith(y, at + len(x)): print(x, line)\n"
	       "            at = data.find(x, at + 1)\n"
	       "print('done')");
	t.spec.limits.memory = 1u << 30;
	NEED_RUN(&t, SG_RUN_OK);
	NEED(t.r.warm.n);
	NEED(out_is(&t, "done\n"));
	sg_warm_free(warm);
	return 0;
}

/* --- chance -------------------------------------------------------------- */

static const char draws[] =
	"import random, uuid, tempfile, secrets, os, ssl\n"
	"print(random.random())\nprint(uuid.uuid4())\nprint(uuid.uuid1())\n"
	"print(tempfile.mktemp())\nprint(secrets.token_hex())\n"
	"print(random.SystemRandom().random())\nprint(os.urandom(8))\n"
	"print(ssl.RAND_bytes(8))\nprint(random.Random().random())\n";

static int
chance_differs_between_runs(void)
{
	static const struct sg_warm_set set = {
		"chance", "random uuid tempfile secrets ssl hashlib"
	};
	struct sg_warm *warm = pool_of(&set, 0, 0);
	struct run a, b;

	NEED(warm);
	for (int i = 0; i < 5; i++) {
		run_in(&a, warm, draws);
		run_in(&b, warm, draws);
		NEED_RUN(&a, SG_RUN_OK);
		NEED_RUN(&b, SG_RUN_OK);
		NEED(a.r.warm.n && b.r.warm.n);
		NEED(all_differ(a.r.out.text, b.r.out.text));
	}
	sg_warm_free(warm);
	return 0;
}

static int
chance_of_numpy_differs_between_runs(void)
{
	static const struct sg_warm_set set = { "numpy", "numpy" };
	static const char code[] = "import numpy as np\n"
				   "print(np.random.rand())\n"
				   "print(np.random.default_rng().random())\n"
				   "print(np.random.RandomState().rand())\n";
	struct sg_warm *warm = pool_of(&set, 0, 0);
	struct run a, b;

	NEED(warm);
	run_in(&a, warm, code);
	run_in(&b, warm, code);
	NEED_RUN(&a, SG_RUN_OK);
	NEED_RUN(&b, SG_RUN_OK);
	NEED(a.r.warm.n && b.r.warm.n);
	NEED(all_differ(a.r.out.text, b.r.out.text));
	/* A seed that the program sets holds, as everywhere. */
	run_in(&a, warm,
	       "import numpy as np\nnp.random.seed(1)\n"
	       "print('%.6f' % np.random.rand())");
	NEED_RUN(&a, SG_RUN_OK);
	NEED(out_is(&a, "0.417022\n"));
	sg_warm_free(warm);
	return 0;
}

static int
hashes_are_those_of_the_zygote(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 3, 0);
	char first[TEXT] = "";
	bool again = false, other = false;
	struct run t;

	NEED(warm);
	for (int i = 0; i < 200 && !(again && other); i++) {
		run_in(&t, warm, "print(hash('a'), hash(b'b'))");
		NEED_RUN(&t, SG_RUN_OK);
		if (t.r.warm.n && !first[0])
			(void)snprintf(first, sizeof(first), "%.*s",
				       SG_STR_ARG(t.r.out.text));
		else if (t.r.warm.n && sg_str_eq(t.r.out.text, sg_str_c(first)))
			again = true;
		else if (t.r.warm.n)
			other = true;
		sg_arena_release(&t.arena);
	}
	NEED(again && other);
	sg_warm_free(warm);
	return 0;
}

static const struct box_test tests[] = {
	TEST(a_program_sees_what_it_sees_in_a_cold_run),
	TEST(two_runs_at_once_share_no_namespace),
	TEST(the_next_run_is_clean_whatever_was_done),
	TEST(nothing_that_is_forged_becomes_the_result),
	TEST(a_program_holds_its_own_descriptors_only),
	TEST(no_order_stays_in_the_memory_of_the_next_run),
	TEST(chance_differs_between_runs),
	TEST(chance_of_numpy_differs_between_runs),
	TEST(hashes_are_those_of_the_zygote),
	{ 0 },
};

int
main(int argc, char **argv)
{
	return box_tests(tests, "warm runs", argc, argv);
}
