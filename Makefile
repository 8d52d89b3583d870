# sandgate: one non-recursive makefile.
#
#	make deps demo		install what is missing, build, show it
#	make deps check		the same, then the tests
#	make help		all targets
#
# VARIANT=rel|asan|cov|ana|fuzz keeps the objects of variants apart below
# BUILD.  CC, CFLAGS, CPPFLAGS, LDFLAGS, PREFIX, DESTDIR and V=1 work as
# usual.

VERSION := 0.1.0
SOVERSION := 0
VARIANT ?= rel
BUILD ?= build
PREFIX ?= /usr/local
O := $(BUILD)/$(VARIANT)
MAKEFLAGS += --no-builtin-rules --no-builtin-variables
ifeq ($(origin CC),default)
CC := cc
endif
CC ?= cc
# All processors, unless the caller said how many jobs there may be.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

ifneq ($(filter deps,$(MAKECMDGOALS)),)

# --- deps, then the rest ---------------------------------------------------
#
# Everything below this part looks at the compiler and at pkg-config, which
# may not be there before deps has run: other goals wait, and start afresh.

REST := $(filter-out deps,$(MAKECMDGOALS))

deps:
	@sh tools/deps.sh
ifneq ($(REST),)
$(firstword $(REST)): deps
	@+$(MAKE) $(JOBS) --no-print-directory $(REST)
$(wordlist 2,99,$(REST)): $(firstword $(REST)) ; @:
endif
.PHONY: deps $(REST)

else

ifneq ($(V),1)
Q := @
endif
say = @printf '  %-7s %s\n' '$(1)' '$(patsubst $(O)/%,%,$(2))'

# $(call keep,FILE,TEXT) writes FILE when TEXT is not what it holds, so that
# whatever depends on FILE is made again when TEXT changes.
same = $(and $(findstring x$(1)x,x$(2)x),$(findstring x$(2)x,x$(1)x))
keep = $(if $(call same,$(strip $(file <$(1))),$(strip $(2))),,$(shell \
	mkdir -p $(dir $(1)))$(file >$(1),$(strip $(2))))

# Goals that build nothing need no compiler.
QUIET_GOALS := help clean layers format format-check dist shellcheck
BUILDS := $(filter-out $(QUIET_GOALS),$(or $(MAKECMDGOALS),all))

# --- flags: whatever the compiler takes of those in tools/probe-cc.sh ------

ifneq ($(BUILDS),)
CC_ID := $(shell { echo '$(CC)'; $(CC) --version; } 2>/dev/null | cksum | \
	cut -d' ' -f1)
CC_PROBE := $(BUILD)/probe/$(CC_ID).mk
include $(CC_PROBE)
$(CC_PROBE): tools/probe-cc.sh
	@mkdir -p $(@D)
	@sh tools/probe-cc.sh '$(CC)' >$@.tmp && mv $@.tmp $@

PKGS := libpcre2-8 yaml-0.1 libseccomp libutf8proc jansson libsodium
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) libmicrohttpd 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -ldl
# Loaded by who needs it, see cmd/http_lib.h, under the name that a linker
# would have written down.
MHD_SONAME := $(shell objdump -p "$$($(CC) -print-file-name=libmicrohttpd.so)" \
	2>/dev/null | sed -n 's/^ *SONAME *//p')
CHECK_LIBS := $(shell pkg-config --libs check 2>/dev/null)
endif

ASAN := -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
ifeq ($(VARIANT),asan)
OPT := -O1 -g $(ASAN)
LDOPT := $(ASAN)
else ifeq ($(VARIANT),fuzz)
OPT := -O1 -g $(ASAN) -fsanitize=fuzzer-no-link
LDOPT := $(ASAN)
else ifeq ($(VARIANT),cov)
OPT := -O0 -g --coverage -fprofile-abs-path
LDOPT := --coverage
else ifeq ($(VARIANT),ana)
# gcc 12 loses sight of arrays that a loop fills; clang-tidy looks for the same.
OPT := -O2 -g $(CC_ANALYZER) -DSG_ANALYZE \
	-Wno-analyzer-use-of-uninitialized-value
