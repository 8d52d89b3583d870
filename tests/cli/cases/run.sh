# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2129,SC2154
# run: gate, box and record as one; exit statuses; what goes in and out.

records() {
	if [ -e "$SANDGATE_AUDIT" ]; then wc -l <"$SANDGATE_AUDIT"; else echo 0; fi
}

# rejected WHAT CODE: refused with a rule and a line; nothing is started; one
# record.
rejected() {
	before=$(records)
	printf '%b' "$2" >in
	ran "$1" 126 run -
	out_is ''
	err_has '<stdin>:'
	err_has ': reject '
	err_has 'nothing was executed'
	what="$1: one record"
	if [ "$(records)" -eq $((before + 1)) ]; then
		pass
	else
		fail "$(records) records after $before"
	fi
	printf '%b' "$2" >in
	ran "$1 as JSON" 126 run --json -
	out_json 'd["status"] == "rejected" and d["executed"] is False'
	out_json 'd["verdict"]["findings"][0]["line"] >= 1'
	out_json 'all(f["rule"] and f["message"] and f["hint"] for f in d["verdict"]["findings"])'
}

rejected 'os.system' "import os; os.system('rm -rf /')\n"
rejected '__import__' "__import__('os').system('ls')\n"
rejected 'eval' 'eval(input())\n'
rejected 'exec' 'exec(code)\n'
rejected 'a secret file' "open('/etc/passwd').read()\n"
rejected 'subprocess' 'import subprocess\n'
rejected 'socket' 'import socket\n'
rejected 'an alias' 'from os import system as s\n'
rejected 'a syntax error' 'def f(:\n'
rejected 'code behind a lone CR' '# \rimport os; os.system("ls")\n'
rejected 'a coding cookie' '# coding: utf-7\nprint(1)\n'
ran 'the log is intact' 0 audit verify

yes 'killed at any moment, the log stays whole' python3 -c '
import os, random, signal, subprocess, time
sandgate = os.environ["SANDGATE"]
for i in range(30):
    p = subprocess.Popen([sandgate, "run", "-"], stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    p.stdin.write(b"print(1)\n")
    p.stdin.close()
    time.sleep(random.random() * 0.06)
    p.send_signal(signal.SIGKILL)
    p.wait()
    done = subprocess.run([sandgate, "audit", "verify"], capture_output=True)
    assert done.returncode == 0, done.stdout
'
ran 'and is carried on' 0 audit verify

echo 'print(1)' >ok.py
ran 'no such script' 125 run nothere.py
ran 'a folder' 125 run .
ran 'no such policy' 125 run --policy nosuch ok.py
ran 'no such policy, as JSON' 125 run --json --policy nosuch ok.py
out_json 'd["status"] == "invalid" and d["executed"] is False and d["verdict"] is None'
ran 'no such input' 125 run --stdin nothere ok.py
ran 'nowhere to write to' 125 run --out /nowhere/made ok.py
ran 'a file to write into' 125 run --out ok.py ok.py
ran 'no such file for the workspace' 125 run --file nothere ok.py
ran 'no interpreter' 127 run --python /nowhere/python3 ok.py
err_has '/nowhere/python3'
ran 'no interpreter, as JSON' 127 run --json --python /nowhere/python3 ok.py
out_json 'd["status"] == "internal" and d["executed"] is False'

# Nothing runs without its record.
ran 'a log that is a device' 125 run --audit /dev/full ok.py
out_is ''
ran 'a log in no folder' 125 run --audit /nowhere/log ok.py
out_is ''
unset SANDGATE_AUDIT
if [ "$(id -u)" != 0 ]; then
	home=$HOME
	unset HOME
	ran 'no home and no name' 125 run ok.py
	HOME=$home
	export HOME
	ran 'the user'"'"'s own log' 0 run ok.py
	yes 'is there' test -s "$HOME/.local/state/sandgate/audit.jsonl"
	XDG_STATE_HOME=$PWD/state
	export XDG_STATE_HOME
	ran 'XDG_STATE_HOME' 0 run ok.py
	yes 'is there' test -s state/sandgate/audit.jsonl
	unset XDG_STATE_HOME
fi
SANDGATE_AUDIT=$PWD/audit.jsonl
export SANDGATE_AUDIT
