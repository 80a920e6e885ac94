#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Process 1 of a machine of the cluster: `init.sh DIR NAME head|node ADDRESS`. It makes the namespaces it finds itself in
# look like a machine, starts the daemons, and collects dead processes from then on.
set -euo pipefail
dir=$1 name=$2 role=$3 address=$4

# Nothing ever arrives on this pipe. Waiting for it starts no process, and is the time in which bash collects dead
# children, adopted ones included.
exec {quiet}<> <(:)
pause() { read -rt "$1" -u "$quiet" || true; }

private_files() {
  local path mirror=$dir/tmp/$name
  hostname "$name"
  mount --bind "$dir/etc" /etc/slurm
  mount --bind "$dir/etc/hosts" /etc/hosts
  mount --bind "$dir/etc/nsswitch.conf" /etc/nsswitch.conf
  mount -t tmpfs -o mode=1777 tmpfs /dev/shm
  # A /tmp of its own, in which the cluster's folder and what is shared show through.
  while read -r path; do
    if [[ $path == /tmp/* ]]; then
      mkdir -p "$mirror${path#/tmp}"
      mount --rbind "$path" "$mirror${path#/tmp}"
    fi
  done < <(echo "$dir" && grep . "$dir/run/shares")
  mount --rbind "$mirror" /tmp
}

start_head() {
  ip link add bridge type bridge
  ip address add "$address" dev bridge
  ip link set bridge up
  # All machines use this munged: its socket is a file.
  munged --force --foreground --key-file="$dir/munge/key" --socket="$dir/run/munge.socket" \
    --pid-file="$dir/munge/pid" --log-file="$dir/log/munged.log" --seed-file="$dir/munge/seed" {quiet}>&- &
  until [[ -S $dir/run/munge.socket ]]; do
    kill -0 $! || exit 1
    pause 0.05
  done
  slurmctld -D {quiet}>&- &
}

start_node() {
  # What slurmd does to control groups must not reach the host.
  mount -t sysfs sysfs /sys
  mount -t tmpfs tmpfs /sys/fs/cgroup
  until [[ -e /sys/class/net/eth0 ]]; do
    stop_without_cluster
    pause 0.05
  done
  ip address add "$address" dev eth0
  ip link set eth0 up
  slurmd -D -N "$name" {quiet}>&- &
}

# Whoever removes the cluster's folder ends the cluster, however that came about.
stop_without_cluster() { [[ -e $dir/run/count ]] || exit 0; }

private_files
ip link set lo up
"start_$role"
while stop_without_cluster; do pause 2; done
