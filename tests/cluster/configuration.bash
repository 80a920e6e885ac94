# SPDX-License-Identifier: BSD-3-Clause
# The files of a cluster: its folder, its hosts file and its /etc/slurm. Used by cluster.sh, whose variables it reads.
# shellcheck shell=bash
# shellcheck disable=SC2154

readonly network=10.99 # in the cluster's own network namespaces only: clusters, and the host, may use it too

node_address() { printf '%s.1.%d' "$network" $(($1 + 1)); }

write_configuration() {
  mkdir -p "$dir"/{etc,run,log,state,spool,munge,tmp/head,shared}
  echo "$nodes" >"$dir/run/count"
  printf '%s\n' "${shares[@]}" >"$dir/run/shares"
  chmod 755 "$dir" "$dir"/*
  chmod 1777 "$dir/shared" "$dir/tmp/head"
  chmod 700 "$dir/munge"
  (umask 077 && head -c 1024 /dev/urandom >"$dir/munge/key")
  write_hosts
  echo "CgroupPlugin=cgroup/v1" >"$dir/etc/cgroup.conf"    # slurmd 22.05 does not start with "disabled"
  echo "PMIxCollFence=ring" >"$dir/etc/mpi.conf"           # in the others nodes do not wait for each other
  : >"$dir/etc/plugstack.conf"
  for file in "${etc_files[@]}"; do
    cp "$file" "$dir/etc/" || die "--etc $file: cannot be read"
  done
  write_slurm_conf
  chmod -R a+rX "$dir/etc"
}

write_hosts() {
  local k
  {
    printf '127.0.0.1 localhost\n%s.0.1 head\n' "$network"
    for ((k = 0; k < nodes; k++)); do printf '%s %s\n' "$(node_address "$k")" "$(node_name "$k")"; done
  } >"$dir/etc/hosts"
  # No name server can be reached, and none is to be waited for.
  sed 's/^hosts:.*/hosts: files/' /etc/nsswitch.conf >"$dir/etc/nsswitch.conf"
}

# Lines of the script itself, unless --conf has one with the same key. Times are short so that a dead node is noticed soon.
write_slurm_conf() {
  local line extra
  while read -r line; do
    for extra in "${conf_lines[@]}"; do
      if [[ ${extra%%=*} == "${line%%=*}" ]]; then continue 2; fi
    done
    printf '%s\n' "$line"
  done >"$dir/etc/slurm.conf" <<END
ClusterName=tofa
SlurmctldHost=head($network.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/run/slurmctld.pidfile
SlurmdPidFile=$dir/run/%n.slurmd.pidfile
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SlurmdParameters=config_overrides
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
SlurmctldTimeout=30
MessageTimeout=10
KillWait=3
InactiveLimit=0
MinJobAge=60
END
  {
    printf '%s\n' "${conf_lines[@]}"
    node_conf_lines
    echo "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
  } >>"$dir/etc/slurm.conf"
}

node_conf_lines() {
  local k entry first last parameters
  for ((k = 0; k < nodes; k++)); do
    parameters="CPUs=$cpus RealMemory=1000"
    for entry in "${node_lines[@]}"; do
      [[ $entry =~ ^([0-9]+)(-([0-9]+))?=(.+)$ ]] || die "--node $entry: write K=TEXT or K-L=TEXT" 2
      first=${BASH_REMATCH[1]} last=${BASH_REMATCH[3]:-${BASH_REMATCH[1]}}
      if ((k >= first && k <= last)); then parameters=${BASH_REMATCH[4]}; fi
    done
    printf 'NodeName=%s NodeAddr=%s State=UNKNOWN %s\n' "$(node_name "$k")" "$(node_address "$k")" "$parameters"
  done
}
