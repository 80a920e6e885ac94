#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run in a root that root.sh makes: boots systemd as the init of namespaces of its own (processes, mounts, network, control
# groups), and runs a command there as a service of that system. What systemd does while it boots, such as emptying /tmp,
# setting kernel parameters or the clock, does not reach the machine outside.
#
# Usage: booted.sh COMMAND   (its output is printed, its failure is exit status 1)
# Exit status 77: systemd cannot be booted here; the last line says why.
set -euo pipefail

readonly deadline=600
readonly log=/var/log/booted.log
: "${1:?usage: booted.sh COMMAND}"

left_out() {
  printf '%s\n' "$1"
  exit 77
}

[[ -n ${TOFA_BARE_ROOT:-} ]] || left_out "systemd is booted in a bare root only, see root.sh"

if [[ -z ${TOFA_BOOTED_INSIDE:-} ]]; then
  DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends systemd >/dev/null
  hierarchy=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
  [[ -n $hierarchy ]] || left_out "there is no unified hierarchy of control groups"
  group=$hierarchy/tofa-booted-$$
  mkdir "$group" || left_out "control groups cannot be made here"
  status=0
  (
    echo "$BASHPID" >"$group/cgroup.procs"
    TOFA_BOOTED_INSIDE=1 exec timeout --kill-after 10 $deadline unshare --cgroup --mount --pid --fork --kill-child \
      --uts --ipc --net --propagation private "$0" "$1"
  ) || status=$?
  if [[ -e $log ]]; then cat "$log"; else status=77 && echo "systemd did not get as far as to run anything"; fi
  find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
  exit "$status"
fi

make_devices() {
  local name
  mount -t tmpfs -o mode=755 tmpfs /dev
  for name in "null 3" "zero 5" "full 7" "random 8" "urandom 9"; do
    mknod -m 666 "/dev/${name% *}" c 1 "${name#* }"
  done
  mknod -m 666 /dev/tty c 5 0
  mkdir /dev/shm /dev/pts
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts /dev/pts
  ln -s pts/ptmx /dev/ptmx
  ln -s /proc/self/fd /dev/fd
}

mount -t proc proc /proc
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mount -t sysfs sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /run
mount -t tmpfs -o mode=1777 tmpfs /tmp
make_devices
# As on any machine that systemd is the init of: units get their credentials by it.
mount --make-rshared /
echo booted >/etc/hostname
hostname booted
printf '127.0.0.1 localhost booted\n' >/etc/hosts

cat >/etc/systemd/system/booted.service <<END
[Unit]
SuccessAction=exit-force
FailureAction=exit-force
FailureActionExitStatus=1
[Service]
Type=oneshot
WorkingDirectory=/tofa
StandardOutput=file:$log
StandardError=inherit
TimeoutStartSec=$deadline
ExecStart=/bin/bash -c '$1'
END
cat >/etc/systemd/system/booted.target <<'END'
[Unit]
Requires=sysinit.target sockets.target
Wants=booted.service
After=sysinit.target sockets.target
END
exec env -i container=tofa PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=booted.target \
  --log-target=journal --show-status=no </dev/null >/dev/null 2>&1
