# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2129,SC2154
# The run-time guard: what only shows when a program runs is refused with its
# rule; ordinary programs do not notice; the box holds without it.

if echo 'print(1)' | "$SANDGATE" run - >out 2>err; then

cat >tiny.yaml <<'END'
schema: 1
policy: tiny
paths: {workspace: [".", /mnt/data, /tmp]}
capabilities: {reject: [exec.process, native, "net.*", fs.outside, exec.code, fs.delete]}
imports:
  default: allow
  deny: {decimal: use fractions}
exceptions:
  - {rule: import.denied, when: {path: trusted.py}, reason: it is ours}
END
cat >list.yaml <<'END'
schema: 1
policy: list
imports: {default: reject, allow: {datetime: , json: , numpy: , pandas: , matplotlib: }}
unresolved: {import: annotate}
END

# refused WHAT CODE INPUT TEXT [ARG...]: ends with a PermissionError of TEXT.
refused() {
	label=$1
	printf '%b' "$2" >refused.py
	printf '%s\n' "$3" >given
	text=$4
	shift 4
	ran "$label" 1 run --policy tiny.yaml --stdin given "$@" refused.py
	err_has "PermissionError: $text"
	err_has 'of the policy refused this while the program ran'
}

# allowed WHAT CODE INPUT OUTPUT [ARG...]
allowed() {
	label=$1
	printf '%b' "$2" >allowed.py
	printf '%s\n' "$3" >given
	text=$4
	shift 4
	ran "$label" 0 run --policy tiny.yaml --stdin given "$@" allowed.py
	out_is "$text"
}

by_name='import os\ngetattr(os, input())("ls")\n'
refused 'os.system by name' "$by_name" system \
	"capability: 'os.system' needs the capability exec.process"
refused 'os.popen by name' "$by_name" popen \
	"capability: 'subprocess.Popen' needs the capability exec.process"
refused 'os.fork by name' 'import os\ngetattr(os, input())()\n' fork \
	"capability: 'os.fork' needs"
refused 'a module by name' '__import__(input())\n' subprocess \
	"capability: 'subprocess' needs"
refused 'a module that is loaded already' \
	'import os, fractions\n__import__(input())\n' decimal \
	'import.denied: use fractions'
refused 'importlib.import_module' \
	'import importlib\nimportlib.import_module(input())\n' decimal \
	'import.denied: use fractions'
refused 'from a import b' \
	'import importlib\nf = getattr(importlib, input())\nf("decimal")\n' \
	import_module 'import.denied: use fractions'
refused 'eval by name' \
	'import builtins\ngetattr(builtins, input())("1 + 1")\n' eval \
	"capability: 'compile, exec or eval' needs"
refused 'a path outside' 'open(input())\n' /etc/passwd \
	"capability: '/etc/passwd' needs the capability fs.outside"
refused 'a path that climbs out' 'open(input())\n' ../../etc/passwd \
	"capability: '../../etc/passwd' needs"
refused 'a path through the workspace' 'open(input())\n' \
	/mnt/data/../../etc/passwd "capability: '/mnt/data/../../etc/passwd'"
refused 'a path as an object' \
	'import pathlib\nprint(pathlib.Path(input()).read_text())\n' \
	/etc/passwd "capability: '/etc/passwd' needs"
refused 'removing by name' \
	'import os\nopen("a", "w").close()\ngetattr(os, input())("a")\n' \
	unlink "capability: 'os.remove' needs"
refused 'in a thread' \
	'import os, threading\nerror = []\ndef f(name):\n    try:\n        getattr(os, name)("ls")\n    except PermissionError as e:\n        error.append(e)\nt = threading.Thread(target=f, args=(input(),))\nt.start()\nt.join()\nraise error[0]\n' \
	system "capability: 'os.system' needs"

printf '__import__(input())\n' >in.py
echo decimal >given
ran 'as JSON' 1 run --json --policy tiny.yaml --stdin given in.py
out_json 'd["status"] == "error" and d["error"]["name"] == "PermissionError"'
out_json 'd["hint"].startswith("Rule import.denied of the policy refused")'
out_json 'd["denied"] == []'
cp in.py trusted.py
ran 'with an exception' 0 run --policy tiny.yaml --stdin given trusted.py
ran 'without the gate there is no guard' 0 run --no-gate --policy tiny.yaml \
	--stdin given in.py
printf '%b' "$by_name" >in.py
echo system >given
ran 'and the box holds' 0 run --no-gate --json --policy tiny.yaml \
	--stdin given in.py
out_json 'd["denied"] and not d["stdout"]'

# ---- programs that must not notice ----

allowed 'a file of its own' \
	'open("a", "w").write("x")\nprint(open("/mnt/data/a").read())\n' '' x
allowed 'modules of the library' \
	'import os, sys, json, fractions\nprint(__import__(input()).__name__)\n' \
	statistics statistics
allowed 'what a library removes' \
	'import tempfile\nwith tempfile.TemporaryDirectory() as d:\n    print(len(d) > 1)\n' \
	'' True
allowed 'what a library evaluates' \
	'from collections import namedtuple\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\nprint(A(1).x, namedtuple("P", "x y")(1, 2).y)\n' \
	'' '1 2'
allowed 'a pair of sockets of asyncio' \
	'import asyncio\nasync def f():\n    return 1\nprint(asyncio.run(f()))\n' \
	'' 1
allowed 'C code that imports' \
	'import datetime\nprint(datetime.datetime.strptime("2020", "%Y").year)\n' \
	'' 2020 --policy list.yaml
printf 'm = __import__(input())\n' >in.py
echo os >given
ran 'a module that is not listed' 1 run --policy list.yaml --stdin given in.py
err_has "PermissionError: import.unlisted: module 'os' is not on the list"
if python3 -c 'import matplotlib, pandas' 2>/dev/null; then
	allowed 'libraries that are listed' \
		'import numpy as np, pandas as pd\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.close()\nprint(np.arange(5).sum(), pd.DataFrame({"a": [1]}).a[0])\n' \
		'' '10 1' --policy list.yaml
fi
for name in asyncio_queues calendar_pages csv_dialects datetime_arithmetic \
	decimal_money enum_states itertools_recipes json_round_trip \
	matplotlib_png numpy_linalg pandas_groupby pandas_time_series \
	regex_log_report sqlite_file statistics_summary tempfile_use \
	threading_primitives thread_pool_futures zoneinfo_travel; do
	what="ordinary: $name"
	script=$root/tests/box/science/$name.py
	mkdir outside && cd outside || exit 1
	python3 -I -B "$script" </dev/null >../want 2>/dev/null || : >../want
	cd .. && rm -rf outside
	[ -s want ] || continue
	"$SANDGATE" run --quiet "$script" >out 2>err </dev/null
	if cmp -s want out; then pass; else fail 'another output'; fi
done

elif [ -n "${SG_BOX_MUST_WORK:-}" ]; then
	what='the box'
	fail 'does not work on this host'
fi
