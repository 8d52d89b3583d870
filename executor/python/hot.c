#include "executor/python/hot.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/python/pin.h"
#include "executor/warden.h"

/*
 * Theory of operation.  /proc/self/pagemap has eight bytes for each page of
 * a mapping (Documentation/admin-guide/mm/pagemap.rst): bit 63 says that it
 * is there, bit 56 that nobody else maps it.  After a fork the pages of
 * private memory are mapped by both, until one writes; so in the child the
 * ones with both bits are those that it has written to.  Of files, whose
 * mappings a fork leaves empty, those that are there were looked at; the
 * kernel maps the pages around each as well, so one of so many is enough.
 *
 * Workers touch what was learnt, one byte a page.  That takes less time than
 * MADV_POPULATE_WRITE, which looks each page up before and after, but only
 * what is mapped may be touched: the trial may have mapped more than the
 * zygote has, which keeps of it what lies in mappings of its own.
 *
 * A page that only some programs write to is copied for nothing in the runs of
 * the others.  Where runs follow each other that is time which somebody waits
 * for; a worker that has waited itself has it to spare.
 */

enum {
	RANGES = 4096,
	LOOKS = 2,   /* ranges */
	PINS = 1024, /* before Linux 5.13 */
	IDLE_MS = 5, /* longer than boxes wait where runs follow each other */
	CHUNK = 512,
	LINE = 512,
	AROUND = 65536,
	SPARE = 256 << 10, /* of a worker's heap */
	HUGE = 2 << 20 /* a page of the next size; no harm where it is other */
};

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define PRESENT (UINT64_C(1) << 63)
#define EXCLUSIVE (UINT64_C(1) << 56)

struct range {
	uintptr_t at;
	uint32_t pages;
	uint16_t written; /* enum use */
	uint16_t pinned;  /* forks have it already */
};

enum use { LOOKED_AT, WRITTEN, LATER /* written to by some programs */ };

struct hot {
	uint32_t n;
	struct range v[RANGES];
};

static void
add_page(struct hot *h, uintptr_t at, size_t page, uint16_t written)
{
	struct range *last = h->n ? &h->v[h->n - 1] : NULL;

	if (last && last->at + last->pages * page == at &&
	    last->written == written) {
		last->pages++;
		return;
	}
	if (h->n < RANGES)
		h->v[h->n++] = (struct range){ at, 1, written, 0 };
}

/* The pages of one mapping: those that are there and have all of `bits`. */
static void
learn_mapping(struct hot *h, int pagemap, uintptr_t from, uintptr_t to,
	      uint64_t bits)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t v[CHUNK];

	while (from < to) {
		size_t want = (to - from) / page;
		ssize_t n;

		if (want > CHUNK)
			want = CHUNK;
		n = pread(pagemap, v, want * sizeof(v[0]),
			  (off_t)(from / page * sizeof(v[0])));
		if (n <= 0)
			return;
		for (size_t i = 0; i < (size_t)n / sizeof(v[0]); i++)
			if ((v[i] & bits) == bits)
				add_page(h, from + i * page, page,
					 bits & EXCLUSIVE ? WRITTEN
							  : LOOKED_AT);
		from += (size_t)n / sizeof(v[0]) * page;
	}
}

struct mapping {
	uintptr_t from, to;
	bool writable;
};

/* One line of /proc/self/maps, if it may be of use. */
static bool
take_line(const char *line, struct mapping *m)
{
	unsigned long from, to, inode;
	char mode[5];

	if (sscanf(line, "%lx-%lx %4s %*s %*s %lu", &from, &to, mode, &inode) !=
		    4 ||
	    mode[0] != 'r' || mode[3] != 'p')
		return false;
	m->from = from;
	m->to = to;
	m->writable = mode[1] == 'w';
	return m->writable || inode;
}

