#include "cmd/hook.h"
#include "cmd/json_text.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/*
 * Theory of operation.  Agents differ in how they call their tools and their
 * arguments, and agree in what these are: a command, or a path with a text,
 * or a path with texts to replace.  So it is the shape of the input that is
 * looked at; the name of the tool decides only where the shape does not.
 */

/* ---- what is found ---- */

struct sg_hook_piece *
sg_hook_add(struct sg_hook *h, struct sg_str name, struct sg_str text,
	    struct sg_str before)
{
	struct sg_hook_piece *p;

	if (h->npieces == SG_HOOK_PIECES) {
		sg_hook_refuse(h, "more Python than can be judged at once");
		return NULL;
	}
	p = &h->pieces[h->npieces++];
	*p = (struct sg_hook_piece){ name, text, before, NULL, 0 };
	return p;
}

void
sg_hook_refuse(struct sg_hook *h, const char *fmt, ...)
{
	va_list ap;

	if (h->why[0])
		return;
	va_start(ap, fmt);
	(void)vsnprintf(h->why, sizeof(h->why), fmt, ap);
	va_end(ap);
}

struct sg_str
sg_hook_path(const struct sg_hook *h, struct sg_str name)
{
	struct sg_str path = name;

	if (name.n && name.p[0] == '/')
		return sg_arena_dup(h->arena, name);
	for (uint32_t i = h->nfolders; i-- > 0;) {
		path = sg_arena_printf(h->arena, "%.*s/%.*s",
				       SG_STR_ARG(h->folders[i]),
				       SG_STR_ARG(name));
		if (path.p && access(path.p, F_OK) == 0)
			return path;
	}
	if (h->nfolders)
		path = sg_arena_printf(h->arena, "%.*s/%.*s",
				       SG_STR_ARG(h->folders[h->nfolders - 1]),
				       SG_STR_ARG(name));
	return path;
}

struct sg_str
sg_hook_read(const struct sg_hook *h, struct sg_str path)
{
	struct sg_str out = SG_STR_NONE;
	struct sg_err err;
	struct sg_buf b;
	struct stat st;

	sg_err_clear(&err);
	path = sg_arena_dup(h->arena, path);
	if (!path.p || path.n == 0)
		return out;
	/* Never a pipe or a terminal, least of all our own. */
	if (stat(path.p, &st) < 0 || !S_ISREG(st.st_mode))
		return out;
	sg_buf_init(&b, SG_HOOK_FILE);
	if (sg_file_read(path.p, &b, &err) == SG_OK)
		out = sg_arena_dup(h->arena,
				   b.data ? sg_buf_view(&b) : SG_STR(""));
	sg_buf_release(&b);
	return out;
}

/* ---- members ---- */

/* The first of these names (each with a blank after it) that is a text. */
static struct sg_str
text_of(struct sg_hook *h, const json_t *o, const char *names)
{
	char key[64];

	while (*names) {
		size_t n = strcspn(names, " ");
		const json_t *v;

		(void)snprintf(key, sizeof(key), "%.*s", (int)n, names);
		v = json_object_get(o, key);
		if (json_is_string(v))
			return sg_arena_dup(h->arena, sg_json_text(v));
		names += n + 1;
	}
	return SG_STR_NONE;
}

#define PATHS "file_path path filePath filename notebook_path absolute_path "
#define CONTENTS "content contents text file_text fileText "
#define OLD "old_string old_str oldString old_text oldText search "
#define NEW "new_string new_str newString new_text newText replace "
#define COMMANDS "command cmd command_line commandLine script "

static bool
is_true(const json_t *o, const char *key)
{
	return json_is_true(json_object_get(o, key));
}

/* ---- shapes ---- */

static struct sg_hook_change
change_of(struct sg_hook *h, const json_t *o)
{
	return (struct sg_hook_change){
		.from = text_of(h, o, OLD),
		.to = text_of(h, o, NEW),
		.all = is_true(o, "replace_all") || is_true(o, "replaceAll") ||
		       is_true(o, "allow_multiple"),
	};
}

