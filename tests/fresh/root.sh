#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A machine that has nothing: a bare Debian root, made by debootstrap, with this source tree in /tofa as git has it (what
# is changed or new, included; what is ignored, not), and a command in it. Every developer's machine has the packages
# that tofa needs, so only such a root notices one that ./dev does not ask for; and it can be another Debian than this.
#
# Usage: root.sh RELEASE CACHE COMMAND   (CACHE: a folder for downloaded packages; the root is removed at the end. The
#                                        command finds it as /var/cache/tofa.)
# Exit status 77: the root could not be made here; the last line says why.
set -euo pipefail

readonly deadline=3600
source_tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly source_tree

left_out() {
  printf '%s\n' "$1"
  exit 77
}

worker=
clean_up() {
  if [[ -n $worker ]]; then
    kill "$worker" 2>/dev/null || true
    wait "$worker" 2>/dev/null || true
  fi
  rm -rf --one-file-system "$root"
}

# Everything is mounted in a namespace of our own, and what runs in the root runs in a PID namespace: when the script
# ends, however it ends, the kernel unmounts and kills it all, and the root is a plain folder again.
if [[ -z ${TOFA_FRESH_INSIDE:-} ]]; then
  : "${3:?usage: root.sh RELEASE CACHE COMMAND}"
  ((EUID == 0)) || left_out "making a Debian root needs root"
  git -c safe.directory="$source_tree" -C "$source_tree" rev-parse HEAD >/dev/null 2>&1 ||
    left_out "this source tree is no clone"
  command -v debootstrap >/dev/null || left_out "there is no debootstrap"
  unshare --mount --pid --fork --propagation private mount -t tmpfs tofa-trial /mnt 2>/dev/null ||
    left_out "mounting is not permitted here"
  cache=$(mkdir -p "$2" && cd "$2" && pwd)
  root=$(mktemp -d "$cache/root-XXXXXX")
  trap clean_up EXIT
  trap 'exit 130' INT TERM
  TOFA_FRESH_INSIDE=1 timeout --kill-after 10 $deadline \
    unshare --mount --pid --fork --kill-child --propagation private "$0" "$1" "$cache" "$3" "$root" &
  worker=$!
  wait "$worker" && status=0 || status=$?
  worker=
  exit "$status"
fi

readonly release=$1 cache=$2 command=$3 root=$4

# The mirror that this machine uses, if it is a Debian, so that its proxies and caches serve us, too.
find_mirror() {
  local own
  own=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  apt-get indextargets --format "\$(CODENAME) \$(REPO_URI)" 2>/dev/null |
    awk -v own="$own" '$1 == own { print $2; exit }'
}

make_root() {
  local mirror
  mirror=$(find_mirror || true)
  mkdir -p "$cache/base" "$cache/archives/partial"
  debootstrap --variant=minbase --cache-dir="$cache/base" "$release" "$root" ${mirror:+"$mirror"}
  chmod 755 "$root"                                             # its users pass, too
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/throw-away" # nobody misses the root after a power failure
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  if [[ -n $mirror ]]; then
    apt-config shell proxy Acquire::http::Proxy | sed -n "s/^proxy='\(.*\)'$/Acquire::http::Proxy \"\1\";/p" \
      >"$root/etc/apt/apt.conf.d/90proxy"
  fi
}

# The root becomes a mount itself, so that it can be the root of namespaces.
mount_in_root() {
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind /proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --bind /dev "$root/dev"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  mkdir "$root/var/cache/tofa"
  mount --bind "$cache" "$root/var/cache/tofa"
  mount --bind "$cache/archives" "$root/var/cache/apt/archives"
}

# git refuses trees of another user, which a checkout of continuous integration may well be; we only read.
# shellcheck disable=SC2016  # the inner shell expands it
copy_sources() {
  mkdir "$root/tofa"
  git -c safe.directory="$source_tree" -C "$source_tree" ls-files -z --cached --others --exclude-standard |
    (cd "$source_tree" && xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh) |
    tar -C "$source_tree" --null --files-from=- -c | tar -C "$root/tofa" -x --no-same-owner
}

printf 'Making a root of Debian %s in %s\n' "$release" "$root"
make_root || left_out "debootstrap failed"
mount_in_root || left_out "mounting in the root is not permitted here"
copy_sources
printf 'Running %s in it\n' "$command"
mkdir "$root/outside"
cd "$root"
pivot_root . outside
umount --lazy /outside
# With an empty environment: nothing of what makes this machine comfortable is to help.
exec env -i TOFA_BARE_ROOT=1 PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root /bin/bash -c "cd /tofa && $command"
