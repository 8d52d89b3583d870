# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2129,SC2154
# audit: every way to tamper with a log, and what is none.

echo 'print(1)' >good.py
echo 'import os; os.system("ls")' >bad.py
for i in 1 2 3; do
	"$SANDGATE" check --audit log good.py bad.py >/dev/null
done
cp log log.whole
cp log.head head.whole

ran 'an intact log' 0 audit verify log
out_is 'log: intact, 6 records'
ran 'as JSON' 0 audit verify --json log
out_json 'd["intact"] is True and d["records"] == 6 and d["head"] == "matches"'
ran 'show' 0 audit show log
out_has ' verdict '
out_has ' reject action=check bad.py [SG'
yes 'a line for each record' sh -c '[ "$(wc -l <out)" = 6 ]'
ran 'show as JSON' 0 audit show --json log
yes 'the records as they are' cmp out log
run=$(sed -n 2p log | python3 -c 'import json; print(json.loads(input())["run"])')
ran 'show one run' 0 audit show --run "$run" log
yes 'one line' sh -c '[ "$(wc -l <out)" = 1 ]'

# Anybody can compute the chain again: python3 alone, no code of ours.
yes 'the chain, computed by others' python3 -c '
import hashlib, json
last = None
for n, line in enumerate(open("log", "rb"), 1):
    r = json.loads(line)
    canon = lambda v: json.dumps(v, sort_keys=True, ensure_ascii=False,
                                 separators=(",", ":")).encode()
    assert canon(r) + b"\n" == line
    mine = r.pop("fingerprint")
    assert mine == {"algorithm": "SHA-256",
                    "value": hashlib.sha256(canon(r)).hexdigest()}
    assert r["sequence"] == n
    want = last and {"uid": last[0], "fingerprint": last[1]}
    assert r["prev_event"] == want
    last = r["uid"], mine'

# tampered WHAT LINE KIND SED-SCRIPT...
tampered() {
	name=$1
	line=$2
	kind=$3
	shift 3
	cp head.whole log.head
	sed "$@" log.whole >log
	ran "$name" 1 audit verify log
	out_has "log:$line: BROKEN ($kind)"
}

tampered 'a verdict changed' 2 changed '2s/"decision":"reject"/"decision":"pass"/'
tampered 'a digit changed' 4 changed '4s/"sequence":4/"sequence":9/'
tampered 'a blank added' 3 changed '3s/{/{ /'
tampered 'a line of something else' 5 changed '5s/.*/hello/'
tampered 'an empty line' 4 changed '3G'
tampered 'the first removed' 1 removed 1d
tampered 'one removed' 3 removed 3d
tampered 'three removed' 2 removed 2,4d
tampered 'the last removed' 5 'tail removed' 6d
tampered 'the tail removed' 1 'tail removed' '2,$d'
tampered 'one doubled' 4 inserted 3p
tampered 'two swapped' 3 reordered '3{h;d};4G'

cp head.whole log.head
: >log
ran 'emptied' 1 audit verify log
out_has 'tail removed'
cp log.whole log
rm log.head
ran 'no head file' 0 audit verify log
out_has 'a removed tail would not be seen'
echo x >log.head
ran 'a broken head file' 0 audit verify log
out_has 'the head file is unreadable'

# What a crash leaves: the last line torn, the head one behind.
head -n 5 log.whole >log
python3 -c '
import json
r = json.loads(open("log").readlines()[-1])
h = {k: r[k] for k in ("chain_uid", "fingerprint", "sequence", "uid")}
open("log.head", "w").write(json.dumps(h))'
sed -n 6p log.whole | head -c 200 >>log
ran 'a torn last line' 0 audit verify log
out_has '200 bytes at the end are torn, as a crash leaves them'
ran 'the next writer' 0 check --audit log good.py
ran 'sets it aside' 0 audit verify log
out_is 'log: intact, 7 records'
yes 'nothing is lost' sh -c 'sed -n 6p log.whole | head -c 200 |
	cmp - log.torn.000000000006'
ran 'and says so' 0 audit show log
out_has ' repair '
cp head.whole log.head
head -c -50 log.whole >log
ran 'a tail cut off mid-line is tampering' 1 audit verify log
out_has 'tail removed'

# Rotation.
rm -f log*
for i in 1 2 3 4 5; do
	"$SANDGATE" check --audit log --audit-max 1500 good.py >/dev/null
done
set -- log.0*
what='rotated more than once'
[ $# -ge 2 ] && pass || fail "$*"
ran 'a rotated log' 0 audit verify log
out_has "intact, $(cat log.0* log | wc -l) records"
lacks out 'carried on'
ran 'all its files by name' 0 audit verify "$@" log
out_has "intact, $(cat log.0* log | wc -l) records"
ran 'the newest two' 0 audit verify "$2" log
out_has 'carried on from an older file'
mkdir attic
mv "$2" attic
ran 'a file is missing in between' 1 audit verify log
out_has 'removed'
mv "$1" attic
ran 'the oldest are put away' 0 audit verify log
out_has 'carried on from an older file'

# Nothing goes on without its record.
ran 'no such log' 2 audit verify nothere
ran 'a folder' 2 audit verify .
ran 'a log that is a text file' 2 check --audit good.py good.py
yes 'it is left alone' grep -qx 'print(1)' good.py
ran 'a log in a folder that is not there' 2 check --audit no/where good.py
ran 'a log that is a device' 2 check --audit /dev/full good.py
out_is ''
what='a log that there is no room for'
rc=0
(
	trap '' XFSZ
	ulimit -f 2
	for _ in 1 2 3 4 5 6; do
		"$SANDGATE" check --audit small good.py >out 2>err || exit $?
	done
) || rc=$?
if [ "$rc" = 2 ]; then pass; else fail "exit status $rc"; fi
err_has "cannot write the audit log 'small': "
ran 'what it has is whole' 0 audit verify small
ran 'with room it goes on' 0 check --audit small good.py
ran 'and is whole again' 0 audit verify small
if [ "$(id -u)" != 0 ]; then
	mkdir -p ro
	"$SANDGATE" check --audit ro/log good.py >/dev/null
	chmod 0444 ro/log
	ran 'a log that must not be written' 2 check --audit ro/log good.py
	chmod 0644 ro/log
fi
ran 'verify without a name: SANDGATE_AUDIT' 2 audit verify
err_has 'audit.jsonl'
"$SANDGATE" check good.py >/dev/null
ran 'check records where SANDGATE_AUDIT says' 0 audit verify
out_has 'audit.jsonl: intact, 1 record'
