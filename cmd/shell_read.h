#ifndef SG_CMD_SHELL_READ_H
#define SG_CMD_SHELL_READ_H

/* What cmd/shell.c and cmd/shell_word.c share; see cmd/shell.h. */

#include "base/buf.h"
#include "cmd/shell.h"

enum { SG_SH_DOCUMENTS = 16 };

/* A here-document whose body is still to come. */
struct sg_sh_document {
	struct sg_sh_redir *redir;
	struct sg_str end;
	bool strip, quoted;
};

struct sg_sh_reader {
	struct sg_sh *sh;
	struct sg_str text;
	size_t at;
	uint32_t depth, cases;
	bool quoted; /* the last word had quotes */
	enum sg_status status;
	const char *why; /* static */
	struct sg_sh_document documents[SG_SH_DOCUMENTS];
	uint32_t ndocuments;
};

/* The first failure stays. */
void sg_sh_fail(struct sg_sh_reader *r, enum sg_status status, const char *why);
/* Past blanks, escaped line ends and comments. */
void sg_sh_blanks(struct sg_sh_reader *r);
/* One word; false when none stands here. */
bool sg_sh_word(struct sg_sh_reader *r, struct sg_sh_word *ret);
/* True when `<(` or `>(` stands at `at`. */
bool sg_sh_is_process(const struct sg_sh_reader *r, size_t at);
/* Does to a body what the shell does when its end was not quoted. */
void sg_sh_expand_document(struct sg_sh_reader *r, struct sg_sh_word *body);
/* Commands up to `stop`, which is taken as well, or to the end for NUL. */
void sg_sh_list(struct sg_sh_reader *r, char stop);
/* Bytes of the name when the word is "NAME=...", else 0. */
size_t sg_sh_assigns(const struct sg_sh_word *w);

#endif
