# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2129,SC2154
# docs/result.schema.json describes what really comes out.

schema=$root/docs/result.schema.json
if python3 -c 'import jsonschema' 2>/dev/null; then

cat >validate.py <<'END'
import json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
if len(sys.argv) > 3:
    schema = {"$defs": schema["$defs"],
              "anyOf": [{"$ref": "#/$defs/" + n} for n in sys.argv[3:]]}
check = jsonschema.Draft202012Validator(schema)
n = 0
for line in open(sys.argv[2], encoding="utf-8", newline="\n"):
    document = json.loads(line)
    if len(sys.argv) > 3:
        document = document["sandgate"]
    check.validate(document)
    n += 1
assert n > 0
END

echo 'print(1)' >good.py
printf 'import os\nos.system("ls")\nopen("/etc/passwd")\n' >bad.py
printf 'def f(:\n' >syntax.py
"$SANDGATE" check --format json good.py bad.py syntax.py nothere.py >all 2>err
yes 'check' python3 validate.py "$schema" all
printf '{"text":"print(1)"}\n{"text":"import os; os.system(1)"}\n{"text":1}\n' |
	"$SANDGATE" filter >all 2>err
yes 'filter' python3 validate.py "$schema" all verdict row_error
"$SANDGATE" run --json bad.py >all 2>err
yes 'run, rejected' python3 validate.py "$schema" all
"$SANDGATE" run --json nothere.py >all 2>err
yes 'run, no script' python3 validate.py "$schema" all
"$SANDGATE" run --json --python /nowhere/python3 good.py >all 2>err
yes 'run, no interpreter' python3 validate.py "$schema" all
if "$SANDGATE" run good.py >out 2>err; then
	printf 'open("a.txt", "w").write("x")\n1 / 0\n' >error.py
	printf 'import time\ntime.sleep(60)\n' >sleep.py
	"$SANDGATE" run --json good.py >all 2>err
	"$SANDGATE" run --json error.py >>all 2>err
	"$SANDGATE" run --json --out made error.py >>all 2>err
	"$SANDGATE" run --json --timeout 0.5 sleep.py >>all 2>err
	"$SANDGATE" run --json --no-gate bad.py >>all 2>err
	"$SANDGATE" run --json "$root/docs/examples/curve.py" >>all 2>err
	yes 'run' python3 validate.py "$schema" all
fi

fi