/* In memory of its own: the interpreter's is what is looked at. */
static struct hot *
new_hot(void)
{
	struct hot *h = mmap(NULL, sizeof(*h), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return h == MAP_FAILED ? NULL : h;
}

static void
write_all(int fd, const void *from, size_t n)
{
	const char *at = from;
	ssize_t k;

	while (n > 0 && ((k = write(fd, at, n)) > 0 || errno == EINTR)) {
		at += k > 0 ? k : 0;
		n -= k > 0 ? (size_t)k : 0;
	}
}

PyObject *
sg_hot_learn(PyObject *self, PyObject *number)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	FILE *maps = fopen("/proc/self/maps", "re");
	struct hot *h = new_hot();
	struct mapping m;
	char line[LINE];

	(void)self;
	while (h && pagemap >= 0 && maps && fgets(line, sizeof(line), maps))
		if (take_line(line, &m))
			learn_mapping(h, pagemap, m.from, m.to,
				      m.writable ? PRESENT | EXCLUSIVE
						 : PRESENT);
	if (h)
		write_all((int)PyLong_AsLong(number), h->v,
			  h->n * sizeof(h->v[0]));
	_exit(0);
}

/* What the child writes until its end. */
static PyObject *
take_learnt(int fd)
{
	struct hot *h = new_hot();
	PyObject *bytes;
	size_t n = 0;
	ssize_t k = 0;

	while (h && n < sizeof(h->v) &&
	       ((k = read(fd, (char *)h->v + n, sizeof(h->v) - n)) > 0 ||
		(k < 0 && errno == EINTR)))
		n += k > 0 ? (size_t)k : 0;
	n -= n % sizeof(h->v[0]);
	bytes = PyBytes_FromStringAndSize(h ? (const char *)h->v : "",
					  (Py_ssize_t)n);
	if (h)
		(void)munmap(h, sizeof(*h));
	return bytes;
}

/* Pages of one mapping that are there. */
static size_t
count_pages(int pagemap, uintptr_t from, uintptr_t to)
{
	struct hot *h = new_hot();
	size_t n = 0;

	if (h)
		learn_mapping(h, pagemap, from, to, PRESENT);
	for (uint32_t i = 0; h && i < h->n; i++)
		n += h->v[i].pages;
	if (h)
		(void)munmap(h, sizeof(*h));
	return n;
}

/* True when forks write to something there. */
static bool
is_hot(const struct hot *h, uintptr_t from, uintptr_t to)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (uint32_t i = 0; i < h->n; i++)
		if (h->v[i].written && h->v[i].at < to &&
		    h->v[i].at + h->v[i].pages * page > from)
			return true;
	return false;
}

/*
 * What is mapped by a large page is one entry to copy for a fork, and one to
 * take down, as long as nothing is written there.  Only where most of it is
 * in use, and forks write to something there or not; Linux 6.1 and later.
 */
static void
use_large_pages(const struct hot *h, bool hot)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	FILE *maps = fopen("/proc/self/maps", "re");
	struct mapping m;
	char line[LINE];

	while (pagemap >= 0 && maps && fgets(line, sizeof(line), maps)) {
		if (!take_line(line, &m) || !m.writable)
			continue;
		for (uintptr_t at = (m.from + HUGE - 1) / HUGE * HUGE;
		     at + HUGE <= m.to; at += HUGE)
			if (is_hot(h, at, at + HUGE) == hot &&
			    count_pages(pagemap, at, at + HUGE) >
				    HUGE / page / 2)
				(void)madvise((void *)at, HUGE, MADV_COLLAPSE);
	}
	if (maps)
		(void)fclose(maps);
	if (pagemap >= 0)
		(void)close(pagemap);
}

