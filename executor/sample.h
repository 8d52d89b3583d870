#ifndef SG_EXECUTOR_SAMPLE_H
#define SG_EXECUTOR_SAMPLE_H

/* What running processes use, as their supervisor sees it in /proc. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* CPU time of one process with all its threads, in ns; 0 when it is gone. */
uint64_t sg_sample_cpu(pid_t pid);

/* Bytes of one process that no file stands behind; 0 when it is gone. */
uint64_t sg_sample_memory(pid_t pid);

struct sg_sample {
	uint64_t cpu;    /* ns, of the living and of those they waited for */
	uint64_t memory; /* bytes; pages that are shared count in each */
	uint32_t processes;
};

/*
 * Everything below `root`, which is not counted itself.  False when the
 * kernel does not say who is whose child.
 */
bool sg_sample_tree(pid_t root, struct sg_sample *ret);

/* When a process started, in ticks since boot; 0 when it is not there. */
uint64_t sg_sample_start(pid_t pid);

/*
 * What outlives a supervisor is called PREFIX<pid>.<start>...: true when
 * `name` is so and that supervisor is gone.
 */
bool sg_sample_stale(const char *name, const char *prefix);

#endif
