# sandgate: one non-recursive makefile.
#
#	make deps demo		install what is missing, build, show it
#	make deps check		the same, then the tests
#	make help		all targets
#
# VARIANT=rel|asan|cov|ana keeps the objects of variants apart below BUILD.
# CC, PREFIX, DESTDIR and V=1 work as usual.

VERSION := 0.1.0
VARIANT ?= rel
BUILD ?= build
PREFIX ?= /usr/local
O := $(BUILD)/$(VARIANT)

ifneq ($(V),1)
Q := @
endif
say = @printf '  %-7s %s\n' '$(1)' '$(2)'

# --- flags: whatever the compiler takes of these ---------------------------

try = $(shell for f in $(1); do \
	$(CC) -Werror $$f -x c -c /dev/null -o /dev/null 2>/dev/null && \
	printf '%s ' "$$f"; done)

WARN_TRY := -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wvla -Wformat=2 \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wwrite-strings -Wpointer-arith -Wcast-qual -Wcast-align \
	-Wswitch-enum -Wconversion -Wimplicit-fallthrough \
	-Wdouble-promotion -Wlogical-op -Wduplicated-cond \
	-Wduplicated-branches -Wjump-misses-init
HARDEN_TRY := -fstack-protector-strong -fstack-clash-protection \
	-fcf-protection=full -ftrivial-auto-var-init=zero \
	-fzero-call-used-regs=used-gpr -fno-strict-overflow \
	-fno-delete-null-pointer-checks

WARN := $(call try,$(WARN_TRY)) -Werror
STD := -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden
ifeq ($(VARIANT),asan)
OPT := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
LDOPT := -fsanitize=address,undefined
else ifeq ($(VARIANT),cov)
OPT := -O0 -g --coverage
LDOPT := --coverage
else
OPT := -O2 -g -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 $(call try,$(HARDEN_TRY))
LDOPT := -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed
endif

PKGS := libpcre2-8 yaml-0.1 libseccomp libutf8proc jansson libsodium
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS = $(shell pkg-config --libs $(PKGS) 2>/dev/null)

TS := third_party/node_modules/tree-sitter/vendor/tree-sitter/lib
TSPY := third_party/node_modules/tree-sitter-python/src

CPPFLAGS += -I. -Iinclude -I$(O)/gen -DSG_VERSION='"$(VERSION)"'
ALL_CFLAGS = $(STD) $(OPT) $(WARN) $(CPPFLAGS) $(PKG_CFLAGS) $(CFLAGS)

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

TS_OBJ := $(O)/ts/core.o $(O)/ts/python_parser.o $(O)/ts/python_scanner.o
GEN := $(O)/gen

all: $(O)/sandgate

# --- objects ---------------------------------------------------------------

$(O)/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(O)/gen/%.o: $(O)/gen/%.c
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

TS_CFLAGS = -std=c11 -O2 -fPIC -fvisibility=hidden -w -I$(TS)/include -I$(TS)/src \
	-I$(TSPY) -D_POSIX_C_SOURCE=200112L -D_DEFAULT_SOURCE $(filter -fsanitize%,$(OPT))

$(O)/ts/core.o: $(TS)/src/lib.c
$(O)/ts/python_parser.o: $(TSPY)/parser.c
$(O)/ts/python_scanner.o: $(TSPY)/scanner.c
$(TS_OBJ):
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(TS_CFLAGS) -c $< -o $@

$(TS)/src/lib.c $(TSPY)/parser.c $(TSPY)/scanner.c:
	@echo "the grammar sources are missing: run 'make deps'" >&2; exit 1

$(O)/analyzer/tree%.o: ALL_CFLAGS += -isystem $(TS)/include

# --- libraries and programs ------------------------------------------------

GEN_OBJ_base :=
GEN_OBJ_analyzer := $(TS_OBJ)
GEN_OBJ_policy :=
GEN_OBJ_executor :=

define layer_lib
$(O)/lib$(1).a: $$(call obj_of,$(1)) $$(GEN_OBJ_$(1))
	$$(call say,AR,$$@)
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(Q)ar rcs $$@ $$^
endef
$(foreach l,$(LAYERS),$(eval $(call layer_lib,$(l))))

libs_for = $(O)/lib$(1).a $(patsubst %,$(O)/lib%.a,$(below_$(1)))

$(O)/sandgate: $(call libs_for,cmd)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDOPT) $(LDFLAGS) -o $@ -Wl,--whole-archive $(O)/libcmd.a \
		-Wl,--no-whole-archive $(wordlist 2,9,$^) $(PKG_LIBS)

# --- tests: tests/unit/LAYER/test_*.c, a program each ----------------------

UNIT := $(sort $(wildcard tests/unit/*/test_*.c))
CHECK_LIBS = $(shell pkg-config --libs check 2>/dev/null)
unit_bin = $(patsubst tests/unit/%.c,$(O)/tests/%,$(filter tests/unit/$(1)/%,$(UNIT)))

define layer_tests
$(O)/tests/$(1)/%: tests/unit/$(1)/%.c $$(call libs_for,$(1))
	$$(call say,CCLD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_CFLAGS) -Itests $$(LDOPT) -o $$@ $$< \
		$$(call libs_for,$(1)) $$(PKG_LIBS) $$(CHECK_LIBS)
check-$(1): $$(call unit_bin,$(1))
	$$(Q)for t in $$(call unit_bin,$(1)); do \
		$$$$t || { echo "FAILED: $$$$t"; exit 1; }; done
.PHONY: check-$(1)
endef
$(foreach l,$(LAYERS),$(eval $(call layer_tests,$(l))))

check: $(patsubst %,check-%,$(LAYERS))

deps:
	$(Q)sh tools/deps.sh

clean:
	rm -rf $(BUILD)

-include $(shell find $(O) -name '*.d' 2>/dev/null)
.PHONY: all check deps clean
.DELETE_ON_ERROR:
