#include "cmd/http.h"

enum {
	/* Bytes at a time. */
	KEPT = 64 * 1024
};

void
sg_http_stream_init(struct sg_http_stream *s, struct sg_http_req *req)
{
	*s = (struct sg_http_stream){ .req = req };
	(void)pthread_mutex_init(&s->lock, NULL);
	sg_buf_init(&s->out, SG_RESULT_MAX);
}

void
sg_http_stream_release(struct sg_http_stream *s)
{
	sg_buf_release(&s->out);
	(void)pthread_mutex_destroy(&s->lock);
}

/* With the lock held. */
static void
wake(struct sg_http_stream *s)
{
	if (s->asleep)
		sg_http_wake(s->req);
	s->asleep = false;
}

void
sg_http_stream_put(struct sg_http_stream *s, struct sg_str bytes, bool last)
{
	(void)pthread_mutex_lock(&s->lock);
	if (!s->ended && !s->broken) {
		sg_buf_str(&s->out, bytes);
		s->broken = sg_buf_failed(&s->out);
		s->ended = last;
		wake(s);
	}
	(void)pthread_mutex_unlock(&s->lock);
}

void
sg_http_stream_break(struct sg_http_stream *s)
{
	(void)pthread_mutex_lock(&s->lock);
	s->broken = true;
	wake(s);
	(void)pthread_mutex_unlock(&s->lock);
}

/* With the lock held: how much was copied. */
static int
copy(struct sg_http_stream *s, char *out, size_t room)
{
	size_t n = s->out.len - s->taken;

	n = n < room ? n : room;
	n = n < KEPT ? n : KEPT;
	memcpy(out, s->out.data + s->taken, n);
	s->taken += n;
	if (s->taken == s->out.len) {
		sg_buf_reset(&s->out);
		s->taken = 0;
	}
	return (int)n;
}

int
sg_http_stream_take(struct sg_http_stream *s, char *out, size_t room,
		    void (*sleep)(struct sg_http_req *req))
{
	int n = 0;

	(void)pthread_mutex_lock(&s->lock);
	if (s->broken) {
		n = -2;
	} else if (s->taken < s->out.len) {
		n = copy(s, out, room);
	} else if (s->ended) {
		n = -1;
	} else {
		s->asleep = true;
		sleep(s->req);
	}
	(void)pthread_mutex_unlock(&s->lock);
	return n;
}
