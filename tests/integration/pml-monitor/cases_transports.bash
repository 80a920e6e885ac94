# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # variables that run.sh sets
# Cases: every collective, and the other cases whatever carries the messages: shared memory, TCP, UCX or libfabric.

# without_class: what all messages of a pair come to, of files in Open MPI's own format.
without_class() { { lines_of E "$@" && lines_of I "$@"; } | sum_up; }

# Open MPI's own component watches the same calls in its own way. It takes persistent messages of collectives for the user's.
case_every_collective() {
  local ranks
  for ranks in 2 5 8; do
    job $ranks --mca pml ^tofa --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 \
      --mca pml_monitoring_filename stock "$programs/pml_every_collective"
    without_class stock.*.prof >wanted
    monitored_job $ranks 2 "$programs/pml_every_collective" 2>said
    table traffic >found
    same "$ranks ranks" wanted found
    [ -z "$(table traffic.user)" ] || fail "$ranks ranks: collectives are counted as the user's"
    all_is_the_sum_of_the_classes
    rm ./*.prof
  done
}

# over CASE...: each in a folder of its own, with what the environment says of the transport. Not in a condition, where
# the shell would not look at the status of what a case runs.
over() {
  local name
  for name; do
    mkdir "$name"
    (
      trap 'echo "$name" >&2' ERR
      cd "$name" || exit
      "case_$name"
    )
  done
}

# Collectives are made of the same messages as over shared memory.
same_collectives() {
  (unset OMPI_MCA_pml OMPI_MCA_btl && monitored_job 5 2 "$programs/pml_every_collective") 2>said
  table traffic >wanted
  monitored_job 5 2 "$programs/pml_every_collective" 2>said
  table traffic >found
  same "collectives" wanted found
  rm ./*
}

# osc/rdma does not run over TCP alone.
case_over_tcp() {
  # shellcheck disable=SC2034  # for one_sided_job
  local argument=
  export OMPI_MCA_btl=self,tcp
  job 2 "$programs/pml_bcast" >/dev/null 2>&1 || exit 77
  same_collectives
  one_sided_job pt2pt
  rm ./*
  over patterns reuse threads intercomm spawn spawn_collectives connect handshakes files
}

case_over_ucx() {
  export OMPI_MCA_pml=ucx OMPI_MCA_opal_common_ucx_tls=any OMPI_MCA_opal_common_ucx_devices=any
  job 2 "$programs/pml_bcast" >/dev/null 2>&1 || exit 77
  export OMPI_MCA_pml=ucx,tofa
  same_collectives
  over patterns reuse threads intercomm spawn spawn_collectives connect handshakes files
}

# Without persistent messages: pml/cm over libfabric's TCP provider hangs in pml_patterns, with and without the monitor.
case_over_cm() {
  export OMPI_MCA_pml=cm OMPI_MCA_mtl=ofi
  job 2 "$programs/pml_bcast" >/dev/null 2>&1 || exit 77
  export OMPI_MCA_pml=cm,tofa
  same_collectives
  over many reuse intercomm handshakes
}
