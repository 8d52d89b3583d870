#include "base/map.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit/support.h"

enum { MANY = 20000 };

static struct sg_str
name_of(char buf[16], int i)
{
	return (struct sg_str){ buf, (size_t)snprintf(buf, 16, "k%d", i) };
}

START_TEST(an_empty_map_has_nothing)
{
	struct sg_map m;
	uint32_t v = 7;

	sg_map_init(&m, 10);
	ck_assert(!sg_map_get(&m, SG_STR("a"), &v));
	ck_assert(!sg_map_get(&m, SG_STR_NONE, &v));
	ck_assert_uint_eq(v, 7);
	ck_assert_ptr_null(m.slots);
	sg_map_release(&m);
}
END_TEST

START_TEST(what_was_put_is_found_and_replaced)
{
	struct sg_map m;
	uint32_t v;

	sg_map_init(&m, 10);
	ck_assert(sg_map_put(&m, SG_STR("a"), 1));
	ck_assert(sg_map_put(&m, SG_STR("b"), 0));
	ck_assert(sg_map_put(&m, SG_STR_NONE, 3));
	ck_assert(sg_map_put(&m, SG_STR("a"), UINT32_MAX));
	ck_assert_uint_eq(m.n, 3);
	ck_assert(sg_map_get(&m, SG_STR("a"), &v) && v == UINT32_MAX);
	ck_assert(sg_map_get(&m, SG_STR("b"), &v) && v == 0);
	ck_assert(sg_map_get(&m, SG_STR(""), &v) && v == 3);
	ck_assert(!sg_map_get(&m, SG_STR("a\0"), &v));
	sg_map_release(&m);
}
END_TEST

START_TEST(keys_of_every_length_are_told_apart)
{
	struct sg_map m;
	uint32_t v;
	char text[200];

	/* Keys that differ in one byte only, at each place. */
	for (size_t n = 1; n < 70; n++) {
		char *keys = malloc(n * n);

		ck_assert_ptr_nonnull(keys);
		memset(text, 'x', sizeof(text));
		sg_map_init(&m, 1000);
		ck_assert(sg_map_put(&m, (struct sg_str){ text, n }, 1000));
		for (size_t i = 0; i < n; i++) {
			memset(keys + i * n, 'x', n);
			keys[i * n + i] = 'y';
			ck_assert(sg_map_put(&m,
					     (struct sg_str){ keys + i * n, n },
					     (uint32_t)i));
		}
		ck_assert_uint_eq(m.n, n + 1);
		for (size_t i = 0; i < n; i++)
			ck_assert(sg_map_get(&m,
					     (struct sg_str){ keys + i * n, n },
					     &v) &&
				  v == i);
		sg_map_release(&m);
		free(keys);
	}
}
END_TEST

START_TEST(many_keys_survive_growing)
{
	static char keys[MANY][16];
	struct sg_map m;
	uint32_t v;
	char other[16];

	sg_map_init(&m, MANY);
	for (int i = 0; i < MANY; i++)
		ck_assert(sg_map_put(&m, name_of(keys[i], i), (uint32_t)i));
	for (int i = 0; i < MANY; i++) {
		ck_assert(sg_map_get(&m, name_of(other, i), &v));
		ck_assert_uint_eq(v, (uint32_t)i);
	}
	ck_assert(!sg_map_get(&m, name_of(other, MANY), &v));
	sg_map_release(&m);
}
END_TEST

START_TEST(the_maximum_is_exact)
{
	struct sg_map m;
	uint32_t v;

	sg_map_init(&m, 2);
	ck_assert(sg_map_put(&m, SG_STR("a"), 1));
	ck_assert(sg_map_put(&m, SG_STR("b"), 2));
	ck_assert(!sg_map_put(&m, SG_STR("c"), 3));
	ck_assert(!sg_map_get(&m, SG_STR("c"), &v));
	/* Replacing is no new entry. */
	ck_assert(sg_map_put(&m, SG_STR("a"), 4));
	ck_assert(sg_map_get(&m, SG_STR("a"), &v) && v == 4);
	sg_map_release(&m);
}
END_TEST

