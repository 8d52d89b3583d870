# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2129,SC2154
# Options, arguments, help: what is said when the command line is wrong.

ran 'no command' 2
out_is ''
err_has "'sandgate help' lists them"
ran 'unknown command' 2 chekc
err_has "did you mean 'check'?"
ran 'unknown command, nothing near' 2 frobnicate
err_has "unknown command 'frobnicate'"
ran 'unknown subcommand' 2 audit verfy
err_has "unknown command 'audit verfy'; did you mean 'verify'?"
ran 'no subcommand' 2 policy
ran 'unknown option' 2 check --polcy x y.py
err_has "did you mean '--policy'?"
ran 'unknown option of run' 125 run --jsn x.py
err_has "did you mean '--json'?"
ran 'unknown letter' 2 check -z x.py
ran 'value missing' 2 check --policy
err_has "option '--policy' wants NAME|FILE"
ran 'value for a flag' 125 run --json=yes x.py
ran 'no file' 2 check
ran 'no script' 125 run
ran 'two scripts' 125 run a.py b.py
err_has "Arguments of the program come after '--'"
ran 'standard input twice' 2 check - -
ran 'standard input twice' 125 run --stdin - -
ran 'unknown format' 2 check --format yaml x.py
ran 'unknown version of Python' 2 check --python-version 2.7 x.py
ran 'unknown level' 125 run --require most x.py

for value in 0 -1 x 1x '' 99999999999999999999; do
	ran "time '$value'" 125 run --timeout "$value" x.py
	ran "size '$value'" 125 run --memory "$value" x.py
done
ran 'memory too small for Python' 125 run --memory 1MiB x.py

ran help 0 help
out_has 'commands:'
ran --help 0 --help
for command in check run filter explain policy audit doctor help version; do
	ran "help $command" 0 help "$command"
	out_has "usage: sandgate $command"
	ran "$command --help" 0 "$command" --help
done
ran 'help of a subcommand' 0 help audit verify
out_has 'usage: sandgate audit verify'
ran 'help of nothing' 2 help frobnicate
ran version 0 version
out_has 'tree-sitter'
ran --version 0 --version
full 'a full disk' 2 help
