#include "executor/result.h"

static const char *const names[SG_RUN_STATUS_COUNT] = {
	[SG_RUN_OK] = "ok",
	[SG_RUN_ERROR] = "error",
	[SG_RUN_REJECTED] = "rejected",
	[SG_RUN_TIMEOUT] = "timeout",
	[SG_RUN_CPU_LIMIT] = "cpu_limit",
	[SG_RUN_MEMORY_LIMIT] = "memory_limit",
	[SG_RUN_PROCESS_LIMIT] = "process_limit",
	[SG_RUN_DISK_LIMIT] = "disk_limit",
	[SG_RUN_OUTPUT_LIMIT] = "output_limit",
	[SG_RUN_SYSCALL_DENIED] = "syscall_denied",
	[SG_RUN_SIGNALED] = "signaled",
	[SG_RUN_CANCELLED] = "cancelled",
	[SG_RUN_OVERLOADED] = "overloaded",
	[SG_RUN_INVALID] = "invalid",
	[SG_RUN_INTERNAL] = "internal",
};

const char *
sg_run_status_name(enum sg_run_status s)
{
	if ((unsigned)s >= SG_RUN_STATUS_COUNT)
		return "internal";
	return names[s];
}
