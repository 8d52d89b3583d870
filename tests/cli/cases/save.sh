# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2154
# run --out: where files may go, and where not.

if echo 'print("works")' | "$SANDGATE" run - >out 2>err; then

cat >files.py <<'END'
import os
os.makedirs("a/b")
for name in ("top.txt", "a/b/deep.txt", ".hidden", "two.tar.gz"):
    with open(name, "w") as f:
        f.write(name)
END
ran 'folders below' 0 run --out made files.py
yes 'are made' grep -qx a/b/deep.txt made/a/b/deep.txt
yes 'hidden names too' grep -qx .hidden made/.hidden
ran 'a second time' 0 run --out made files.py
yes 'numbers before the ending' grep -qx two.tar.gz made/two.tar-1.gz
yes 'and after a hidden name' grep -qx .hidden made/.hidden-1
yes 'and in folders' grep -qx a/b/deep.txt made/a/b/deep-1.txt
ran 'with paths in the JSON' 0 run --json --out made files.py
out_json 'sorted(f["path"] for f in d["files"])[-1] == "made/two.tar-2.gz"'
out_json 'all("data" not in f for f in d["files"])'

# Links of the caller's own are not followed.
mkdir trap elsewhere
ln -s ../elsewhere trap/a
ln -s ../elsewhere/top.txt trap/top.txt
ran 'a link in the way' 125 run --out trap files.py
err_has 'cannot write'
yes 'nothing came out elsewhere' sh -c '[ -z "$(ls elsewhere)" ]'
ran 'the folder itself may be a link' 0 run --out made/../made files.py
echo x >plain
ran 'a file' 125 run --out plain files.py
ran 'below a file' 125 run --out plain/made files.py
if [ "$(id -u)" != 0 ]; then
	mkdir -p ro
	chmod 555 ro
	ran 'a folder that must not be written' 125 run --out ro files.py
	ran 'below it' 125 run --out ro/made files.py
fi

fi