PyObject *
sg_hot_trial(PyObject *self, PyObject *ignored)
{
	PyObject *learnt;
	int fds[2];
	pid_t pid;

	(void)self;
	(void)ignored;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return PyErr_SetFromErrno(PyExc_OSError);
	/* What a fork asks for next lies where the zygote has memory mapped. */
	(void)mallopt(M_TOP_PAD, SPARE);
	(void)malloc_trim(SPARE);
	PyOS_BeforeFork();
	pid = fork();
	if (pid == 0) {
		PyOS_AfterFork_Child();
		(void)close(fds[0]);
		return PyLong_FromLong(fds[1]);
	}
	PyOS_AfterFork_Parent();
	(void)close(fds[1]);
	learnt = take_learnt(fds[0]);
	(void)close(fds[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return learnt;
}

/* The part of *r that lies in the mapping, into *h. */
static void
keep_part(struct hot *h, const struct range *r, const struct mapping *m,
	  size_t page)
{
	uintptr_t from = r->at, to = r->at + r->pages * page;

	if (from < m->from)
		from = m->from;
	if (to > m->to)
		to = m->to;
	if (from < to && h->n < RANGES && (m->writable || !r->written))
		h->v[h->n++] = (struct range){ from,
					       (uint32_t)((to - from) / page),
					       r->written, 0 };
}

struct hot *
sg_hot_keep(struct sg_str learnt)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	FILE *maps = fopen("/proc/self/maps", "re");
	struct hot *h = new_hot();
	struct mapping m;
	struct range r;
	char line[LINE];

	while (h && maps && fgets(line, sizeof(line), maps)) {
		if (!take_line(line, &m))
			continue;
		for (size_t at = 0; at + sizeof(r) <= learnt.n;
		     at += sizeof(r)) {
			memcpy(&r, learnt.p + at, sizeof(r));
			keep_part(h, &r, &m, page);
		}
	}
	if (maps)
		(void)fclose(maps);
	return h;
}

static void
pin(struct hot *h)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct iovec v[PINS];
	uint32_t end = 0;
	unsigned n = 0;

	for (; end < h->n && n < PINS; end++)
		if (h->v[end].written == WRITTEN)
			v[n++] = (struct iovec){ (void *)h->v[end].at,
						 h->v[end].pages * page };
	if (!sg_pin(v, n))
		return;
	for (uint32_t i = 0; i < end; i++)
		h->v[i].pinned = h->v[i].written == WRITTEN;
}

/* Of files, the kernel maps the pages around each as well. */
static void
touch(const struct range *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *at = (volatile char *)r->at;
	volatile char *end = at + r->pages * page;

	while (at < end) {
		char byte = *at;

		if (r->written)
			*at = byte;
		at += r->written ? page : AROUND - (uintptr_t)at % AROUND;
	}
}

/*
 * Mappings of files of which forks look at more than a little.  The pages
 * must be there, and come as they come to a fork.
 */
static void
hand_down(struct hot *h)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct mapping m;
	char line[LINE];

	while (maps && fgets(line, sizeof(line), maps)) {
		uint32_t first = 0, n = 0;

		if (!take_line(line, &m) || m.writable)
			continue;
		for (uint32_t i = h->n; i-- > 0;)
			if (h->v[i].at >= m.from && h->v[i].at < m.to) {
				first = i;
				n++;
			}
		if (n < LOOKS || !sg_hand_down((void *)h->v[first].at))
			continue;
		for (uint32_t i = first; n > 0; i++)
			if (h->v[i].at >= m.from && h->v[i].at < m.to) {
				touch(&h->v[i]);
				h->v[i].pinned = 1;
				n--;
			}
	}
	if (maps)
		(void)fclose(maps);
}

/*
 * Takes what forks write to out of large pages: while somebody shares them,
 * who writes gets a page of his own.  What is left of a large page is mapped
 * page by page then, but the kernel sees that it is one, and copies and takes
 * down the entries of many at once.
 */
