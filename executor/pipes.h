#ifndef SG_EXECUTOR_PIPES_H
#define SG_EXECUTOR_PIPES_H

/*
 * What a box and its supervisor talk through.
 */

#include <stdbool.h>

#include "base/status.h"

/* Pairs of descriptors, -1 where there is none; the first of each is ours. */
struct sg_pipes {
	int in[2], out[2], err[2]; /* the program's */
	int result[2];             /* the driver's answers */
	int request[2];            /* what it is asked */
	int report[2];             /* of the box while it is built; a socket */
	int life[2];               /* ends with the supervisor */
};

#define SG_PIPES_NONE                                                       \
	{                                                                   \
		{ -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 }, \
			{ -1, -1 },                                         \
		{                                                           \
			-1, -1                                              \
		}                                                           \
	}

enum {
	SG_PIPES_INPUT = 1,  /* make `in` as well */
	SG_PIPES_TALK = 2,   /* `result` is a socket */
	SG_PIPES_LIFE = 4,   /* make `life` as well */
	SG_PIPES_REPORT = 8, /* make `report` as well */
};

/* Whatever was made by then stays when SG_EIO is returned. */
SG_MUST_CHECK int sg_pipes_make(struct sg_pipes *p, unsigned which,
				struct sg_err *err);
void sg_pipes_close_theirs(struct sg_pipes *p);

#endif
