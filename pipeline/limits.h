#ifndef SG_PIPELINE_LIMITS_H
#define SG_PIPELINE_LIMITS_H

/* The limits of the pipeline, each with its reason. */

enum {
	/* One record.  Ours are below 64 KiB: at most SG_EVENT_FINDINGS
	 * findings with texts of SG_EVENT_TEXT bytes.  A longer line in a
	 * log can't be one. */
	SG_RECORD_MAX = 1 << 20,
	/* Nesting of a record; ours have four levels. */
	SG_RECORD_DEPTH = 32,
	/* The head file holds one small object, with blanks up to a size that
	 * never changes; what is read may be by another version. */
	SG_HEAD_SIZE = 256,
	SG_HEAD_MAX = 4096,
	/* Writers take turns; one that waits longer is better told. */
	SG_AUDIT_WAIT_MS = 10000,
	/* The name of a log, with what is added to it for others. */
	SG_AUDIT_PATH = 4096,
	/* Records of one write; more than there are workers. */
	SG_AUDIT_BATCH = 64,
	/* How long a record that nobody waits for may be lost by a crash of
	 * the machine: long enough that the next verdict often takes it along,
	 * short beside what anybody could ask the log. */
	SG_AUDIT_LAG_MS = 5,
	/* Room on the disk that a log takes ahead: some hundred records. */
	SG_AUDIT_RESERVE = 256 << 10,
	/* Bytes at the end of a log in which the record of its head is looked
	 * for after a crash: all that is written in that time and far more. */
	SG_AUDIT_LOOK = 4 << 20,
	/* Files of one rotated log that are verified together. */
	SG_AUDIT_FILES = 10000,
	/* What a record tells of a verdict; the rest is counted. */
	SG_EVENT_FINDINGS = 50,
	SG_EVENT_TEXT = 512,
	SG_EVENT_DENIED = 20,

	/* A verdict with 1,000 findings, their texts and chains. */
	SG_GATE_ARENA = 64 << 20,
	/* Modules of one script that a warm interpreter is chosen by. */
	SG_RUN_IMPORTS = 64,
	/* A result with all its images and files as base64. */
	SG_RESULT_MAX = 1 << 30,

	/* Of a service: workers and tasks that may wait. */
	SG_SERVICE_WORKERS = 1024,
	SG_SERVICE_QUEUE = 65536,
	/* What one task brings along: script, input and files. */
	SG_TASK_ARENA = 512 << 20,
	/* Memory that a worker keeps from one run to the next. */
	SG_WORKER_KEEPS = 4 << 20,
	/* What the interpreter says of its packages. */
	SG_PACKAGES_MAX = 16 << 20,

	/* JSON of a row: other parsers stop at 512 to 1,000 levels. */
	SG_ROW_DEPTH = 512,
	/* Keys of a JSON pointer, and its bytes once decoded. */
	SG_ROW_KEYS = 16,
	SG_ROW_POINTER = 512,
	/* Members "sandgate" of one object; one is usual. */
	SG_ROW_OURS = 8,

	/* A source line as shown: most terminals are narrower. */
	SG_SHOWN_LINE = 160,
	/* Of it before the place when the line is cut. */
	SG_SHOWN_BEFORE = 60
};

#endif
