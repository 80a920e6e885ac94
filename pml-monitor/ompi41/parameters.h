// SPDX-License-Identifier: BSD-3-Clause
// What the user asked for: the parameters of the stock monitoring component, which stays off while
// this one is on, or this component's own synonyms.
#pragma once

#include <ompi_config.h>

#include <opal/mca/base/base.h>

struct monitor_parameters {
  int enable;      // 0: off, 1: all traffic, 2: also user and collective traffic apart
  char* filename;  // stem of the files; NULL or empty: derived from the program's name
  int timeout;     // seconds that gathering may take
  bool stock;      // the other half of Open MPI's own monitoring runs, too
  bool phases;     // the program tells phases
  int window;      // or they last so many seconds; 0: no
  bool sizes;      // a histogram of message sizes for each pair
  bool overwrite;  // replace an earlier result instead of taking another name
};

// Registers the synonyms, pml_tofa_enable and so on.
void parameters_register(const mca_base_component_t* component);

// To be called after every pml component has registered, and before the stock one decides whether
// to start: its switch is read and turned off.
struct monitor_parameters parameters_take(void);