LDOPT :=
else
OPT := -O2 -g -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 $(CC_HARDEN)
LDOPT := -pie
LDHARDEN := -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed
endif

TS := third_party/node_modules/tree-sitter/vendor/tree-sitter/lib
TSPY := third_party/node_modules/tree-sitter-python/src

STD := -std=c11 -D_GNU_SOURCE $(CC_PIC)
DEFS := -I. -Iinclude -DSG_VERSION='"$(VERSION)"'
ALL_CFLAGS := $(STD) $(OPT) $(CC_WARN) -Werror $(DEFS) $(PKG_CFLAGS) \
	$(CPPFLAGS) $(CFLAGS)
TS_CFLAGS := -std=c11 $(CC_PIC) $(filter-out $(CC_ANALYZER),$(OPT)) -w \
	-I$(TS)/include -I$(TS)/src -I$(TSPY) -D_POSIX_C_SOURCE=200112L \
	-D_DEFAULT_SOURCE
# Flags of one folder only.
CFLAGS_tests := -Itests
CFLAGS_cmd := -DSG_MHD_SONAME='"$(MHD_SONAME)"'
ts_version = $(shell sed -n 's|.*"version": "\(.*\)".*|\1|p' \
	third_party/node_modules/$(1)/package.json 2>/dev/null)
CFLAGS_analyzer := -isystem $(TS)/include -isystem $(TSPY) \
	-DSG_TREE_SITTER_VERSION='"$(call ts_version,tree-sitter)"' \
	-DSG_TREE_SITTER_PYTHON_VERSION='"$(call ts_version,tree-sitter-python)"'

ifneq ($(BUILDS),)
FLAGS := $(O)/stamp/flags
$(call keep,$(FLAGS),$(CC_ID) $(ALL_CFLAGS) $(CFLAGS_analyzer) $(CFLAGS_cmd) \
	$(CFLAGS_tests) $(TS_CFLAGS))
LINK := $(O)/stamp/link
$(call keep,$(LINK),$(CC_ID) $(LDOPT) $(LDHARDEN) $(LDFLAGS) $(PKG_LIBS))
endif

# --- what there is ---------------------------------------------------------

LAYERS := base analyzer policy executor pipeline cmd
below_base :=
below_analyzer := base
below_policy := analyzer base
below_executor := base
below_pipeline := policy analyzer executor base
below_cmd := pipeline policy analyzer executor base

