#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The health service under systemd, from README's commands for the admin to the stop of the last unit. Run by booted.sh, on
# a machine of its own, with tofa in /opt/tofa.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export PATH=/opt/tofa/bin:$PATH TOFA_HEALTH=10.0.0.1:7412 SYSTEMD_PAGER=''
readonly services=(tofa-healthd tofa-pmix-gateway tofa-noded tofa-health-web)

fail() {
  printf 'not ok: %s\n' "$1"
  journalctl --no-pager --quiet | tail -n 60
  systemctl --no-pager --failed
  exit 1
}
ok() { printf 'ok: %s\n' "$1"; }

# eventually WHAT COMMAND...
eventually() {
  local what=$1 tries
  shift
  for ((tries = 0; tries < 300; tries++)); do
    if "$@" >/dev/null 2>&1; then ok "$what" && return; fi
    sleep 0.1
  done
  "$@" || true
  fail "$what"
}
must() {
  local what=$1
  shift
  "$@" || fail "$what"
  ok "$what"
}

property() { systemctl show --value --property "$2" "$1"; }
user_of() { ps -o user= -p "$(property "$1" MainPID)"; }
is_nobody_special() { [[ $(user_of "$1") != root ]]; }
says() { tofa health status 2>&1 | grep -q "$1"; }
state_is() { tofa health list 2>/dev/null | awk -v host="$1" '$1 == host { print $NF }' | grep -qx "$2"; }
is_excluded() { tofa health list 2>/dev/null | grep -q "^$1 .*excluded by root since .*: a test"; }
restarted() { (($(property "$1" NRestarts) > $2)); }
active() { systemctl is-active --quiet "$1"; }
inactive() { [[ $(property "$1" ActiveState) == inactive ]]; }
outages() { tofa health history booted 2>/dev/null | grep -c heartbeat; }
is_for_admins() { [[ $(stat -c '%a %G' "$1") == "660 tofa-admin" ]]; }
# refused WORD COMMAND...: fails, and says WORD
refused() {
  local word=$1 said
  shift
  if said=$("$@" 2>&1); then return 1; fi
  [[ $said == *"$word"* ]] || { printf '%s\n' "$said"; return 1; }
}
refused_to_nobody() { ! setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
hands_out() { tofa health topology | grep -q "$1"; }
one_outage() { [[ $(outages) == 1 ]]; }
answers_at() { tofa health status --health "$1" 2>&1 | grep -q "The health service answers"; }
# from_page LINE: what tofa-noded(8) shows from that line on
from_page() {
  awk -v first="$1" '$0 == first { found = 1 } /^\.Ed$/ { found = 0 } found' docs/man/tofa-noded.8 |
    sed 's,\\e$,\\,; s,prefix/,/opt/tofa/,'
}
# checked_with DROP_IN: the agent anew, with these lines
checked_with() {
  install -d /etc/systemd/system/tofa-noded.service.d
  printf '%s\n' "$1" >/etc/systemd/system/tofa-noded.service.d/checks.conf
  systemctl daemon-reload
  systemctl restart tofa-noded
}

# What README has root do. The socket may be bound before the address is there.
commands=$(awk '/<!-- test: skip, needs systemd/ { found = 1 } found && /^```$/ { exit } inside { print }
  found && /^```sh$/ { inside = 1 }' README.md)
[[ $commands == *"systemctl enable"* ]] || fail "README has the commands for the admin"
install -d /etc/tofa
said=$(bash -euo pipefail -c "${commands/enable --now/enable}" 2>&1) || fail "README's commands: $said"
[[ $said != *[Ff]ailed* ]] || fail "README's commands say: $said"
sed -i 's/^list = .*/list = "booted"/; s/^address = .*/address = "127.0.0.1"/; s/^down_after = .*/down_after = 2/' /etc/tofa/healthd.toml
systemctl daemon-reload
must "the units start" systemctl start tofa-healthd tofa-pmix-gateway tofa-noded tofa-health-web
ip address add 10.0.0.1/32 dev lo
for service in "${services[@]}"; do
  must "$service is active" active "$service"
  must "$service is not root" is_nobody_special "$service"
done
eventually "launchers are answered" says "none suspect"
eventually "Prometheus and people are answered" bash -c \
  'exec 3<>/dev/tcp/127.0.0.1/7413 && printf "GET /metrics HTTP/1.0\r\n\r\n" >&3 && grep -q tofa_host_up <&3'
must "the state is the service's alone" [ "$(stat -c '%a %U' /var/lib/tofa /var/lib/tofa/health.db | paste -sd ' ')" == "700 tofa 600 tofa" ]

sed -i -E 's,^# (\[control\]|socket = "/run/tofa-health|group = "tofa-admin"),\1,' /etc/tofa/healthd.toml
systemctl reload tofa-healthd
eventually "admins have a socket" is_for_admins /run/tofa-health/control.sock
must "they exclude a node" tofa health exclude booted --reason "a test"
eventually "which is said" is_excluded booted
must "they include it" tofa health include booted
eventually "which is up again" state_is booted up
must "nobody else does" refused_to_nobody tofa health exclude booted --reason "a test"

printf '[topology]\nkind = "torus"\nshape = [1]\nnodes = "booted"\n' >/etc/tofa/torus.toml
echo 'OPTIONS=--topology /etc/tofa/torus.toml' >/etc/default/tofa-pmix-gateway
systemctl restart tofa-pmix-gateway
eventually "the gateway hands out the topology" hands_out torus

systemctl stop tofa-noded
eventually "a stopped agent is an outage" state_is booted down
systemctl start tofa-noded
eventually "a started one ends it" state_is booted up
eventually "it is one" one_outage

kill -KILL "$(property tofa-pmix-gateway MainPID)"
must "a killed gateway leaves its port to nobody: who asks waits in it" tofa health status
must "systemd has started it again" restarted tofa-pmix-gateway 0
kill -KILL "$(property tofa-healthd MainPID)"
eventually "a killed daemon is started again" restarted tofa-healthd 0
eventually "and active" active tofa-healthd
must "with the outage it knew of" one_outage

systemctl stop tofa-noded
mv /opt/tofa/bin/tofa-noded /opt/tofa/bin/elsewhere
systemctl start tofa-noded || true
eventually "an agent whose folder is not mounted yet is tried again" restarted tofa-noded 1
must "however often" [ "$(property tofa-noded StartLimitIntervalUSec)" == 0 ]
mv /opt/tofa/bin/elsewhere /opt/tofa/bin/tofa-noded
eventually "until it is there" active tofa-noded
eventually "and the node is up" state_is booted up

sed -i s/:7412/:7512/ /etc/systemd/system/tofa-pmix-gateway.socket.d/listen.conf
systemctl daemon-reload
must "the gateway's address can be changed" systemctl restart tofa-pmix-gateway.socket tofa-pmix-gateway.service
eventually "it answers there" answers_at 10.0.0.1:7512
sed -i s/:7512/:7412/ /etc/systemd/system/tofa-pmix-gateway.socket.d/listen.conf
systemctl daemon-reload
systemctl restart tofa-pmix-gateway.socket tofa-pmix-gateway.service
eventually "and where it was again" says "none suspect"

# The keys as the pages tofa-noded(8) and tofa-pmix-gateway(8) make them.
must "without a key, whoever asks is told so" says "no health_key is set"
for key in heartbeat health; do (umask 077 && od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n' >/etc/tofa/$key.key); done
chgrp tofa /etc/tofa/heartbeat.key
chmod 640 /etc/tofa/heartbeat.key
tofa-pmix-gateway --key /etc/tofa/health.key --public-key >/etc/tofa/health.pub
printf 'health_key = "health.pub"\n' >/etc/tofa/tofa.toml
sed -i 's,^# key = .*,key = "/etc/tofa/heartbeat.key",' /etc/tofa/healthd.toml
must "keys are for a restart" systemctl restart tofa-noded tofa-healthd tofa-pmix-gateway
eventually "answers are signed and checked" says "signed"
eventually "signed heartbeats are believed" state_is booted up
must "the agent signs" bash -c 'journalctl --quiet --unit tofa-noded | tail -n 3 | grep -q "for booted.*, signed"'

# MUNGE as tofa-pmix-gateway(8) has it, with the commands of that page.
eventually "munged runs" systemctl start munge
(umask 077; echo munge >/etc/tofa/health.key)
sed -i 's,"health.pub","munge",' /etc/tofa/tofa.toml
must "whose name is on the answers must be known" refused "there is no user \"tofa-pmix-gateway\"" tofa health status
useradd --system --uid 990 --shell /usr/sbin/nologin tofa-pmix-gateway
systemctl restart tofa-pmix-gateway
must "the gateway has the user of that number" [ "$(ps -o uid= -p "$(property tofa-pmix-gateway MainPID)" | tr -d ' ')" == 990 ]
eventually "munged signs for it" says "signed"
must "and for nobody else" refused "by user 990" env TOFA_SITE_FILE=<(sed '$a health_key_user = 65534' /etc/tofa/tofa.toml) \
  tofa health status
must "munged stops" systemctl stop munge
must "without it nothing unsigned is handed out" refused "munge" tofa health status
systemctl start munge
eventually "with it answers are signed again" says "signed"

# Checks that the sandbox lets find nothing wrong only once they are given what tofa-noded(8) says.
mkdir /scratch
mount -t tmpfs tmpfs /scratch
install -d -m 1777 /scratch/.tofa
override=$(from_page '[Service]')
for check in 'scratch ReadWritePaths' 'daemons ProtectProc' 'interfaces RestrictAddressFamilies'; do
  rm -rf /etc/tofa/checks
  install -d /etc/tofa/checks
  case $check in
    scratch*) from_page '#!/bin/sh' ;;
    daemons*) printf '#!/bin/sh\npgrep -x tofa-healthd\n' ;;
    *) printf '#!/bin/sh\nip -o link\n' ;;
  esac >"/etc/tofa/checks/${check% *}"
  printf '#!/bin/sh\ntouch /scratch/.tofa/done\n' >/etc/tofa/checks/then
  chmod 755 /etc/tofa/checks/*
  checked_with "$(grep -v "^${check#* }" <<<"$override")"
  eventually "a check of ${check% *} needs more than the unit gives" state_is booted down
  rm -f /scratch/.tofa/done
  checked_with "$override"
  eventually "which the page says how to give" test -e /scratch/.tofa/done
  sleep 3 # heartbeats that know of it
  eventually "so that it finds nothing wrong" state_is booted up
done

cp /etc/tofa/healthd.toml good.toml
echo 'nonsense = 1' >>/etc/tofa/healthd.toml
systemctl reload tofa-healthd
must "a reload with a mistake in the configuration leaves the daemon" active tofa-healthd
if systemctl restart tofa-healthd; then fail "a start with a mistake in the configuration says so"; fi
must "and the journal says where" bash -c 'journalctl --quiet --unit tofa-healthd | grep -q "healthd.toml:[0-9]*:"'
mv good.toml /etc/tofa/healthd.toml
systemctl reset-failed tofa-healthd
must "without the mistake it starts" systemctl start tofa-healthd

must "all stop" systemctl stop tofa-pmix-gateway.socket "${services[@]}"
for service in "${services[@]}"; do
  must "$service has ended in order" inactive "$service"
done
must "nothing of tofa has failed" [ -z "$(systemctl list-units --failed --plain --no-legend 'tofa-*')" ]
printf 'All units have run under systemd %s.\n' "$(systemctl --version | awk 'NR == 1 { print $2 }')"
