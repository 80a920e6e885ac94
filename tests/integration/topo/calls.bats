#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Calls that fail.

# shellcheck disable=SC2154,SC2034  # variables that the support file sets or reads
load support

failures=$build/bin/tofa-test-topology-failures

@test "lists of neighbours that cannot be sent are not received later" { job -n 1 "$failures" lists; }
