#!/bin/sh
# Process 1 of new namespaces: puts a system together, and becomes its init.
#
#	boot.sh FOLDER mounts|boot
set -eu
top=$1
r=$top/system/root

mount --make-rprivate /
mount -t tmpfs tmpfs "$top/system"
mkdir "$top/system/upper" "$top/system/work" "$r"
mount -t overlay overlay -o \
	"lowerdir=/,upperdir=$top/system/upper,workdir=$top/system/work" "$r"
mount -t proc proc "$r/proc"
mount -t sysfs sysfs "$r/sys"
mount -t tmpfs -o mode=755 tmpfs "$r/run"
mount -t tmpfs -o mode=1777 tmpfs "$r/tmp"

mount -t tmpfs -o mode=755 tmpfs "$r/dev"
for name in null zero full random urandom tty; do
	: >"$r/dev/$name"
	mount --bind "/dev/$name" "$r/dev/$name"
done
mkdir "$r/dev/shm" "$r/dev/pts" "$r/dev/mqueue" "$r/dev/hugepages"
mount -t tmpfs -o mode=1777 tmpfs "$r/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$r/dev/pts"
mount -t mqueue mqueue "$r/dev/mqueue"
ln -s pts/ptmx "$r/dev/ptmx"
ln -s /run/systemd/journal/dev-log "$r/dev/log"
ln -s /proc/self/fd "$r/dev/fd"

# Version 2 alone, whatever this host has.
mount -t cgroup2 cgroup2 "$r/sys/fs/cgroup"
[ "$2" = boot ] || exit 0

# Nothing of this machine's own is started.
rm -rf "$r"/etc/systemd/system/*.wants "$r/var/log/sandgate"
for unit in systemd-udevd systemd-udev-trigger systemd-networkd \
	systemd-resolved systemd-timesyncd systemd-logind systemd-remount-fs \
	systemd-random-seed; do
	ln -sf /dev/null "$r/etc/systemd/system/$unit.service"
done
mkdir -p "$r/usr/local/bin" "$r/out"
mount --bind "$top/out" "$r/out"
cp "$top/sandgate" "$top/try" "$r/usr/local/bin"
chmod 755 "$r/usr/local/bin/sandgate" "$r/usr/local/bin/try"
cp "$top"/*.service "$top"/*.socket "$top"/*.target "$r/etc/systemd/system"
cd "$r"
mkdir -p old
pivot_root . old
umount -l /old
exec env -i container=other PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \
	/lib/systemd/systemd --system --unit=try.target
