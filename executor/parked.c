#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/root.h"
#include "executor/warden.h"

/*
 * Theory of operation.  The worker of a warm run is a copy of the zygote's
 * memory, and waits until its warden hands on the order.  It reads that
 * itself, because nothing of a run may be in memory that is copied again, and
 * writes the input files: it owns the workspace that the warden has mounted.
 */

/* The board, with the text of the order behind it; NULL: not there. */
static struct sg_board *
map_order(int fd, size_t *ret_size)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) < 0 || st.st_size <= SG_ORDER_AT)
		return NULL;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		 fd, 0);
	(void)close(fd);
	*ret_size = (size_t)st.st_size;
	return p == MAP_FAILED ? NULL : p;
}

struct sg_board *
sg_order_read(const struct sg_order_msg *m, struct sg_order *ret,
	      size_t *ret_size)
{
	const int *fds = m->fds;
	struct sg_board *board;
	struct sg_str text;

	board = map_order(fds[SG_ORDER_FILE], ret_size);
	if (!board)
		return NULL;
	text.p = (const char *)board + SG_ORDER_AT;
	text.n = *ret_size - SG_ORDER_AT;
	if (!sg_order_decode(text, ret))
		return NULL;
	ret->plan.fds = (struct sg_plan_fds){
		fds[SG_ORDER_IN],
		fds[SG_ORDER_OUT],
		fds[SG_ORDER_ERR],
		fds[SG_ORDER_RESULT],
		fds[SG_ORDER_REQUEST],
		fds[SG_ORDER_REPORT],
		-1,
		fds[SG_ORDER_MEMORY],
		fds[SG_ORDER_PIDS],
		fds[SG_ORDER_GROUP],
	};
	return board;
}

void
sg_parked_wake(const struct sg_parked *p)
{
	(void)prctl(PR_SET_NAME, p->name, 0, 0, 0);
	for (int i = 0; i < SG_SPARE_SIGNALS; i++)
		(void)sigaction(p->signals[i], &p->actions[i], NULL);
}

/* What the order leaves open. */
static void
complete(struct sg_plan *plan, const struct sg_parked *p)
{
	const struct sg_plan own = sg_parked_plan(&p->ask, p->tid);
	struct sg_plan read = *plan;

	*plan = own;
	plan->want = read.want;
	plan->must = read.must;
	plan->data_limit = read.data_limit;
	plan->spec = read.spec;
	plan->prepared = read.prepared;
	plan->first = read.first;
	plan->final = read.final;
	plan->fds = read.fds;
}

void
sg_parked_wait(struct sg_parked *p)
{
	const struct sched_param turn = { .sched_priority = 0 };
	struct sg_board *board;
	struct sg_order order;
	const char *what = "";
	size_t size;
	int rc;

	if (p->gate >= 0 && !sg_order_wait(p->gate, &p->order))
		_exit(0);
	board = sg_order_read(&p->order, &order, &size);
	if (!board)
		_exit(1);
	p->gate = -1;
	complete(&order.plan, p);
	if (p->nested)
		board->note[SG_L_USER_NS].state = SG_LAYER_ACTIVE;
	/* The warden has mounted it since we were forked. */
	if (chdir(order.plan.workspace) < 0)
		_exit(1);
	(void)umask(022);
	rc = sg_root_inputs(&order.plan, &what);
	if (rc < 0) {
		sg_board_fail(board, SG_L_WORKSPACE, -rc, what);
		_exit(1);
	}
	if (p->batch)
		(void)sched_setscheduler(0, SCHED_OTHER, &turn);
	p->sealed = order.plan.final.n > 0;
	sg_worker_main(&order.plan, board, -1);
	(void)munmap(board, size);
}