START_TEST(a_reset_map_is_empty_and_usable)
{
	static char keys[1000][16];
	struct sg_map m;
	uint32_t v, room;

	sg_map_init(&m, 1000);
	for (int i = 0; i < 1000; i++)
		ck_assert(sg_map_put(&m, name_of(keys[i], i), 1));
	room = m.room;
	sg_map_reset(&m);
	ck_assert_uint_eq(m.n, 0);
	ck_assert_uint_eq(m.room, room);
	ck_assert(!sg_map_get(&m, SG_STR("k1"), &v));
	/* Much room and few entries: the room is given back. */
	ck_assert(sg_map_put(&m, SG_STR("k1"), 5));
	sg_map_reset(&m);
	ck_assert_uint_eq(m.room, 0);
	ck_assert(sg_map_put(&m, SG_STR("k1"), 6));
	ck_assert(sg_map_get(&m, SG_STR("k1"), &v) && v == 6);
	sg_map_release(&m);
}
END_TEST

START_TEST(two_maps_do_not_share_a_seed)
{
	struct sg_map a, b;

	sg_map_init(&a, 10);
	sg_map_init(&b, 10);
	ck_assert(sg_map_put(&a, SG_STR("x"), 1));
	ck_assert(sg_map_put(&b, SG_STR("x"), 1));
	ck_assert(a.seed != b.seed);
	sg_map_release(&a);
	sg_map_release(&b);
}
END_TEST

START_TEST(a_map_without_memory_refuses_and_keeps_what_it_has)
{
	static char keys[200][16];
	static bool put[200];
	struct sg_map m;
	uint32_t v;

	SG_TEST_EACH_ALLOCATION() {
		uint32_t n = 0;

		sg_map_init(&m, 1000);
		for (int i = 0; i < 200; i++) {
			put[i] = sg_map_put(&m, name_of(keys[i], i),
					    (uint32_t)i);
			n += put[i];
		}
		ck_assert_uint_eq(m.n, n);
		for (int i = 0; i < 200; i++)
			ck_assert(sg_map_get(&m, name_of(keys[i], i), &v) ==
				  put[i]);
		sg_map_release(&m);
	}
}
END_TEST

START_TEST(the_same_text_has_the_same_id)
{
	struct sg_intern in;
	char copy[] = "os";

	sg_intern_init(&in, 100, 10000);
	ck_assert_uint_eq(sg_intern_find(&in, SG_STR("os")), 0);
	ck_assert_uint_eq(sg_intern_id(&in, SG_STR("os")), 1);
	ck_assert_uint_eq(sg_intern_id(&in, SG_STR("sys")), 2);
	ck_assert_uint_eq(sg_intern_id(&in, sg_str_c(copy)), 1);
	ck_assert_uint_eq(sg_intern_find(&in, SG_STR("sys")), 2);
	ck_assert_uint_eq(sg_intern_find(&in, SG_STR("re")), 0);
	memset(copy, 'x', 2);
	ck_str_is(sg_intern_str(&in, 1), "os");
	ck_str_is(sg_intern_str(&in, 2), "sys");
	ck_assert_ptr_null(sg_intern_str(&in, 3).p);
	sg_intern_release(&in);
}
END_TEST

START_TEST(no_text_has_no_id)
{
	struct sg_intern in;

	sg_intern_init(&in, 100, 10000);
	ck_assert_uint_eq(sg_intern_id(&in, SG_STR("")), 0);
	ck_assert_uint_eq(sg_intern_find(&in, SG_STR("")), 0);
	ck_assert_uint_eq(sg_intern_str(&in, 0).n, 0);
	sg_intern_release(&in);
}
END_TEST

