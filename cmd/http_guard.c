#include "cmd/http_guard.h"

#include "base/buf.h"
#include "base/file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 64 * 1024 };

/* ---- tokens ---- */

/* One line, without blanks at its ends; comments and empty lines are none. */
static int
take_token(struct sg_str line, uint32_t number, struct sg_digest *out,
	   uint32_t *n, struct sg_err *err)
{
	while (line.n && (line.p[0] == ' ' || line.p[0] == '\t'))
		line = sg_str_slice(line, 1, line.n);
	while (line.n &&
	       (line.p[line.n - 1] == ' ' || line.p[line.n - 1] == '\t' ||
		line.p[line.n - 1] == '\r'))
		line.n--;
	if (line.n == 0 || line.p[0] == '#')
		return SG_OK;
	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] <= ' ' || line.p[i] > '~')
			return sg_err_set(err, SG_EUSAGE,
					  "line %u: a token is visible ASCII "
					  "characters",
					  number);
	}
	if (line.n < SG_GUARD_TOKEN_MIN || line.n > SG_GUARD_TOKEN_MAX)
		return sg_err_set(err, SG_EUSAGE,
				  "line %u: a token has %d to %d characters",
				  number, (int)SG_GUARD_TOKEN_MIN,
				  (int)SG_GUARD_TOKEN_MAX);
	if (*n == SG_GUARD_TOKENS)
		return sg_err_set(err, SG_EUSAGE, "more than %d tokens",
				  (int)SG_GUARD_TOKENS);
	out[(*n)++] = sg_digest_of(line);
	return SG_OK;
}

static int
take_tokens(struct sg_str text, struct sg_digest *out, uint32_t *n,
	    struct sg_err *err)
{
	uint32_t number = 0;
	int status = SG_OK;

	while (text.n && status == SG_OK) {
		size_t end = sg_str_find(text, '\n');

		status = take_token(sg_str_slice(text, 0, end), ++number, out,
				    n, err);
		text = sg_str_slice(text, end + 1, text.n);
	}
	if (status == SG_OK && *n == 0)
		return sg_err_set(err, SG_EUSAGE, "there is no token in it");
	return status;
}

static int
read_file(const char *path, struct sg_buf *out, struct sg_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int status;

	if (fd < 0)
		return sg_err_sys(err, SG_EIO, errno, "cannot open it");
	if (fstat(fd, &st) < 0)
		status = sg_err_sys(err, SG_EIO, errno, "cannot look at it");
	else if (st.st_mode & S_IRWXO)
		status = sg_err_set(err, SG_EUSAGE,
				    "everybody can read it; 'chmod 600' first");
	else
		status = sg_fd_read_all(fd, out, err);
	sg_fd_close(&fd);
	return status;
}

int
sg_guard_reload(struct sg_guard *g, struct sg_err *err)
{
	struct sg_digest tokens[SG_GUARD_TOKENS];
	struct sg_buf text;
	uint32_t n = 0;
	int status;

	if (!g->token_file)
		return SG_OK;
	sg_buf_init(&text, FILE_MAX);
	status = read_file(g->token_file, &text, err);
	if (status == SG_OK)
		status = take_tokens(sg_buf_view(&text), tokens, &n, err);
	if (text.data)
		explicit_bzero(text.data, text.room);
	sg_buf_release(&text);
	if (status < 0) {
		if (err->file[0] == '\0')
			(void)sg_err_at(err, g->token_file, 0, 0);
		return status;
	}
	(void)pthread_mutex_lock(&g->lock);
	memcpy(g->tokens, tokens, sizeof(tokens[0]) * n);
	g->ntokens = n;
	(void)pthread_mutex_unlock(&g->lock);
	return SG_OK;
}

/* What a browser sends: "https://chat.example:8443", without a path. */
static bool
is_origin(struct sg_str s)
{
	size_t n = sg_str_find(s, ':');
	struct sg_str rest = sg_str_slice(s, n, s.n);

	if (sg_str_eq(s, SG_STR("*")))
		return true;
	return n > 0 && rest.n > 3 && sg_str_starts(rest, SG_STR("://")) &&
	       !memchr(rest.p + 3, '/', rest.n - 3);
}