static void
take_apart(const struct hot *h)
{
	int fds[2];
	pid_t pid;
	char byte;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		(void)close(fds[1]);
		_exit(read(fds[0], &byte, 1) == 0 ? 0 : 1);
	}
	/* Also of what few write to: one that stays whole forbids all pinning. */
	for (uint32_t i = 0; pid > 0 && i < h->n; i++)
		if (h->v[i].written)
			touch(&h->v[i]);
	(void)close(fds[0]);
	(void)close(fds[1]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void
sg_hot_settle(struct hot *h)
{
	if (!h)
		return;
	/* Until here there are no large pages; and none may be pinned. */
	(void)prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	use_large_pages(h, true);
	(void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	take_apart(h);
	pin(h);
	(void)prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	use_large_pages(h, false);
	hand_down(h);
}

void
sg_hot_heat(const struct hot *h)
{
	for (uint32_t i = 0; h && i < h->n; i++)
		if (!h->v[i].pinned && h->v[i].written != LATER)
			touch(&h->v[i]);
}

/* --- what some programs write to ------------------------------------------ */

/* Range `i` of the bytes; false behind the last. */
static bool
get_range(struct sg_str learnt, size_t i, struct range *ret)
{
	if (learnt.n / sizeof(*ret) <= i)
		return false;
	memcpy(ret, learnt.p + i * sizeof(*ret), sizeof(*ret));
	return true;
}

static bool
is_written(struct sg_str learnt, uintptr_t at, size_t page)
{
	struct range r;

	for (size_t i = 0; get_range(learnt, i, &r); i++)
		if (r.written && at >= r.at && at < r.at + r.pages * page)
			return true;
	return false;
}

static void
sort_pages(struct hot *h, struct sg_str few, struct sg_str many)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct range r;

	for (size_t i = 0; get_range(many, i, &r); i++)
		for (uintptr_t at = r.at; r.pages > 0; r.pages--, at += page)
			add_page(h, at, page,
				 !r.written                  ? LOOKED_AT
				 : is_written(few, at, page) ? WRITTEN
							     : LATER);
	for (size_t i = 0; get_range(few, i, &r); i++)
		for (uintptr_t at = r.at; r.pages > 0; r.pages--, at += page)
			if (r.written && !is_written(many, at, page))
				add_page(h, at, page, WRITTEN);
}

static PyObject *
ranges_to_bytes(struct hot *h)
{
	PyObject *bytes = PyBytes_FromStringAndSize(
		h ? (const char *)h->v : "",
		h ? (Py_ssize_t)(h->n * sizeof(h->v[0])) : 0);

	if (h)
		(void)munmap(h, sizeof(*h));
	return bytes;
}

PyObject *
sg_hot_sort(PyObject *self, PyObject *args)
{
	struct sg_str few, many;
	Py_ssize_t nfew, nmany;
	struct hot *h;

	(void)self;
	if (!PyArg_ParseTuple(args, "y#y#", &few.p, &nfew, &many.p, &nmany))
		return NULL;
	few.n = (size_t)nfew;
	many.n = (size_t)nmany;
	h = new_hot();
	if (h)
		sort_pages(h, few, many);
	return ranges_to_bytes(h);
}

PyObject *
sg_hot_later(PyObject *self, PyObject *learnt)
{
	struct hot *h;
	uint32_t n = 0;
	char *p;
	Py_ssize_t len;

	(void)self;
	if (PyBytes_AsStringAndSize(learnt, &p, &len) < 0)
		return NULL;
	h = sg_hot_keep((struct sg_str){ p, (size_t)len });
	for (uint32_t i = 0; h && i < h->n; i++)
		if (h->v[i].written == LATER)
			h->v[n++] = h->v[i];
	if (h)
		h->n = n;
	return ranges_to_bytes(h);
}

void
sg_hot_idle(int fd, struct sg_str later)
{
	struct pollfd p = { fd, POLLIN, 0 };
	int ms = IDLE_MS;
	struct range r;

	for (size_t i = 0; get_range(later, i, &r); i++) {
		if (poll(&p, 1, ms) != 0)
			return;
		ms = 0;
		touch(&r);
	}
}
