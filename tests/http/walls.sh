#!/bin/sh
# Runs a command as a unit with ProtectSystem=strict, ProtectHome=,
# PrivateTmp= and PrivateDevices= sees the machine.
#
#	unshare -m walls.sh UNIT PROGRAM	runs unit.py with both
#
# All of it is in a mount namespace of its own: nothing is left of it.
set -e
here=$(cd "$(dirname "$0")" && pwd)
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs /mnt
cp "$here/unit.py" "$1" "$2" /mnt
mkdir -m 1777 /mnt/tmp

mkdir /mnt/dev
mount -t tmpfs -o mode=755,nosuid,noexec tmpfs /mnt/dev
for node in null zero full random urandom tty; do
	cp -a "/dev/$node" "/mnt/dev/$node"
done
mkdir /mnt/dev/pts /mnt/dev/shm
mount --bind /dev/pts /mnt/dev/pts
mount --bind /dev/shm /mnt/dev/shm
mount --rbind /mnt/dev /dev
mount -o remount,bind,ro,nosuid,noexec /dev

for folder in /tmp /var/tmp; do
	mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$folder"
done
for folder in /root /home /run/user; do
	[ ! -d "$folder" ] || mount -t tmpfs -o mode=000,ro tmpfs "$folder"
done
mount -o remount,bind,ro /
cd /mnt
TMPDIR=/mnt/tmp exec /usr/bin/python3 /mnt/unit.py \
	"/mnt/$(basename "$1")" "/mnt/$(basename "$2")"
