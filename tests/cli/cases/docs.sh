# shellcheck shell=sh disable=SC2086,SC2015,SC2016,SC2034,SC2154
# Documents say what is true: their examples run, options have their entries.

unset SANDGATE_AUDIT
set -- "$root/README.md"
for page in "$root"/docs/*.[1357]; do
	[ -e "$page" ] && set -- "$@" "$page"
done
if echo 'print(1)' | "$SANDGATE" run --audit log - >out 2>err; then
	for document; do
		yes "examples of ${document##*/}" \
			python3 "$here/examples.py" "$SANDGATE" "$document"
		[ -s yes.out ] && ! [ "$(tail -n 1 yes.out | cut -d' ' -f3)" = 0 ] &&
			cat yes.out
	done
fi
SANDGATE_AUDIT=$PWD/audit.jsonl
export SANDGATE_AUDIT

# Each option of a command has its entry in the page of that command, and each
# entry is an option.
for command in check run serve mcp hook tool-schema filter explain doctor 'audit verify' 'audit show' \
	'policy lint' 'policy test' 'policy show' 'policy diff' 'policy fmt'; do
	page=$root/docs/sandgate-${command%% *}.1
	yes "options of $command" python3 -c '
import re, subprocess, sys
sandgate, page, *command = sys.argv[1:]
real = set(subprocess.run([sandgate, "help", "--options", *command],
    check=True, capture_output=True, text=True).stdout.split()) - {"--help"}
text = open(page, encoding="utf-8").read()
# A page with subcommands has a section for each.
if len(command) > 1:
    parts = re.split(r"^\.Ss ", text, flags=re.M)
    text = next(p for p in parts if p.split("\n")[0].split()[-1] == command[1])
found = set("--" + n for n in re.findall(r"^\.It .*?Fl -([a-z-]+)", text, re.M))
assert real == found, (sorted(real - found), sorted(found - real))' \
		"$SANDGATE" "$page" $command
done
