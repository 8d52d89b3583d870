import re

WORDS = {'/proc/self/mem', '~/.ssh/id_rsa', '/etc/shadow'}


def mentions(text):
    return [w for w in WORDS if re.search(re.escape(w), text)]


print(mentions('cat /etc/shadow'))
