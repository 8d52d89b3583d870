#include "analyzer/charname.h"

/*
 * Theory of operation
 *
 * Of a name only its hash is kept, which is enough to tell the names that
 * there are from each other: the generator sees to that.  Names that follow
 * from the code point by a rule are not in the table: those of Hangul
 * syllables are spelt from their letters, those of unified ideographs end
 * with the code point.  CPython takes these two in capitals only.
 */

enum {
	HASH_SHIFT = 24,
	SINCE_SHIFT = 21,
	FIRST_MINOR = 9,
	HANGUL = 0xac00,
	NVOWELS = 21,
	NTRAILS = 28
};

static uint64_t
hash_of(struct sg_str name)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		if (c >= 'a' && c <= 'z')
			c = (unsigned char)(c - 'a' + 'A');
		h = (h ^ c) * 0x100000001b3u;
	}
	return h >> HASH_SHIFT;
}

/* The longest of the letters that the name goes on with; *at moves on. */
static uint32_t
take_letter(struct sg_str name, size_t *at, const char (*letters)[4],
	    uint32_t n)
{
	uint32_t best = UINT32_MAX;
	size_t len = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct sg_str letter = sg_str_c(letters[i]);

		if ((best == UINT32_MAX || letter.n > len) &&
		    sg_str_starts(sg_str_slice(name, *at, name.n), letter)) {
			best = i;
			len = letter.n;
		}
	}
	*at += len;
	return best;
}

static bool
find_hangul(struct sg_str name, uint32_t *ret)
{
	static const char leads[][4] = { "G", "GG", "N", "D",  "DD", "R", "M",
					 "B", "BB", "S", "SS", "",   "J", "JJ",
					 "C", "K",  "T", "P",  "H" };
	static const char vowels[NVOWELS][4] = {
		"A",   "AE", "YA", "YAE", "EO", "E",  "YEO",
		"YE",  "O",  "WA", "WAE", "OE", "YO", "U",
		"WEO", "WE", "WI", "YU",  "EU", "YI", "I"
	};
	static const char trails[NTRAILS][4] = {
		"",   "G",  "GG", "GS", "N",  "NJ", "NH", "D", "L",  "LG",
		"LM", "LB", "LS", "LT", "LP", "LH", "M",  "B", "BS", "S",
		"SS", "NG", "J",  "C",  "K",  "T",  "P",  "H"
	};
	size_t at = 0;
	uint32_t lead = take_letter(name, &at, leads,
				    sizeof(leads) / sizeof(*leads));
	uint32_t vowel = take_letter(name, &at, vowels, NVOWELS);
	uint32_t trail = take_letter(name, &at, trails, NTRAILS);

	if (vowel == UINT32_MAX || at != name.n)
		return false;
	*ret = HANGUL + (lead * NVOWELS + vowel) * NTRAILS + trail;
	return true;
}

/* Four or five hexadecimal digits. */
static bool
find_ideograph(struct sg_str digits, uint32_t minor, uint32_t *ret)
{
	uint32_t cp = 0;

	if (digits.n != 4 && digits.n != 5)
		return false;
	for (size_t i = 0; i < digits.n; i++) {
		char c = digits.p[i];

		if (c >= '0' && c <= '9')
			cp = cp * 16 + (uint32_t)(c - '0');
		else if (c >= 'A' && c <= 'F')
			cp = cp * 16 + (uint32_t)(c - 'A') + 10;
		else
			return false;
	}
	for (uint32_t i = 0; i < sg_charname_nideographs; i++) {
		const struct sg_charname_span *s = &sg_charname_ideographs[i];

		if (cp >= s->first && cp <= s->last && minor >= s->since) {
			*ret = cp;
			return true;
		}
	}
	return false;
}

bool
sg_charname_find(struct sg_str name, uint32_t minor, uint32_t *ret)
{
	const struct sg_str hangul = SG_STR("HANGUL SYLLABLE "),
			    ideograph = SG_STR("CJK UNIFIED IDEOGRAPH-");
	uint32_t lo = 0, hi = sg_charname_nkeys;
	uint64_t hash;

	if (sg_str_starts(name, hangul))
		return find_hangul(sg_str_slice(name, hangul.n, name.n), ret);
	if (sg_str_starts(name, ideograph))
		return find_ideograph(sg_str_slice(name, ideograph.n, name.n),
				      minor, ret);
	hash = hash_of(name);
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (sg_charname_keys[mid] >> HASH_SHIFT < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == sg_charname_nkeys ||
	    sg_charname_keys[lo] >> HASH_SHIFT != hash ||
	    (sg_charname_keys[lo] >> SINCE_SHIFT & 7) + FIRST_MINOR > minor)
		return false;
	*ret = sg_charname_keys[lo] & ((1u << SINCE_SHIFT) - 1);
	return true;
}

bool
sg_charname_in_version(uint32_t cp, uint32_t minor)
{
	uint32_t lo = 0, hi = sg_charname_nnew;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (sg_charname_new[mid].last < cp)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo == sg_charname_nnew || sg_charname_new[lo].first > cp ||
	       sg_charname_new[lo].since <= minor;
}
