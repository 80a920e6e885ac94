#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What users and administrators see of placements: srun -v says what mpirun's report says, the site's log has a line for
# each step that asked, and a step that was placed before is not searched for again. None of it is ever in the way.

# shellcheck disable=SC2154  # variables that support.bash sets
# shellcheck disable=SC2016  # the ranks expand it
# shellcheck disable=SC2030,SC2031  # each test is a process of its own, and meant to be
load support

setup_file() {
  start_cluster_with_plugin --node "6-7=CPUs=2 Feature=big" 8
  printf '[topology]\nkind = "torus"\nshape = [8]\nnodes = "n[000-007]"\n' >"$TOFA_CLUSTER_DIR/shared/ring.toml"
  cp "$TOFA_CLUSTER_DIR/etc/plugstack.conf" "$TOFA_CLUSTER_DIR/shared/plugstack.conf"
}
teardown_file() { end_cluster; }
teardown() { plugstack; }

# plugstack WORDS...: what stands behind the plugin in plugstack.conf.
plugstack() { echo "$(cat "$TOFA_CLUSTER_DIR/shared/plugstack.conf") $*" >"$TOFA_CLUSTER_DIR/etc/plugstack.conf"; }

placed_by_srun() { in_job -N8 -n16 -- srun --tofa=app -n8 "$@" sh -c "$whoami"; }

@test "srun -v says what the report of mpirun says; without -v, nothing is said" {
  echo "n001 0.5" >outages
  export TOFA_TOPOLOGY=$TOFA_CLUSTER_DIR/shared/ring.toml TOFA_OUTAGES=$PWD/outages
  placed_by_srun -v
  expect_placed
  sed -n 's/^srun: \(tofa: \)/\1/p' err >by-srun
  grep -q "^tofa: 8 ranks on 4 of 8 nodes, mapper auto (from " by-srun
  grep -q "^tofa:   topology  .* from TOFA_TOPOLOGY" by-srun
  grep -q "^tofa:   avoided .* n001 (p = 0.5)" by-srun
  placed_by_srun
  expect_silence
  [[ -e $build/lib/tofa/mca_rmaps_tofa.so ]] || return 0 # no Open MPI with a mapper
  stock=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
  OMPI_MCA_mca_base_component_path=$stock:$build/lib/tofa \
    in_job -N8 -n16 -- mpirun -n 8 --map-by tofa:graph=app,report=1 hostname
  grep '^tofa:' err >by-mpirun
  same "$(sed 1d by-mpirun)" "$(sed 1d by-srun)"
}

@test "srun -v says what is assumed" {
  placed_by_srun -v
  grep -q "srun: tofa:   topology .* none given; all nodes are taken to be equally far from each other" err
  grep -q "srun: tofa:   outages .* none given; no node is taken to be suspect" err
}

@test "a step that was placed before is not searched for again, until something changes" {
  export XDG_CACHE_HOME=$PWD/cache
  placed_by_srun -v
  expect_said 0 remembered
  ranks out >first
  placed_by_srun -v
  expect_said 1 remembered
  same "$(cat first)" "$(ranks out)"
  echo "$(ranks out | cut -d ' ' -f 1) 0.5" >outages
  TOFA_OUTAGES=$PWD/outages placed_by_srun -v
  expect_said 0 remembered
  expect_placed
}

@test "a cache that is damaged, not the user's, or cannot be written changes nothing" {
  export XDG_CACHE_HOME=$PWD/cache
  placed_by_srun
  ranks out >first
  for harm in 'echo rubbish >cache/tofa/*' 'chmod 666 cache/tofa/*' 'chown -R nobody cache/tofa' 'rm -r cache; touch cache'; do
    eval "$harm"
    placed_by_srun -v
    expect_said 0 remembered
    expect_said 0 warning
    same "$(cat first)" "$(ranks out)"
  done
  HOME=/proc XDG_CACHE_HOME='' placed_by_srun
  expect_silence
  expect_placed
}

@test "the log has a line for each step that asked, and tofa report sums them up" {
  echo "n001 0.5" >outages
  export TOFA_TOPOLOGY=$TOFA_CLUSTER_DIR/shared/ring.toml TOFA_OUTAGES=$PWD/outages
  install -m 666 /dev/null log
  plugstack "log=$PWD/log"
  placed_by_srun
  in_job -N8 -n16 -- srun --tofa=nowhere -n8 sh -c "$whoami"
  in_job -N8 -n16 -- srun -n8 sh -c "$whoami"
  in_job -N8 -n16 -- srun --tofa=app -n8 -w n000 true && same failure success
  cluster --user nobody sh timeout 60 srun --tofa="$PWD/app" -n8 true
  cat log
  same 4 "$(grep -c '^time=20.* user=' log)"
  grep -qE '^time=[^ ]+ user=root job=[0-9]+\.0 outcome=placed warnings=0 ranks=8 nodes=4 avoided=1 hops_default=[0-9.]+ hops_chosen=0 abort_default=0.5 abort_chosen=0 seconds=' log
  grep -qE ' user=root .* outcome=placed warnings=1 ' log
  grep -qE ' user=root outcome=declined reason="--nodelist \(-w\) contradicts --tofa"' log
  grep -qE ' user=nobody job=[0-9]+\.0 outcome=placed ' log
  "$build/bin/tofa" report --site log --json >sums
  same "4 3 1 2" "$(jq -r '"\(.steps) \(.placed) \(.declined) \(.users)"' sums)"
}

@test "a step that is declined has its reason in the log" {
  install -m 666 /dev/null log
  plugstack "log=$PWD/log" tofa=/bin/false
  placed_by_srun
  expect_default
  grep -qE ' job=[0-9]+\.0 outcome=declined reason="/bin/false select failed \(status 1\)"$' log
  same 1 "$(wc -l <log)"
}

@test "a job whose nodes Slurm refuses is in the log once, with what Slurm said" {
  install -m 666 /dev/null log
  plugstack "log=$PWD/log"
  head_run timeout 60 srun --tofa=nowhere -n4 -N2 -C big sh -c "$whoami" >out 2>err
  expect_ranks n006 n006 n007 n007
  cat err log
  same 1 "$(wc -l <log)"
  grep -qE ' job=[0-9]+\.0 outcome=declined reason="it could not start at once on the nodes chosen: [A-Za-z]' log
}

@test "a log that cannot be written is in nobody's way, and srun -v says so" {
  mkfifo pipe
  for log in "$PWD/none" "$PWD/pipe" /proc/version syslog; do
    plugstack "log=$log"
    placed_by_srun
    expect_placed
    expect_silence
  done
  plugstack "log=$PWD/none"
  placed_by_srun -v
  expect_said 1 "tofa: no line in the site's log ($PWD/none): No such file or directory"
  [ ! -e none ]
  plugstack "log=somewhere"
  placed_by_srun
  expect_said 1 'log=somewhere is ignored: "somewhere" is not syslog or a file'
  expect_placed
}

# The last test: the cluster has no controller afterwards.
@test "without a controller, who did not answer is said" {
  head_run scontrol shutdown slurmctld
  if head_run timeout 60 srun --tofa=app -n8 hostname >out 2>err; then same failure success; fi
  cat err
  # Who is refused a connection does not wait.
  same 1 "$(grep -cE "tofa: warning: sinfo (did not answer within 2 s|failed: .*); Slurm's default placement is used" err)"
  expect_said 1 "Unable to contact slurm controller"
}
