// SPDX-License-Identifier: BSD-3-Clause
// Loads the Fortran library ./plugin.so for itself alone, as Python does with modules, and calls it
// twice: Fortran's MPI library is nowhere else in this program.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  void* library = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
  void* symbol = library != NULL ? dlsym(library, "plugin") : NULL;
  if (symbol == NULL) {
    (void)fprintf(stderr, "%s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  void (*plugin)(void);
  memcpy(&plugin, &symbol, sizeof plugin);
  plugin();
  plugin();
  MPI_Finalize();
  return 0;
}
