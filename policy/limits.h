#ifndef SG_POLICY_LIMITS_H
#define SG_POLICY_LIMITS_H

/* Every limit of the policy layer stands here with its reason. */

#include <stdint.h>

/* A policy document.  The largest shipped one has about 40 KB; a person
 * never writes a megabyte of rules. */
#define SG_POLICY_BYTES (1u << 20)
/* Nesting of lists and mappings; shipped rules need 9. */
#define SG_POLICY_DEPTH 32u
/* Scalars, lists and mappings in one document. */
#define SG_POLICY_NODES 100000u
/* Members of one mapping; duplicates are searched one by one. */
#define SG_POLICY_MEMBERS 4096u
/* Documents that one policy is made of, itself included. */
#define SG_POLICY_FILES 16u
#define SG_POLICY_RULES 4096u
#define SG_POLICY_REGEXES 1024u
#define SG_POLICY_QUERIES 256u
/* Items of one list after its $references are expanded. */
#define SG_POLICY_ITEMS 16384u
/* All memory of one compiled policy but the regexes. */
#define SG_POLICY_ARENA (64u << 20)

/* Findings in one verdict; what is beyond is counted. */
#define SG_FINDINGS_MAX 1000u
/* Findings that are kept while judging, before merging. */
#define SG_FINDINGS_RAW 8192u
/* Bytes of the script's text that a message or a snippet quotes. */
#define SG_QUOTE_BYTES 120u

/* One call of PCRE2.  An honest pattern over a megabyte of text needs some
 * 10 steps a byte at worst; an explosive one reaches this in about 10 ms. */
#define SG_REGEX_MATCH_LIMIT 1000000u
#define SG_REGEX_DEPTH_LIMIT 20000u
#define SG_REGEX_HEAP_KIB 8192u
/* The machine stack of JIT code; grows from the first to the second. */
#define SG_REGEX_JIT_STACK_MIN (32u << 10)
#define SG_REGEX_JIT_STACK_MAX (1u << 20)
/* Facts or nodes between looks at the clock: some ten microseconds. */
#define SG_JUDGE_CLOCK 64u
/* All regexes of one judgement together. */
#define SG_REGEX_TIME_MS 100u
/* Matches of one regex in one text; the rest would say nothing new. */
#define SG_REGEX_HITS 200u

/* Matches of one query in one script: more is a query that finds everything,
 * or a script that is made to be found. */
#define SG_QUERY_FOUND 10000u

/* For the parse and all queries of one script: part of what the analysis of
 * it may take, 100 ms of 250. */
#define SG_QUERY_TIME_MS(analysis_ms) ((analysis_ms) / 5 * 2 + 1)

/* Nodes that `unreached` may look at in one judgement: twenty definitions
 * in a script of the largest size, or a thousand in an ordinary one.
 * Beyond, the answer is that the code may run. */
#define SG_UNREACHED_WORK 20000000u

/* Pattern steps of `inside` and `has` in one judgement. */
#define SG_MATCH_STEPS 2000000u
/* Of them between looks at the clock: a tenth of a millisecond or two. */
#define SG_MATCH_CLOCK 512u

#endif