START_TEST(texts_stay_where_they_are)
{
	struct sg_intern in;
	struct sg_str first;
	char key[16];

	sg_intern_init(&in, MANY, 1 << 20);
	first = sg_intern_str(&in, sg_intern_id(&in, SG_STR("first")));
	for (int i = 0; i < MANY - 1; i++)
		ck_assert_uint_eq(sg_intern_id(&in, name_of(key, i)),
				  (uint32_t)i + 2);
	ck_assert_ptr_eq(sg_intern_str(&in, 1).p, first.p);
	ck_str_is(first, "first");
	ck_str_is(sg_intern_str(&in, MANY), "k19998");
	sg_intern_release(&in);
}
END_TEST

START_TEST(the_number_of_ids_is_exact)
{
	struct sg_intern in;

	sg_intern_init(&in, 2, 10000);
	ck_assert_uint_eq(sg_intern_id(&in, SG_STR("a")), 1);
	ck_assert_uint_eq(sg_intern_id(&in, SG_STR("b")), 2);
	ck_assert_uint_eq(sg_intern_id(&in, SG_STR("c")), 0);
	ck_assert_uint_eq(sg_intern_id(&in, SG_STR("b")), 2);
	ck_assert_uint_eq(sg_intern_find(&in, SG_STR("c")), 0);
	sg_intern_release(&in);
}
END_TEST

START_TEST(bytes_beyond_the_cap_give_no_id_and_no_trace)
{
	struct sg_intern in;
	char big[500];

	memset(big, 'b', sizeof(big));
	sg_intern_init(&in, 100, 400);
	ck_assert_uint_eq(sg_intern_id(&in, SG_STR("a")), 1);
	ck_assert_uint_eq(
		sg_intern_id(&in, (struct sg_str){ big, sizeof(big) }), 0);
	ck_assert_uint_eq(
		sg_intern_find(&in, (struct sg_str){ big, sizeof(big) }), 0);
	ck_assert_uint_eq(sg_intern_id(&in, SG_STR("c")), 2);
	sg_intern_release(&in);
}
END_TEST

START_TEST(a_reset_interner_starts_at_one)
{
	struct sg_intern in;

	sg_intern_init(&in, 100, 10000);
	(void)sg_intern_id(&in, SG_STR("a"));
	(void)sg_intern_id(&in, SG_STR("b"));
	sg_intern_reset(&in);
	ck_assert_uint_eq(sg_intern_find(&in, SG_STR("a")), 0);
	ck_assert_uint_eq(sg_intern_id(&in, SG_STR("c")), 1);
	ck_str_is(sg_intern_str(&in, 1), "c");
	sg_intern_release(&in);
}
END_TEST

START_TEST(an_interner_without_memory_gives_no_id)
{
	struct sg_intern in;
	char key[16];

	SG_TEST_EACH_ALLOCATION() {
		uint32_t made = 0, id;

		sg_intern_init(&in, 1000, 100000);
		for (int i = 0; i < 300; i++) {
			id = sg_intern_id(&in, name_of(key, i));
			if (!id)
				continue;
			ck_assert_uint_eq(id, ++made);
			ck_assert(sg_str_eq(sg_intern_str(&in, id),
					    sg_str_c(key)));
		}
		sg_intern_release(&in);
	}
}
END_TEST

SG_TEST_MAIN("map", an_empty_map_has_nothing,
	     what_was_put_is_found_and_replaced,
	     keys_of_every_length_are_told_apart, many_keys_survive_growing,
	     the_maximum_is_exact, a_reset_map_is_empty_and_usable,
	     two_maps_do_not_share_a_seed,
	     a_map_without_memory_refuses_and_keeps_what_it_has,
	     the_same_text_has_the_same_id, no_text_has_no_id,
	     texts_stay_where_they_are, the_number_of_ids_is_exact,
	     bytes_beyond_the_cap_give_no_id_and_no_trace,
	     a_reset_interner_starts_at_one,
	     an_interner_without_memory_gives_no_id)
