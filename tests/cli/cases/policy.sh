# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2129,SC2154
# policy: lint, test, list, show.

for name in default strict audit; do
	ran "lint $name" 0 policy lint "$name"
	out_has "$name: good"
	ran "test $name" 0 policy test "$name"
	out_has 'all good'
	ran "show $name" 0 policy show "$name"
	out_has 'schema: 1'
	cp out "$name.yaml"
done
ran 'list' 0 policy list
out_has 'default'
out_has 'strict'
ran 'show no such' 2 policy show nosuch
ran 'show nothing' 2 policy show
ran 'lint nothing' 2 policy lint
ran 'lint no such file' 2 policy lint ./nosuch.yaml
ran 'a shipped policy as a file' 0 policy lint ./strict.yaml
ran 'quietly' 0 policy lint -q strict
out_is ''

cat >mine.yaml <<'END'
schema: 1
policy: mine
rules:
  - id: MY1
    title: no deep thoughts
    severity: low
    action: reject
    match: {call: math.factorial}
    message: "{name} is too much"
    hint: "think less"
    tests:
      hit: ["import math\nmath.factorial(5)"]
      pass: ["import math\nmath.sqrt(5)"]
END
echo 'from math import factorial as f; f(3)' >fact.py
ran 'a policy of one rule' 0 policy lint mine.yaml
ran 'its tests' 0 policy test mine.yaml
out_has '2 tests, all good'
ran 'it rejects' 1 check --policy mine.yaml fact.py
out_has 'fact.py:1:34: reject MY1: math.factorial is too much'
out_has '= hint: think less'
sed 's/sqrt/factorial/' mine.yaml >fails.yaml
ran 'a test that fails' 1 policy test fails.yaml
out_has 'FAILED MY1 pass[0]'
out_has '1 of 2 tests failed'
sed 's/severity/severty/' mine.yaml >typo.yaml
ran 'an unknown key' 1 policy lint typo.yaml
err_has 'typo.yaml:6:5:'
err_has "severity"
ran 'testing a wrong policy' 1 policy test typo.yaml
printf '\000\001\002' >binary.yaml
ran 'binary' 1 policy lint binary.yaml
: >empty.yaml
ran 'empty' 1 policy lint empty.yaml
ran 'one good and one bad' 1 policy lint mine.yaml typo.yaml
out_has 'mine.yaml: good'
