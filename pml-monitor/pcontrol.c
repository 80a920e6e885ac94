// SPDX-License-Identifier: BSD-3-Clause
// libtofa-pcontrol.so, to be preloaded: MPI_Pcontrol(N) begins phase N of a profile, 0 ends it.
// Inside Open MPI the call does nothing that a component could see; so it is caught here, and told
// to the monitor by the MPI_T variable pml_tofa_phase. Without the monitor it does nothing.
#include <mpi.h>

static MPI_T_pvar_session session;
static MPI_T_pvar_handle handle;
static enum { UNKNOWN, THERE, MISSING } variable;

static int find(void) {
  int provided, index, count;
  return MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS &&
         MPI_T_pvar_get_index("pml_tofa_phase", MPI_T_PVAR_CLASS_LEVEL, &index) == MPI_SUCCESS &&
         MPI_T_pvar_session_create(&session) == MPI_SUCCESS &&
         MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_SUCCESS;
}

int MPI_Pcontrol(const int level, ...) {
  if (variable == UNKNOWN) variable = find() ? THERE : MISSING;
  if (variable == THERE && level >= 0) {
    unsigned phase = (unsigned)level;
    (void)MPI_T_pvar_write(session, handle, &phase);
  }
  return MPI_SUCCESS;
}

// Fortran's ways of calling it: from the modules mpi and mpi_f08.
// NOLINTBEGIN(readability-identifier-naming)
__attribute__((visibility("default"))) void mpi_pcontrol_(const int* level);
void mpi_pcontrol_(const int* level) {
  (void)MPI_Pcontrol(*level);
}
__attribute__((visibility("default"))) void mpi_pcontrol_f08_(const int* level);
void mpi_pcontrol_f08_(const int* level) {
  (void)MPI_Pcontrol(*level);
}
// NOLINTEND(readability-identifier-naming)
