// SPDX-License-Identifier: BSD-3-Clause
// Whether a job that asks to be profiled will be: the ranks load the monitor only if the choice of
// PML components leaves it in, and mpirun is the one that can say so before the run. No runtime
// header is needed here.
#ifndef TOFA_RMAPS_MONITOR_HINT_H
#define TOFA_RMAPS_MONITOR_HINT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// What to write instead of `pml` (the value of the MCA parameter, NULL: not set), in newly
// allocated memory, when `enable` (of pml_monitoring_enable) asks for a profile and the monitor is
// left out by mistake. NULL: all is well, or it was left out on purpose: by `^tofa`, or for Open
// MPI's own monitoring.
char* tofa_monitor_hint(const char* enable, const char* pml);

// Whether one of the folders of a component path, separated by colons, has the monitor.
bool tofa_monitor_is_in(const char* component_path);

#ifdef __cplusplus
}
#endif

#endif
