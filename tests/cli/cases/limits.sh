# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2129,SC2154
# Each limit of a run: what it is by default, an option, a line in a file,
# the status that it gives, and the hint.

if echo 'print(1)' | "$SANDGATE" run - >out 2>err; then

# limit WHAT CODE STATUS WORDS OPTION VALUE: reached with the option, and with
# the same line in a file.
limit() {
	printf '%b' "$2" >limit.py
	printf '%s = %s # a limit\n' "$5" "$6" >limit.conf
	for how in "--$5=$6" --config=limit.conf; do
		what="$1, $how"
		"$SANDGATE" run --no-gate --json "$how" limit.py >out 2>err
		out_json 'd["status"] == "'"$3"'"'
		if [ -n "$4" ]; then
			out_json '"'"$4"'" in (d["hint"] or "")'
		fi
	done
}

# within WHAT CODE: fine with what there is by default.
within() {
	printf '%b' "$2" >within.py
	what="$1, by default"
	"$SANDGATE" run --no-gate --json within.py >out 2>err
	out_json 'd["status"] == "ok"'
}

limit 'wall clock' 'while True: pass\n' timeout '0.3 s' timeout 0.3
limit 'processor time' 'while True: pass\n' cpu_limit '0.3 s' cpu 0.3
limit 'memory' 'x = []\nwhile True: x.append(bytearray(1 << 20))\n' \
	memory_limit '64 MiB' memory 64MiB
threads='import threading, time\nt = [threading.Thread(target=time.sleep, args=(0.2,)) for _ in range(40)]\nfor x in t: x.start()\nfor x in t: x.join()\n'
within 'threads' "$threads"
limit 'threads' "$threads" process_limit '8 threads' threads 8
limit 'no processes' 'import os\nos.fork()\n' syscall_denied \
	'not available' processes 0
limit 'processes' 'import os, time\nfor _ in range(80):\n    if os.fork() == 0:\n        time.sleep(1)\n        os._exit(0)\n' \
	process_limit '66 processes' processes 2
printf 'import os\nif os.fork() == 0: os._exit(0)\nprint(os.wait()[1])\n' >fork.py
ran 'a process' 0 run --no-gate --processes 1 fork.py
out_is 0
big='open("a", "wb").write(b"x" * 2000000)\n'
within 'workspace' "$big"
limit 'workspace' "$big" disk_limit '1 MiB and' workspace 1MiB
many='for i in range(60): open(str(i), "w").close()\n'
within 'files in the workspace' "$many"
limit 'files in the workspace' "$many" disk_limit '32 files' inodes 32
limit 'one file' "$big" disk_limit 'one file at most 1 MiB' file-size 1MiB
open='l = [open(str(i), "w") for i in range(60)]\n'
within 'open files' "$open"
limit 'open files' "$open" error 'At most 32 files can be open' open-files 32
limit 'output in all' 'import os\nwhile True: os.write(1, b"x" * 65536)\n' \
	output_limit '1 MiB of output' output-total 1MiB
limit 'result' '"x" * 5000\n' ok 'cut at 1 KiB' result-size 1KiB
limit 'files that come out' "$many" ok 'at most 10' files-out 10
limit 'their bytes' "$big" ok 'of 1 MiB together' files-out-size 1MiB
what='no files come out'
"$SANDGATE" run --json --files-out 0 within.py >out 2>err
out_json 'd["files"] == []'
what='the hint names the time to bring them out'
printf 'open("a", "w").close()\n' >within.py
"$SANDGATE" run --json --files-out 0 --collect-time 0.5 within.py >out 2>err
out_json '"within 0.5 s" in d["hint"]'
if python3 -c 'import matplotlib' 2>/dev/null; then
	plots='import matplotlib.pyplot as plt\nfor i in range(3):\n    plt.figure()\n    plt.plot([1, i])\n'
	within 'images' "$plots"
	out_json 'len(d["images"]) == 3'
	limit 'images' "$plots" ok 'at most 2 come out' images 2
	out_json 'len(d["images"]) == 2'
	limit 'bytes of an image' "$plots" ok '3 images were left out' \
		image-size 1K
fi

# ---- environment ----

