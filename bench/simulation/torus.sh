#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# torus.sh X,Y,Z FOLDER: writes the same torus for SimGrid (platform.xml) and for tofa (topology.toml). Hosts n0, n1, ...
# of 6 Gflop/s, links of 10 Gbit/s and 1 us in each direction.
set -euo pipefail
shape=$1 folder=$2
nodes=$((${shape//,/*}))

cat >"$folder/platform.xml" <<END
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="torus" topology="TORUS" topo_parameters="$shape" prefix="n" suffix="" radical="0-$((nodes - 1))"
           speed="6Gf" bw="10Gbps" lat="1us" sharing_policy="SPLITDUPLEX"/>
</platform>
END
cat >"$folder/topology.toml" <<END
[topology]
kind = "torus"
shape = [${shape//,/, }]
nodes = "n[0-$((nodes - 1))]"
tie = "simgrid"
END
