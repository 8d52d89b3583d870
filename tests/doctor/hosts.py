"""What `sandgate doctor` tells an administrator of each kind of host.

    hosts.py HOST SANDGATE

HOST takes something away and runs a command; see tests/box/host.c.  As root
every kind is tried, for root and for an ordinary user; else what can be.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

TREE = ["mount namespace", "private root", "proc", "workspace"]
SPACES = ["pid namespace", "network namespace", "ipc namespace",
          "uts namespace", "cgroup namespace", "time namespace"]
FALLEN = TREE + SPACES
ALWAYS = ["no new privileges", "resource limits", "seccomp", "capabilities"]

# kind, for whom (r: root, u: ordinary user), highest level, then for layers
# that are missing by themselves: words of the reason, words of the advice;
# then the layers that fall with them.
ROWS = [
    ("nothing", "r", "strict", {}, []),
    ("nothing", "u", "standard",
     {"memory limit": ("cannot be made", "systemd-run --user --scope")}, []),
    ("user-namespaces", "r", "any",
     {"user namespace": ("not even root", "--cap-add SYS_ADMIN")}, []),
    ("user-namespaces", "u", "any",
     {"user namespace": ("this user may not",
                         "kernel.unprivileged_userns_clone=1")}, FALLEN),
    ("more-user-namespaces", "r", "any",
     {"user namespace": ("user.max_user_namespaces is reached",
                         "sysctl user.max_user_namespaces")}, FALLEN),
    ("namespaces", "r", "any",
     {"user namespace": ("not even root", "seccomp=unconfined")}, FALLEN),
    ("namespaces", "u", "any",
     {"user namespace": ("this user may not", "run as root")}, FALLEN),
    ("mounts", "r", "any",
     {"private root": ("refused", "--cap-add SYS_ADMIN"),
      "user namespace": ("no /proc", "private root")},
     ["mount namespace", "proc", "workspace"]),
    ("mounts", "u", "any",
     {"private root": ("refused",
                       "kernel.apparmor_restrict_unprivileged_userns=0")},
     ["mount namespace", "proc", "workspace"]),
    ("landlock", "ru", "standard",
     {"landlock": ("this kernel has none", "Linux 5.13")}, []),
    ("landlock-module", "ru", "standard",
     {"landlock": ("switched off", "lsm=")}, []),
    ("notification", "ru", "standard",
     {"seccomp notification": ("listens already", "not recorded")}, []),
    ("groups", "ru", "standard",
     {"memory limit": ("no control group hierarchy", "mount -t cgroup2")},
     []),
    ("writable-groups", "ru", "standard",
     {"memory limit": ("Read-only", "can be written")}, []),
]
# An ordinary user has no group of its own here, whatever else is so.
USUAL = {"memory limit"}

failed = passed = 0


def check(good, what):
    global failed, passed
    passed += bool(good)
    failed += not good
    if not good:
        print("not ok - " + what)


def doctor(host, sandgate, kind, who, log, *args):
    command = [host] + (["-u"] if who == "u" and os.geteuid() == 0 else [])
    return subprocess.run(
        command + [kind, sandgate, "doctor", "--audit", log, *args],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        check=False, timeout=120)


def check_layers(label, layers, own, fallen, who):
    for name, (why, advice) in own.items():
        layer = layers[name]
        check(layer["state"] == "unavailable", label + name + " is missing")
        check(why in layer["detail"], label + name + ": why: "
              + layer["detail"])
        check(advice in layer["advice"], label + name + ": advice: "
              + layer["advice"])
    for name in fallen:
        layer = layers[name]
        check(layer["state"] == "unavailable", label + name + " has fallen")
        check(layer["detail"].startswith("not without the "),
              label + name + ": " + layer["detail"])
        check(layer["advice"].startswith("comes with the "),
              label + name + ": " + layer["advice"])
    for name, layer in layers.items():
        if name in own or name in fallen or (who == "u" and name in USUAL):
            continue
        check(layer["state"] == "active", "%s%s is %s: %s" % (
            label, name, layer["state"], layer["detail"]))
    for name in ALWAYS:
        check(layers[name]["state"] == "active", label + name + " stands")


def check_host(host, sandgate, log, row, who):
    kind, _, level, own, fallen = row
    label = "%s, %s: " % (kind, "root" if who == "r" else "ordinary user")
    done = doctor(host, sandgate, kind, who, log, "--json")
    if done.returncode not in (0, 1):
        check(False, label + "it cannot be tried: " + done.stderr)
        return
    told = json.loads(done.stdout)
    check_layers(label, {v["name"]: v for v in told["layers"]}, own, fallen,
                 who)
    check(told["level"] == level, label + "level " + str(told["level"]))
    for wanted, name in enumerate(("any", "standard", "strict")):
        meets = ("any", "standard", "strict").index(level) >= wanted
        done = doctor(host, sandgate, kind, who, log, "--require", name)
        check(done.returncode == (0 if meets else 1), label + "exit status "
              "for " + name)
        check(("This host meets level '%s'" % name in done.stdout) == meets,
              label + "says whether it meets " + name)
        check(meets or "; its layers meet %s\n" % level in done.stdout,
              label + "says what it meets instead of " + name)
        for layer in own:
            lines = [v for v in done.stdout.splitlines()
                     if v.startswith(layer + " ")]
            check(len(lines) == 1, label + "a line for " + layer)
        # As many lines of advice as there are things to do.
        todo = len(own) + (who == "u" and not USUAL & set(own))
        check(done.stdout.count("\n" + " " * 34 + "-> ") == todo,
              label + "advice only where there is something to do")


def main():
    host, sandgate = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix="sg-doctor-") as folder:
        # The ordinary user must be able to reach what it runs.
        os.chmod(folder, 0o777)
        host = shutil.copy(host, folder)
        sandgate = shutil.copy(sandgate, folder)
        first = doctor(host, sandgate, "nothing", "r" if os.geteuid() == 0
                       else "u", folder + "/log", "--json")
        if first.returncode not in (0, 1) or (
                json.loads(first.stdout)["level"] == "any"
                and os.environ.get("SG_BOX_MUST_WORK") != "1"):
            print("the box cannot be built on this host")
            return
        for row in ROWS:
            for who in row[1]:
                # What its groups let it do is the host's affair.
                needs_root = row[0] in ("nothing", "groups",
                                        "writable-groups")
                if os.geteuid() != 0 and (who == "r" or needs_root):
                    continue
                check_host(host, sandgate, folder + "/log-" + who, row, who)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