/* What would never be like anything that comes is a mistake. */
static int
check_names(const struct sg_guard *g, struct sg_err *err)
{
	for (uint32_t i = 0; i < g->origins->n; i++) {
		if (!is_origin(sg_str_c(g->origins->v[i])))
			return sg_err_set(err, SG_EUSAGE,
					  "option '--allow-origin': '%.100s' "
					  "is no origin such as "
					  "https://chat.example, without a "
					  "path",
					  g->origins->v[i]);
	}
	for (uint32_t i = 0; i < g->hosts->n; i++) {
		if (!g->hosts->v[i][0] || strpbrk(g->hosts->v[i], ":/"))
			return sg_err_set(err, SG_EUSAGE,
					  "option '--allow-host': '%.100s' is "
					  "no name such as box.example, "
					  "without a port",
					  g->hosts->v[i]);
	}
	return SG_OK;
}

int
sg_guard_init(struct sg_guard *g, const char *token_file,
	      const struct sg_opt_list *hosts,
	      const struct sg_opt_list *origins, struct sg_err *err)
{
	*g = (struct sg_guard){ .token_file = token_file,
				.hosts = hosts,
				.origins = origins };
	if (check_names(g, err) < 0)
		return SG_EUSAGE;
	if (pthread_mutex_init(&g->lock, NULL) != 0)
		return sg_err_set(err, SG_ENOMEM, "cannot make a lock");
	return sg_guard_reload(g, err);
}

void
sg_guard_release(struct sg_guard *g)
{
	explicit_bzero(g->tokens, sizeof(g->tokens));
	(void)pthread_mutex_destroy(&g->lock);
}

/* What comes after "Bearer ", or NULL. */
static const char *
bearer(const char *field)
{
	static const char scheme[] = "Bearer ";

	if (!field || strncasecmp(field, scheme, sizeof(scheme) - 1) != 0)
		return NULL;
	field += sizeof(scheme) - 1;
	while (*field == ' ')
		field++;
	return field;
}

bool
sg_guard_token(struct sg_guard *g, const char *authorization,
	       const char *api_key)
{
	const char *sent = bearer(authorization);
	struct sg_digest d;
	bool found = false;

	if (!g->token_file)
		return true;
	if (!sent)
		sent = api_key;
	if (!sent)
		return false;
	d = sg_digest_of(sg_str_c(sent));
	(void)pthread_mutex_lock(&g->lock);
	for (uint32_t i = 0; i < g->ntokens; i++)
		found |= sg_digest_same(&d, &g->tokens[i]);
	(void)pthread_mutex_unlock(&g->lock);
	return found;
}

/* ---- names ---- */

/* The name in "name:port" or "[address]:port"; empty when it is neither. */
static struct sg_str
host_name(const char *host)
{
	struct sg_str all = sg_str_c(host), name;
	size_t end;

	if (host[0] == '[') {
		end = sg_str_find(all, ']');
		if (end == all.n)
			return SG_STR_NONE;
		name = sg_str_slice(all, 1, end);
		end++;
	} else {
		end = sg_str_find(all, ':');
		name = sg_str_slice(all, 0, end);
	}
	if (end < all.n && all.p[end] != ':')
		return SG_STR_NONE;
	for (size_t i = end + 1; i < all.n; i++) {
		if (all.p[i] < '0' || all.p[i] > '9')
			return SG_STR_NONE;
	}
	return name;
}

static bool
is_address(struct sg_str name)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	char text[INET6_ADDRSTRLEN];

	if (name.n == 0 || name.n >= sizeof(text))
		return false;
	memcpy(text, name.p, name.n);
	text[name.n] = '\0';
	return inet_pton(AF_INET, text, bytes) == 1 ||
	       inet_pton(AF_INET6, text, bytes) == 1;
}

static bool
same_name(struct sg_str a, const char *b)
{
	return a.n == strlen(b) && strncasecmp(a.p, b, a.n) == 0;
}

bool
sg_guard_host(const struct sg_guard *g, const char *host)
{
	struct sg_str name = host_name(host);

	if (name.n == 0)
		return false;
	if (same_name(name, "localhost") || is_address(name))
		return true;
	for (uint32_t i = 0; i < g->hosts->n; i++) {
		if (same_name(name, g->hosts->v[i]))
			return true;
	}
	return false;
}

enum sg_guard_origin
sg_guard_origin(const struct sg_guard *g, const char *origin, const char *host)
{
	const char *rest = strstr(origin, "://");

	for (uint32_t i = 0; i < g->origins->n; i++) {
		if (strcmp(g->origins->v[i], "*") == 0 ||
		    strcasecmp(g->origins->v[i], origin) == 0)
			return SG_ORIGIN_LISTED;
	}
	/* The Host was looked at before: a page with its name is ours. */
	if (rest && host && strcasecmp(rest + 3, host) == 0)
		return SG_ORIGIN_SAME;
	return SG_ORIGIN_BAD;
}