cat >env.py <<'END'
import os
print(os.environ.get("GIVEN"), os.environ.get("COPIED"), os.environ.get("SECRET"))
END
COPIED=mine SECRET=secret
export COPIED SECRET
ran 'variables' 0 run --no-gate -e GIVEN=a=b --env COPIED env.py
out_is 'a=b mine None'
ran 'a variable that is not there' 125 run --env NOT_THERE env.py
err_has "there is no variable 'NOT_THERE' here"
ran 'no name' 125 run --env =x env.py
ran 'no name for a shell' 125 run --env '1A=x' env.py
unset COPIED SECRET

# ---- __file__ ----

printf 'print(open(__file__).read().count("\\n"), __import__("os").listdir("."))\n' >own.py
ran 'the script can be read' 0 run --no-gate own.py
out_is "1 ['own.py']"
ran 'and does not come out' 0 run --no-gate --out made own.py
yes 'nothing was made' sh -c '! [ -e made/own.py ]'
printf 'print(__import__("os").listdir("."))\n' >own.py
ran 'who does not ask has an empty folder' 0 run --no-gate own.py
out_is '[]'

# ---- what the result says of them ----

printf 'print(1)\n' >ok.py
ran 'each limit is in the result, in the order of the options' 0 run --json \
	--timeout 7 --cpu 6 --memory 100MiB --threads 9 --processes 2 \
	--workspace 3MiB --inodes 300 --file-size 2MiB --open-files 70 \
	--output 5KiB --output-total 1MiB --result-size 6KiB --images 3 \
	--image-size 1MiB --files-out 4 --files-out-size 7MiB \
	--collect-time 1.5 ok.py
out_json 'list(d["limits"].items()) == [("wall_ms", 7000), ("cpu_ms", 6000),
	("memory_bytes", 100 << 20), ("threads", 9), ("processes", 2),
	("workspace_bytes", 3 << 20), ("inodes", 300),
	("file_size_bytes", 2 << 20), ("open_files", 70),
	("output_bytes", 5 << 10), ("output_total_bytes", 1 << 20),
	("result_bytes", 6 << 10), ("images", 3), ("image_bytes", 1 << 20),
	("files_out", 4), ("files_out_bytes", 7 << 20), ("collect_ms", 1500)]'
ran 'and when none is given' 0 run --json --workspace 3MiB ok.py
out_json 'len(d["limits"]) == 17 and {"threads": 64,
	"file_size_bytes": 3 << 20}.items() <= d["limits"].items()'

# ---- files of options ----

printf 'print(1)\n' >ok.py
printf '# all of it\n\n  timeout =  5s  \r\nquiet\nenv = A=1 # a variable\nenv = B=#2\n' >good.conf
printf 'import os\nprint(os.environ["A"], os.environ["B"])\n"value"\n' >conf.py
ran 'a file of options' 0 run --no-gate --config good.conf conf.py
out_is '1 #2'
ran 'the command line comes first' 0 run --config good.conf --json --timeout 7 ok.py
out_json 'd["limits"]["wall_ms"] == 7000'
ran 'and after' 0 run --json --timeout 7 --config good.conf ok.py
out_json 'd["limits"]["wall_ms"] == 7000'

elif [ -n "${SG_BOX_MUST_WORK:-}" ]; then
	what='the box'
	fail 'does not work on this host'
fi

# conf WHAT LINE TEXT: refused, with the line's number.
conf() {
	printf 'quiet\n%s\n' "$2" >bad.conf
	ran "$1" 125 run --config bad.conf ok.py
	err_has "bad.conf:2: $3"
}
conf 'an unknown option' 'timout = 3' "unknown option '--timout'; did you mean '--timeout'?"
conf 'a value that is missing' 'timeout' "option '--timeout' wants SECONDS"
conf 'a value too many' 'json = yes' "option '--json' takes no value"
conf 'a bad value' 'timeout = soon' "option '--timeout': 'soon' is not a time"
conf 'another file' 'config = x' "option '--config' makes no sense in a file"
conf 'help' 'help' "option '--help' makes no sense in a file"
conf 'no name' '= 3' "unknown option '--'"
ran 'no such file' 125 run --config nothere.conf ok.py
err_has "cannot read 'nothere.conf'"
ran 'a folder' 125 run --config . ok.py

for bad in memory=1MiB workspace=1K inodes=3 threads=70000 processes=70000 \
	open-files=2 output=1 output-total=1 result-size=1 images=20000 \
	image-size=1 files-out=200000 collect-time=11m; do
	ran "no sense: $bad" 125 run "--$bad" ok.py
done
