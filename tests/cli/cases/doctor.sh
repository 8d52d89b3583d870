# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2129,SC2154
# doctor: what this host can do.

"$SANDGATE" doctor >out 2>err
rc=$?
what='doctor'
case $rc in 0|1) pass ;; *) fail "exit status $rc" ;; esac
[ -z "${SG_BOX_MUST_WORK:-}" ] || [ "$rc" = 0 ] || fail "exit status $rc"
out_has 'policy'
out_has 'interpreter'
out_has 'seccomp'
"$SANDGATE" doctor --json >out 2>err
out_json 'd["layers"] and all(l["state"] in ("active", "unavailable", "off") for l in d["layers"])'
out_json 'd["meets"] == ('"$rc"' == 0)'
ran 'an interpreter that is not there' 1 doctor --python /nowhere/python3
out_has 'MISSING'
ran 'a policy that is not there' 1 doctor --policy nosuch
ran 'a log that can not be written' 1 doctor --audit /nowhere/log
out_has 'MISSING'
ran 'an unknown level' 2 doctor --require most
ran 'an argument too many' 2 doctor now
