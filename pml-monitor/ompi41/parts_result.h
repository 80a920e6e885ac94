// SPDX-License-Identifier: BSD-3-Clause
// Brings the parts (parts.h) that ranks have counted to rank 0, which writes them: files of phases
// and of sizes, to appear with the other files of the result.
#pragma once

#include "interpose.h"
#include "publication.h"

struct parts_wish {
  const char* stem;  // of rank 0; NULL elsewhere, and where nothing can be written
  const char* folder;
  bool phases, sizes, apart;
  const struct mtx_metadata* metadata;  // of the whole run
  struct publication* publication;
  // When that has all files of parts, or after an error none of them: lets the result appear.
  // False: it could not.
  bool (*finish)(void* context);
  void* context;
};

// On every rank that wanted parts. False: not all ranks' parts are in the files, as is said.
bool parts_gather_and_write(const struct monitor* monitor, double limit_seconds,
                            const struct parts_wish* wish);
