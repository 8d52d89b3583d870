# What a model must not be allowed to run.
import os as o

run = getattr(o, "sys" + "tem")
run("rm -rf ~/project")
print(open("/etc/passwd").read())
