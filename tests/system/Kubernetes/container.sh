#!/usr/bin/env bash
# Becomes a container's process: own mounts, a root file system that cannot be written, a user without rights. Runs as the first process of mount and process namespaces of its own.
# container.sh ROOT APP HOSTS USER GROUP FSGROUP [SOURCE:PATH:ro|rw]... -- PROGRAM [ARGUMENTS]; the program's environment is this script's without its own variables.
set -euo pipefail
root=$1 app=$2 hosts=$3 user=$4 group=$5 fsgroup=$6
shift 6
# Not executed as the program's environment: set below.
unset OLDPWD SHLVL

mount --make-rprivate /
mount -t tmpfs -o size=1m,mode=755 tmpfs "$root"
mkdir -p "$root"/{usr,app,etc,proc,dev,.old}

bind() { # SOURCE PATH [ro]
  mount --bind "$1" "$root$2"
  if [ "${3:-}" = ro ]; then mount -o remount,bind,ro "$root$2"; fi
}

# What an image brings: the system's libraries, .NET's runtime among them, and the program.
bind /usr /usr ro
for link in bin sbin lib lib64; do if [ -L "/$link" ]; then ln -s "$(readlink "/$link")" "$root/$link"; fi; done
bind "$app" /app ro
cp /etc/ld.so.cache "$root/etc/"
echo "hosts: files" >"$root/etc/nsswitch.conf"
# What the kubelet brings: names of the pod, the kernel's file systems, volumes.
touch "$root/etc/hosts"
bind "$hosts" /etc/hosts ro
mount -t proc proc "$root/proc"
for device in null zero random urandom; do touch "$root/dev/$device"; bind "/dev/$device" "/dev/$device"; done
while [ "$1" != -- ]; do
  IFS=: read -r source path mode <<<"$1"
  mkdir -p "$root$path"
  bind "$source" "$path" "$mode"
  shift
done
shift

mount -o remount,ro "$root"
cd "$root"
pivot_root . .old
umount -l /.old
exec setpriv --reuid "$user" --regid "$group" --groups "$fsgroup" --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"