static void
look_at_edits(struct sg_hook *h, struct sg_str path, const json_t *list)
{
	size_t n = json_array_size(list);
	struct sg_hook_change *c = SG_NEWN(h->arena, struct sg_hook_change,
					   n + 1);

	for (size_t i = 0; c && i < n; i++)
		c[i] = change_of(h, json_array_get(list, i));
	if (c)
		sg_hook_edit(h, path, c, (uint32_t)n);
	else
		sg_hook_refuse(h, "more edits than can be judged at once");
}

/* "command": a text, or the words of one. */
static void
look_at_words(struct sg_hook *h, const json_t *list)
{
	struct sg_buf b;
	const json_t *word;
	size_t i;

	/* As one would write them, so that they are read the same way. */
	sg_buf_init(&b, SG_SH_TEXT);
	json_array_foreach(list, i, word)
	{
		const char *s = json_string_value(word);

		sg_buf_c(&b, i ? " '" : "'");
		for (; s && *s; s++)
			if (*s == '\'')
				sg_buf_c(&b, "'\\''");
			else
				sg_buf_char(&b, *s);
		sg_buf_char(&b, '\'');
	}
	if (sg_buf_failed(&b))
		sg_hook_refuse(h, "a command line too long to judge");
	else
		sg_hook_shell(h, sg_arena_dup(h->arena, sg_buf_view(&b)));
	sg_buf_release(&b);
}

/* An editor that calls its own commands so is no shell. */
static bool
is_editing(struct sg_str command)
{
	static const char *const words[] = { "view",   "create",     "write",
					     "insert", "undo_edit",  "delete",
					     "rename", "str_replace" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (sg_str_eq(command, sg_str_c(words[i])))
			return true;
	return false;
}

static void
look_at_text(struct sg_hook *h, struct sg_str tool, struct sg_str text)
{
	if (is_editing(text))
		return;
	if (sg_str_eq(tool, SG_STR("apply_patch")) ||
	    sg_str_starts(text, SG_STR("*** Begin Patch")))
		sg_hook_patch(h, text);
	else
		sg_hook_shell(h, text);
}

/* Whichever of them it is that the tool looks at: all are. */
static void
look_at_commands(struct sg_hook *h, struct sg_str tool, const json_t *in)
{
	const char *names = COMMANDS "patch input patchText ";
	char key[64];

	while (*names) {
		size_t n = strcspn(names, " ");
		const json_t *v;

		(void)snprintf(key, sizeof(key), "%.*s", (int)n, names);
		v = json_object_get(in, key);
		if (json_is_array(v))
			look_at_words(h, v);
		else if (json_is_string(v))
			look_at_text(h, tool,
				     sg_arena_dup(h->arena, sg_json_text(v)));
		names += n + 1;
	}
}

static bool
has_word(struct sg_str s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= s.n; i++)
		if (strncasecmp(s.p + i, word, n) == 0)
			return true;
	return false;
}

/* Tools that take code: "python", or a language beside it. */
static void
look_at_code(struct sg_hook *h, struct sg_str tool, const json_t *in)
{
	struct sg_str code = text_of(h, in, "code source_code python_code ");
	struct sg_str language = text_of(h, in, "language lang kernel ");

	if (code.p && has_word(language.p ? language : tool, "py"))
		sg_hook_add(h, tool, code, SG_STR_NONE);
}

static void
look_at_file(struct sg_hook *h, struct sg_str path, const json_t *in)
{
	const json_t *edits = json_object_get(in, "edits");
	struct sg_str whole = text_of(h, in, CONTENTS);
	struct sg_str cell = text_of(h, in, "new_source newSource ");
	struct sg_hook_change one = change_of(h, in);

	if (cell.p && !sg_str_eq(text_of(h, in, "cell_type cellType "),
				 SG_STR("markdown")))
		sg_hook_cell(h, path, text_of(h, in, "cell_id cellId "), cell,
			     text_of(h, in, "edit_mode editMode "));
	if (json_is_array(edits))
		look_at_edits(h, path, edits);
	if (one.to.p)
		sg_hook_edit(h, path, &one, 1);
	if (whole.p)
		sg_hook_write(h, path, whole);
}

