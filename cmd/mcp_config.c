#include "cmd/mcp_config.h"
#include "cmd/cmd.h"

#include "base/file.h"
#include "base/json.h"

#include <unistd.h>

enum { CONFIG_MAX = 1 << 20 };

/* A client, and how its configuration names servers. */
static const struct client {
	const char *name;
	const char *member; /* NULL: TOML */
	bool type;          /* wants to know that it is "stdio" */
} clients[] = {
	{ "claude", "mcpServers", false },
	{ "cursor", "mcpServers", false },
	{ "vscode", "servers", true },
	{ "codex", NULL, false },
};

/* ---- how this program was called ---- */

int
sg_config_program(struct sg_buf *program, struct sg_err *err)
{
	ssize_t n;
	char *room;

	sg_buf_init(program, 4096);
	room = sg_buf_room(program, 4095);
	n = room ? readlink("/proc/self/exe", room, 4095) : -1;
	if (n <= 0)
		return sg_err_set(err, SG_EIO,
				  "the name of this program is not known");
	program->len = (size_t)n;
	program->data[n] = '\0';
	return SG_OK;
}

static int
read_call(struct sg_buf *program, struct sg_buf *args, struct sg_err *err)
{
	sg_buf_init(args, CONFIG_MAX);
	if (sg_config_program(program, err) < 0)
		return SG_EIO;
	return sg_file_read("/proc/self/cmdline", args, err);
}

void
sg_config_path(struct sg_buf *out, struct sg_str path)
{
	char here[4096];

	/* "strict" is a name, "./strict" and "mine.yaml" are files. */
	if (path.n && path.p[0] != '/' &&
	    (memchr(path.p, '/', path.n) || memchr(path.p, '.', path.n)) &&
	    getcwd(here, sizeof(here)))
		sg_buf_printf(out, "%s%s", here, here[1] ? "/" : "");
	sg_buf_str(out, path);
}

/* The next argument from *at on; false at the end. */
static bool
next_arg(struct sg_str all, size_t *at, struct sg_str *ret)
{
	size_t n;

	if (*at >= all.n)
		return false;
	n = sg_str_find(sg_str_slice(all, *at, all.n), '\0');
	*ret = sg_str_slice(all, *at, *at + n);
	*at += n + 1;
	return true;
}

/* The next argument that a configuration needs: not the program's name, and
 * not the wish to print one. */
static bool
next_kept(struct sg_str all, size_t *at, struct sg_str *ret)
{
	const struct sg_str ours = SG_STR("--print-config");
	struct sg_str skipped;

	if (*at == 0 && !next_arg(all, at, &skipped))
		return false;
	while (next_arg(all, at, ret)) {
		if (sg_str_eq(*ret, ours)) {
			if (!next_arg(all, at, &skipped))
				return false;
		} else if (!sg_str_starts(*ret, SG_STR("--print-config="))) {
			return true;
		}
	}
	return false;
}

/* ---- the two languages ---- */

/* How much of the argument names an option whose value is a path: none, or
 * "--audit" as a whole, or "--audit=". */
static size_t
before_path(struct sg_str arg)
{
	static const char *const names[] = { "-p", "--policy", "--audit",
					     "--config", "--python" };
	size_t n = sg_str_find(arg, '=');

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (sg_str_eq(sg_str_slice(arg, 0, n), sg_str_c(names[i])))
			return n < arg.n ? n + 1 : n;
	}
	return 0;
}

static void
put_args(struct sg_json *j, struct sg_str args)
{
	struct sg_str arg;
	bool path = false;
	size_t at = 0, n;
	struct sg_buf b;

	sg_buf_init(&b, CONFIG_MAX);
	sg_json_array(j);
	while (next_kept(args, &at, &arg)) {
		n = path ? 0 : before_path(arg);
		sg_buf_reset(&b);
		sg_buf_str(&b, sg_str_slice(arg, 0, n));
		if (path || (n && n < arg.n))
			sg_config_path(&b, sg_str_slice(arg, n, arg.n));
		else
			sg_buf_str(&b, sg_str_slice(arg, n, arg.n));
		sg_json_str(j, sg_buf_view(&b));
		path = !path && n && n == arg.n;
	}
	sg_json_end(j);
	sg_buf_release(&b);
}

static void
put_json(const struct client *c, struct sg_str program, struct sg_str args,
	 struct sg_buf *out)
{
	struct sg_json j;

	sg_json_init(&j, out);
	sg_json_object(&j);
	sg_json_key(&j, c->member);
	sg_json_object(&j);
	sg_json_key(&j, "sandgate");
	sg_json_object(&j);
	if (c->type)
		sg_json_kc(&j, "type", "stdio");
	sg_json_kstr(&j, "command", program);
	sg_json_key(&j, "args");
	put_args(&j, args);
	sg_json_end(&j);
	sg_json_end(&j);
	sg_json_end(&j);
	sg_buf_char(out, '\n');
}

/* A basic string of TOML is a string of JSON. */
static void
put_toml(struct sg_str program, struct sg_str args, struct sg_buf *out)
{
	struct sg_json j;

	sg_buf_c(out, "[mcp_servers.sandgate]\ncommand = ");
	sg_json_init(&j, out);
	sg_json_str(&j, program);
	sg_buf_c(out, "\nargs = ");
	sg_json_init(&j, out);
	put_args(&j, args);
	sg_buf_char(out, '\n');
}

int
sg_mcp_print_config(const char *client)
{
	struct sg_buf program, args, out;
	const struct client *c = NULL;
	struct sg_err err;
	int status = SG_EXIT_ERROR;

	for (size_t i = 0; i < sizeof(clients) / sizeof(*clients); i++) {
		if (strcmp(clients[i].name, client) == 0)
			c = &clients[i];
	}
	if (!c) {
		sg_say("mcp: there is no client '%s': claude, cursor, vscode "
		       "or codex",
		       client);
		return SG_EXIT_ERROR;
	}
	sg_err_clear(&err);
	sg_buf_init(&out, CONFIG_MAX);
	if (read_call(&program, &args, &err) < 0) {
		sg_say_err(&err);
	} else {
		if (c->member)
			put_json(c, sg_buf_view(&program), sg_buf_view(&args),
				 &out);
		else
			put_toml(sg_buf_view(&program), sg_buf_view(&args),
				 &out);
		status = sg_term_put(&out, SG_EXIT_OK, SG_EXIT_ERROR);
	}
	sg_buf_release(&program);
	sg_buf_release(&args);
	sg_buf_release(&out);
	return status;
}