src_of = $(sort $(wildcard $(1)/*.c))
obj_of = $(patsubst %.c,$(O)/%.o,$(call src_of,$(1)))
SRC := $(foreach l,$(LAYERS),$(call src_of,$(l)))
PUBLIC := $(sort $(wildcard include/*.h include/*/*.h))
HEADERS := $(sort $(wildcard $(LAYERS:%=%/*.h))) $(PUBLIC)
TEST_SRC := $(sort $(wildcard tests/unit/*.[ch] tests/unit/*/*.[ch] \
	tests/fuzz/*.[ch] bench/*.[ch]))

GEN := $(O)/gen
TS_OBJ := $(O)/ts/core.o $(O)/ts/python_parser.o $(O)/ts/python_scanner.o

all: $(O)/sandgate $(O)/libsandgate.a $(O)/libsandgate.so $(O)/sandgate.pc ## the program and the libraries

# --- objects ---------------------------------------------------------------

layer_flags = $(CFLAGS_$(firstword $(subst /, ,$(1))))

$(O)/%.o: %.c $(FLAGS)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(call layer_flags,$<) -MMD -MP -c $< -o $@

$(GEN)/%.o: $(GEN)/%.c $(FLAGS)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(O)/ts/core.o: $(TS)/src/lib.c
$(O)/ts/python_parser.o: $(TSPY)/parser.c
$(O)/ts/python_scanner.o: $(TSPY)/scanner.c
$(TS_OBJ): $(FLAGS)
	$(call say,CC,$(filter %.c,$^))
	@mkdir -p $(@D)
	$(Q)$(CC) $(TS_CFLAGS) -c $(filter %.c,$^) -o $@

$(TS)/src/lib.c $(TSPY)/parser.c $(TSPY)/scanner.c:
	@echo "the grammar sources are missing: run 'make deps'" >&2; exit 1

# --- files that are built in -----------------------------------------------
#
# $(call embed,LAYER,NAME,ARRAY,FILES): FILES, each `path` or `name=path`,
# become the table ARRAY (base/embed.h) of LAYER, by way of gen/NAME.c.

embed_path = $(foreach f,$(1),$(lastword $(subst =, ,$(f))))
define embed
$$(call keep,$(O)/stamp/embed-$(2),$(3) $(4))
$(GEN)/$(2).c: $(call embed_path,$(4)) tools/embed.py $(O)/stamp/embed-$(2)
	$$(call say,EMBED,$$@)
	@mkdir -p $$(@D)
	$$(Q)python3 tools/embed.py $(3) $$@ $(4)
GEN_OBJ_$(1) += $(GEN)/$(2).o
endef

GEN_OBJ_analyzer := $(TS_OBJ)
POLICIES := $(sort $(wildcard rules/*.yaml))
PACKED := $(POLICIES:rules/%.yaml=$(GEN)/policies/%)
ifneq ($(BUILDS),)
$(eval $(call embed,policy,rules,sg_embed_rules,$(POLICIES)))
$(eval $(call embed,policy,packed,sg_embed_packed,$(PACKED)))
# What runs inside the box; the warden writes it there under these names.
$(eval $(call embed,executor,driver,sg_embed_driver,\
	importlib_bootstrap.py=executor/python/driver.py \
	importlib_bootstrap_late.py=executor/python/late.py \
	importlib_bootstrap_zygote.py=executor/python/zygote.py \
	_sandgate.abi3.so=$(GEN)/_sandgate.abi3.so))
# The filters of this architecture, one for each set of options.
FILTER_FILES := $(foreach s,first final whole,$(foreach n,- -notify,\
	$(foreach p,- -processes,$(foreach i,- -pidns,\
	$(GEN)/filters/$(s)$(filter-out -,$(n))$(filter-out -,$(p))$(filter-out \
	-,$(i))))))
$(eval $(call embed,executor,filters,sg_embed_filters,$(FILTER_FILES)))
endif

# What importable modules are made of; see tools/modules.py.
MODULES := $(sort $(wildcard rules/modules/*.tsv))
ifneq ($(BUILDS),)
$(call keep,$(O)/stamp/modules,$(MODULES))
endif
$(GEN)/modules.c: $(MODULES) tools/modtable.py $(O)/stamp/modules
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)python3 tools/modtable.py $@ $(MODULES)
GEN_OBJ_analyzer += $(GEN)/modules.o

# The names of characters; see tools/charnames.py.
CHARNAMES := rules/characters/names.tsv
$(GEN)/charnames.c: $(CHARNAMES) tools/chartable.py
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)python3 tools/chartable.py $@ $(CHARNAMES)
GEN_OBJ_analyzer += $(GEN)/charnames.o

ifneq ($(BUILDS),)
$(eval $(call embed,policy,schema,sg_embed_schema,docs/policy.schema.json))
# What asks the interpreter in the box for its packages.
$(eval $(call embed,pipeline,packages,sg_embed_packages,pipeline/packages.py))
# What MCP tools say of their results.
$(eval $(call embed,cmd,mcp_schema,sg_embed_mcp_schema,$(GEN)/result.tool.json))
endif

# What the HTTP server hands out about itself.
$(GEN)/openapi.json: docs/openapi.json docs/result.schema.json tools/openapi.py
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)python3 tools/openapi.py $(VERSION) docs/openapi.json >$@
ifneq ($(BUILDS),)
$(eval $(call embed,cmd,http,sg_embed_http,\
	openapi.json=$(GEN)/openapi.json page.html=cmd/page.html))
endif

$(GEN)/result.tool.json: docs/result.schema.json tools/mcp_schema.py
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)python3 tools/mcp_schema.py $< $@

CAPABILITIES := $(sort $(wildcard rules/capabilities/*.yaml))
ifneq ($(BUILDS),)
$(call keep,$(O)/stamp/capabilities,$(CAPABILITIES))
endif
$(GEN)/capabilities.c: $(CAPABILITIES) $(MODULES) tools/gen_capabilities.py \
		tools/modtable.py $(O)/stamp/capabilities $(O)/stamp/modules
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)python3 -B tools/gen_capabilities.py $@ $(CAPABILITIES) $(MODULES)
GEN_OBJ_policy += $(GEN)/capabilities.o

$(O)/tools/policies: $(O)/tools/policies.o $(O)/policy/doc.o $(O)/policy/docpack.o $(O)/libbase.a $(LINK)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDOPT) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(PKG_LIBS)
$(GEN)/policies/done: $(O)/tools/policies $(POLICIES)
	$(call say,PACK,$(@D))
	@mkdir -p $(@D)
	$(Q)$< $(@D) $(POLICIES) && touch $@
$(PACKED): $(GEN)/policies/done ;

$(O)/tools/regexes: $(O)/tools/regexes.o $(O)/policy/doc.o $(O)/policy/regex.o $(O)/libbase.a $(LINK)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDOPT) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(PKG_LIBS)
$(GEN)/regexes.c: $(O)/tools/regexes $(POLICIES) $(O)/stamp/embed-rules
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$< $@ $(POLICIES)
GEN_OBJ_policy += $(GEN)/regexes.o

$(O)/tools/filters: $(O)/tools/filters.o $(O)/executor/sysfilter.o \
		$(O)/executor/sysprog.o $(O)/executor/systable.o $(O)/libbase.a $(LINK)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDOPT) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(PKG_LIBS)
$(GEN)/filters/done: $(O)/tools/filters
	$(call say,FILTERS,$(@D))
	@mkdir -p $(@D)
	$(Q)$< $(@D) && touch $@
$(FILTER_FILES): $(GEN)/filters/done ;

# The native module: loaded by the interpreter in the box, so neither
# sanitizers nor coverage belong in it, whatever the variant.
PY_CFLAGS = $(shell pkg-config --cflags python3 2>/dev/null | \
	sed 's/-I/-isystem /g')
# Wardens and workers of warm runs are forks of the interpreter, and run the
# same code as those of cold ones.
PY_NATIVE := $(sort $(wildcard executor/python/*.c)) base/str.c \
	executor/landlock.c executor/order.c executor/parked.c \
	executor/root.c executor/spare.c executor/steps.c executor/warden.c executor/worker.c \
	executor/workspace.c
ifneq ($(BUILDS),)
$(call keep,$(O)/stamp/native,$(PY_NATIVE))
endif
$(GEN)/_sandgate.abi3.so: $(PY_NATIVE) $(wildcard executor/python/*.h executor/*.h) $(O)/stamp/native $(FLAGS)
	$(call say,CCLD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CC_PIC) -O2 $(CC_WARN) -Werror $(PY_CFLAGS) -shared \
		-I. -fvisibility=hidden -ffunction-sections \
		-Wl,--gc-sections -Wl,-z,relro -Wl,-z,now \
		-Wl,-z,noexecstack -Wl,-s -o $@ $(PY_NATIVE)

# --- libraries and programs ------------------------------------------------

# The list of members is kept, so that a source that is gone goes from the
# archive too.
define archive
$$(call keep,$(1).members,$(2))
$(1): $(2) $(1).members
	$$(call say,AR,$$@)
	@rm -f $$@
	$$(Q)ar rcs $$@ $(2)
endef
layer_objs = $(call obj_of,$(1)) $(GEN_OBJ_$(1))
LIB_LAYERS := $(filter-out cmd,$(LAYERS))
LIB_OBJ = $(foreach l,$(LIB_LAYERS),$(call layer_objs,$(l)))
ifneq ($(BUILDS),)
$(foreach l,$(LAYERS),$(eval $(call archive,$(O)/lib$(l).a,$(call layer_objs,$(l)))))
$(eval $(call archive,$(O)/libsandgate.a,$(LIB_OBJ)))
endif

libs_for = $(O)/lib$(1).a $(patsubst %,$(O)/lib%.a,$(below_$(1)))

$(O)/sandgate: $(call layer_objs,cmd) $(O)/libsandgate.a $(LINK)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDOPT) $(LDHARDEN) $(LDFLAGS) -o $@ \
		$(filter %.o %.a,$^) $(PKG_LIBS)

SO := libsandgate.so.$(VERSION)
SONAME := libsandgate.so.$(SOVERSION)
$(O)/exports.map: $(PUBLIC) tools/exports.py
	@mkdir -p $(@D)
	$(Q)python3 tools/exports.py SANDGATE_$(SOVERSION) $(PUBLIC) >$@
$(O)/$(SO): $(O)/libsandgate.a $(O)/exports.map $(LINK)
	$(call say,LD,$@)
	$(Q)$(CC) $(filter-out -pie,$(LDOPT)) $(LDHARDEN) $(LDFLAGS) -shared \
		-Wl,-soname,$(SONAME) -Wl,-Bsymbolic-functions \
		-Wl,--version-script=$(O)/exports.map -o $@ \
		-Wl,--whole-archive $< -Wl,--no-whole-archive $(PKG_LIBS)
$(O)/libsandgate.so: $(O)/$(SO)
	$(Q)ln -sf $(SO) $(O)/$(SONAME) && ln -sf $(SONAME) $@

define PC
prefix=$(PREFIX)
includedir=$${prefix}/include
libdir=$${prefix}/lib

Name: sandgate
Description: judges Python written by language models, and runs what passes
Version: $(VERSION)
Requires.private: $(PKGS)
Cflags: -I$${includedir}
Libs: -L$${libdir} -lsandgate
endef
ifneq ($(BUILDS),)
$(call keep,$(O)/stamp/prefix,$(PREFIX) $(VERSION) $(PKGS))
endif
$(O)/sandgate.pc: $(O)/stamp/prefix
	$(file >$@,$(PC))

# --- tests -----------------------------------------------------------------

# tests/unit/LAYER/test_*.c: a program each, linked with the layers it may
# use.  Calls of malloc() go through unit/support.c, which can refuse them.
UNIT := $(sort $(wildcard tests/unit/*/test_*.c))
unit_bin = $(patsubst %.c,$(O)/%,$(filter tests/unit/$(1)/%,$(UNIT)))
WRAP := -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc
SUPPORT := $(O)/tests/unit/support.o

# Where Check is an archive, its own calls must not be refused: a copy of it
# calls what the linker knows as the real ones.
CHECK_COPY := $(O)/check/libcheck_pic.a
$(CHECK_COPY):
	@mkdir -p $(@D)
	$(Q)a=$$($(CC) -print-file-name=$(@F)); if [ -f "$$a" ]; then \
		objcopy --redefine-sym malloc=__real_malloc \
		--redefine-sym calloc=__real_calloc \
		--redefine-sym realloc=__real_realloc "$$a" $@; \
		else ar rcs $@; fi
SUPPORT_LIBS := -L$(O)/check $(CHECK_LIBS)

# $(call run_all,PROGRAMS,ARGUMENTS,INTERPRETER)
run_all = st=0; for t in $(1); do n=$${t\#$(O)/}; \
	sh tools/run-test.sh "$$n" $(3) $$t $(2) || st=1; done; exit $$st

define layer_tests
$(O)/tests/unit/$(1)/%: tests/unit/$(1)/%.c $(call libs_for,$(1)) $(SUPPORT) $(CHECK_COPY) $(LINK)
	$$(call say,CCLD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(CFLAGS_$(1)) $$(CFLAGS_tests) -MMD -MP \
		-MF $$@.d -MT $$@ $$(LDOPT) $$(LDFLAGS) $$(WRAP) -o $$@ $$< \
		$$(SUPPORT) $(call libs_for,$(1)) $(O)/libbase.a \
		$$(PKG_LIBS) $$(SUPPORT_LIBS)
check-$(1): $(call unit_bin,$(1))
	$$(Q)$$(call run_all,$(call unit_bin,$(1)))
.PHONY: check-$(1)
endef
$(foreach l,$(LAYERS),$(eval $(call layer_tests,$(l))))

# tests/fuzz/fuzz_NAME.c: here with a driver that replays the seeds.
FUZZ := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
$(O)/replay/%: $(O)/tests/fuzz/fuzz_%.o $(O)/tests/fuzz/driver.o $(O)/libcmd.a $(O)/libsandgate.a $(LINK)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDOPT) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(PKG_LIBS)
check-seeds: $(FUZZ:%=$(O)/replay/%)
	$(Q)st=0; for f in $(FUZZ); do sh tools/run-test.sh "seeds/$$f" \
		$(O)/replay/$$f tests/fuzz/seeds/$$f || st=1; done; exit $$st

# What tests/box/run.sh runs: programs on the executor alone.
BOX_TESTS := $(patsubst tests/box/%.c,$(O)/tests/box/%,$(wildcard tests/box/*.c))
$(O)/tests/box/%: $(O)/tests/box/%.o $(O)/tests/box/lib/case.o $(call libs_for,executor) $(LINK)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDOPT) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(PKG_LIBS)

# What tests/mcp runs the conformance suite against, beside the program.
MCP_FIXTURE := $(O)/tests/mcp/fixture
$(MCP_FIXTURE): $(O)/tests/mcp/fixture.o $(O)/libcmd.a $(O)/libsandgate.a $(LINK)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDOPT) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(PKG_LIBS)

# tests/NAME/run.sh BUILD PROGRAM: whatever is tested from outside.
RUNNERS := $(sort $(wildcard tests/*/run.sh))
# A sanitizer's shadow memory counts against the limits of the box, and its
# time against deadlines: what is measured there is measured without.
ifeq ($(VARIANT),asan)
RUNNERS := $(filter-out tests/box/% tests/build/%,$(RUNNERS))
endif
check-runners: all $(BOX_TESTS) $(MCP_FIXTURE)
	$(Q)$(call run_all,$(RUNNERS),$(abspath $(O)) $(abspath $(O)/sandgate),sh)

# What CPython and the analyzer read in the same bytes, by tools/astdiff.py:
# `check` takes the table of inputs, `differential` the standard library of
# every CPython that is found.
ASTDUMP := $(O)/tests/tools/astdump
$(ASTDUMP): $(O)/tests/tools/astdump.o $(call libs_for,analyzer) $(LINK)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDOPT) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(PKG_LIBS)
check-differential: $(ASTDUMP)
	$(Q)sh tools/run-test.sh differential python3 tools/astdiff.py \
		--astdump $(ASTDUMP) $(wildcard tests/corpus/differential/*.jsonl)
differential: $(ASTDUMP) ## the standard library of each CPython against ast
	$(Q)python3 tools/astdiff.py --astdump $(ASTDUMP) --stdlib
MUTATIONS ?= 20000
MUTATE_SEED ?= 1
differential-fuzz: $(ASTDUMP) ## MUTATIONS strange programs, to each CPython and to the analyzer
	$(Q)python3 tools/astfuzz.py --astdump $(ASTDUMP) \
		--seed $(MUTATE_SEED) --count $(MUTATIONS) \
		$(wildcard tests/corpus/differential/*.jsonl)
.PHONY: check-differential differential differential-fuzz

CHECKS := $(LAYERS:%=check-%) check-seeds check-runners check-differential
check: ## all tests; SG_BOX_MUST_WORK=1 makes a skipped box a failure
	$(Q)+$(MAKE) $(JOBS) --no-print-directory build-all
	$(Q)$(MAKE) --no-print-directory -k SERIAL=1 $(CHECKS)

asan: ## all tests with AddressSanitizer and UBSan
	$(Q)$(MAKE) --no-print-directory VARIANT=asan check

cover: ## all tests, then line coverage of each layer
	$(Q)$(MAKE) --no-print-directory VARIANT=cov check
	$(Q)python3 tools/coverage.py $(BUILD)/cov $(LAYERS)

CLANG ?= clang-14
GCC ?= gcc
FUZZ_TIME ?= 60
fuzz: ## the libFuzzer programs, in BUILD/fuzz/bin
	$(Q)$(MAKE) --no-print-directory VARIANT=fuzz CC=$(CLANG) fuzz-bin
fuzz-bin: $(FUZZ:%=$(O)/bin/fuzz_%)
$(O)/bin/fuzz_%: $(O)/tests/fuzz/fuzz_%.o $(O)/libcmd.a $(O)/libsandgate.a $(LINK)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDOPT) -fsanitize=fuzzer $(LDFLAGS) -o $@ \
		$(filter %.o %.a,$^) $(PKG_LIBS)
fuzz-run: fuzz ## runs each of them for FUZZ_TIME seconds
	$(Q)sh tools/fuzz-run.sh $(BUILD)/fuzz $(FUZZ_TIME) $(FUZZ)

bench: all $(O)/bench/gate $(O)/bench/policy $(O)/bench/box $(O)/bench/warm $(O)/bench/load ## prints the ratios that matter, measured in one run
	$(Q)sh bench/run.sh $(O)
$(O)/bench/%: $(O)/bench/%.o $(O)/libsandgate.a $(LINK)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDOPT) $(LDHARDEN) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) \
		$(PKG_LIBS) -lm

demo: $(O)/sandgate ## judges and runs a script, and shows a rejected one
	$(Q)sh tools/demo.sh $(O)/sandgate

# --- checks of the source --------------------------------------------------

CLANG_FORMAT ?= clang-format-14
CLANG_TIDY ?= clang-tidy-14
FORMATTED := $(SRC) $(HEADERS) $(TEST_SRC)

layers: ## includes go down only, third-party headers stay in their layer
	$(Q)python3 tools/check-layers.py .

hdr-check: ## each header compiles alone, with gcc and clang
	$(Q)sh tools/check-headers.sh "$(STD) $(PKG_CFLAGS) -isystem $(TS)/include -isystem $(TSPY)" \
		$(HEADERS)

banned: $(LIB_OBJ) $(call layer_objs,cmd) ## no call that must not be made
	$(Q)python3 tools/check-banned.py $(O) $(LAYERS)

format-check: ## clang-format would change nothing
	$(Q)$(CLANG_FORMAT) --dry-run -Werror $(FORMATTED)

format: ## makes it so; FILES=... for some only
	$(Q)$(CLANG_FORMAT) -i $(or $(FILES),$(FORMATTED))

TIDY_FLAGS = -std=c11 -D_GNU_SOURCE -DSG_ANALYZE $(DEFS) $(PKG_CFLAGS)
TIDY := $(SRC:%.c=$(O)/tidy/%.ok)
tidy: $(TIDY) ## clang-tidy, one file a process
$(O)/tidy/%.ok: %.c .clang-tidy $(HEADERS)
	$(call say,TIDY,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG_TIDY) --quiet --warnings-as-errors='*' $< -- \
		$(TIDY_FLAGS) $(call layer_flags,$<) 2>$@.log || { cat $@.log >&2; exit 1; }
	@touch $@

analyze: ## gcc -fanalyzer is quiet
	$(Q)$(MAKE) --no-print-directory VARIANT=ana CC=$(GCC) analyze-objects
analyze-objects: $(foreach l,$(LAYERS),$(call obj_of,$(l)))

shellcheck: ## the scripts are clean
	$(Q)shellcheck .ci/run $(wildcard tools/*.sh tests/*/*.sh bench/*.sh)

man-check: ## the manual pages are well-formed
	$(Q)test -z '$(MAN)' || mandoc -T lint -W warning $(MAN)

# Objects, libraries and tests with nothing but warnings in mind.
build-all: all $(foreach l,$(LAYERS),$(call unit_bin,$(l))) \
	$(FUZZ:%=$(O)/replay/%) $(BOX_TESTS) $(MCP_FIXTURE) $(O)/bench/gate $(O)/bench/box \
	$(O)/bench/warm $(O)/bench/load

ci: ## everything: what must hold for each change
	$(Q)sh tools/deps.sh ci
	$(Q)st=0; step() { sh tools/step.sh "$$@" || st=1; }; \
	m="$(MAKE) -j$$(nproc) --no-print-directory"; \
	step layers $$m layers; \
	step headers-alone $$m hdr-check; \
	step banned-calls $$m banned; \
	step format $$m format-check; \
	step scripts $$m shellcheck; \
	step manual-pages $$m man-check; \
	step build-gcc $$m CC=$(GCC) BUILD=$(BUILD)/gcc build-all; \
	step build-clang $$m CC=$(CLANG) BUILD=$(BUILD)/clang build-all; \
	step systemd-unit env SG_SYSTEMD_MUST_WORK=1 sh tests/http/run.sh \
		$(abspath $(BUILD)/gcc/rel) $(abspath $(BUILD)/gcc/rel/sandgate) \
		unit; \
	step clang-tidy $$m tidy; \
	step gcc-analyzer $$m analyze; \
	step sanitizers $$m asan; \
	exit $$st

# --- installing ------------------------------------------------------------

D := $(DESTDIR)$(PREFIX)
MAN := $(sort $(wildcard docs/*.[1357]))
RULES := $(sort $(wildcard rules/*.yaml rules/*/*))
UNITS := $(sort $(wildcard tools/systemd/*))

install: all ## into DESTDIR/PREFIX
	install -d $(D)/bin $(D)/lib/pkgconfig $(D)/include
	install -m 755 $(O)/sandgate $(D)/bin/
	install -m 644 $(O)/libsandgate.a $(D)/lib/
	install -m 755 $(O)/$(SO) $(D)/lib/
	ln -sf $(SO) $(D)/lib/$(SONAME)
	ln -sf $(SONAME) $(D)/lib/libsandgate.so
	install -m 644 $(O)/sandgate.pc $(D)/lib/pkgconfig/
	for h in $(PUBLIC:include/%=%); do \
		install -D -m 644 include/$$h $(D)/include/$$h || exit 1; done
	for r in $(RULES); do \
		install -D -m 644 $$r $(D)/share/sandgate/$$r || exit 1; done
	for m in $(MAN); do install -D -m 644 $$m \
		$(D)/share/man/man$${m##*.}/$${m##*/} || exit 1; done
	for u in $(UNITS); do sed 's|/usr/local/bin/|$(PREFIX)/bin/|' $$u | \
		install -D -m 644 /dev/stdin \
		$(D)/lib/systemd/system/$${u##*/} || exit 1; done

uninstall: ## takes away what install put there
	rm -f $(D)/bin/sandgate $(D)/lib/libsandgate.a $(D)/lib/$(SO) \
		$(D)/lib/$(SONAME) $(D)/lib/libsandgate.so \
		$(D)/lib/pkgconfig/sandgate.pc \
		$(PUBLIC:include/%=$(D)/include/%)
	for m in $(MAN); do \
		rm -f $(D)/share/man/man$${m##*.}/$${m##*/}; done
	for u in $(UNITS); do rm -f $(D)/lib/systemd/system/$${u##*/}; done
	rm -rf $(D)/share/sandgate

DIST := sandgate-$(VERSION)
dist: ## BUILD/sandgate-VERSION.tar.gz: what is committed, always the same bytes
	@mkdir -p $(BUILD)
	git archive --format=tar --prefix=$(DIST)/ HEAD | gzip -n -9 \
		>$(BUILD)/$(DIST).tar.gz

clean: ## takes away BUILD
	rm -rf $(BUILD)

help: ## this list
	@echo 'deps           installs what is missing, fetches the grammar sources'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1 \2/p' Makefile | \
		while read -r t d; do printf '%-14s %s\n' "$$t" "$$d"; done

ifneq ($(BUILDS),)
-include $(shell find $(O) -name '*.d' 2>/dev/null)
endif
.PHONY: all check asan cover fuzz fuzz-bin fuzz-run bench demo layers \
	hdr-check banned format-check format tidy analyze analyze-objects \
	shellcheck man-check build-all ci install uninstall dist clean help \
	check-seeds check-runners
# Tests that measure time want the machine for themselves.
ifdef SERIAL
.NOTPARALLEL:
endif
.DELETE_ON_ERROR:
.PRECIOUS: $(O)/%.o $(GEN)/%.c

endif