static void
look_at_input(struct sg_hook *h, struct sg_str tool, const json_t *in)
{
	struct sg_str path = text_of(h, in, PATHS);

	/* Of files that are read, the text may come along. */
	if (strncasecmp(tool.p, "read", 4) == 0)
		return;
	look_at_commands(h, tool, in);
	look_at_code(h, tool, in);
	if (path.p)
		look_at_file(h, path, in);
}

/* ---- the event ---- */

static const struct {
	const char *event, *tool, *input;
	bool answers;
} shapes[] = {
	{ "hook_event_name", "tool_name", "tool_input", false },
	{ "hookEventName", "toolName", "toolArgs", true }, /* Copilot */
	{ "event", "toolName", "toolInput", false },
	{ "agent_action_name", "agent_action_name", "tool_info", false },
};

/* Events before a tool is used, as far as their name says it. */
static bool
is_before(struct sg_str event)
{
	static const char *const names[] = { "pre", "before", "permission" };

	if (has_word(event, "read") || has_word(event, "prompt") ||
	    has_word(event, "compact") || has_word(event, "model"))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncasecmp(event.p, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static void
set_folder(struct sg_hook *h, const json_t *event, const json_t *in)
{
	struct sg_str cwd = text_of(h, event, "cwd ");
	struct sg_str own =
		text_of(h, in, "cwd workdir directory dir_path working_dir ");
	char here[4096];

	if (!cwd.p && getcwd(here, sizeof(here)))
		cwd = sg_arena_dup(h->arena, sg_str_c(here));
	if (cwd.p)
		h->folders[h->nfolders++] = cwd;
	if (own.p && own.n)
		h->folders[h->nfolders++] = sg_hook_path(h, own);
}

/* The input: an object, or the text of one. */
static json_t *
input_of(const json_t *event, const char *key)
{
	json_t *v = json_object_get(event, key);

	if (json_is_string(v))
		return json_loadb(json_string_value(v), json_string_length(v),
				  0, NULL);
	return json_is_object(v) ? json_incref(v) : NULL;
}

static int
look_at_event(struct sg_hook *h, const json_t *event, struct sg_err *err)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		char key[64];
		struct sg_str name, tool;
		json_t *in;

		(void)snprintf(key, sizeof(key), "%s ", shapes[i].event);
		name = text_of(h, event, key);
		(void)snprintf(key, sizeof(key), "%s ", shapes[i].tool);
		tool = text_of(h, event, key);
		if (name.p && !is_before(name))
			return SG_OK;
		in = input_of(event, shapes[i].input);
		if (!tool.p || !in) {
			json_decref(in);
			continue;
		}
		h->answers = shapes[i].answers;
		set_folder(h, event, in);
		look_at_input(h, tool, in);
		json_decref(in);
		return SG_OK;
	}
	/* Cursor's beforeShellExecution has its command right there. */
	if (json_is_string(json_object_get(event, "command"))) {
		set_folder(h, event, event);
		look_at_commands(h, SG_STR("shell"), event);
		return SG_OK;
	}
	return sg_err_set(err, SG_EPARSE,
			  "it names no tool with its input, as tool_name and "
			  "tool_input do");
}

int
sg_hook_event(struct sg_hook *h, struct sg_str text, struct sg_err *err)
{
	json_error_t why;
	json_t *event = json_loadb(text.p ? text.p : "", text.n,
				   JSON_REJECT_DUPLICATES, &why);
	int status;

	if (!event)
		return sg_err_set(err, SG_EPARSE, "line %d: %s", why.line,
				  why.text);
	if (json_is_object(event))
		status = look_at_event(h, event, err);
	else
		status = sg_err_set(err, SG_EPARSE, "it is no JSON object");
	json_decref(event);
	if (status == SG_OK && sg_arena_failed(h->arena))
		status = sg_err_set(err, SG_ENOMEM, "no memory");
	return status;
}
