! SPDX-License-Identifier: BSD-3-Clause
! Each rank sends 4 bytes to the next in no phase, and 8 in phase 2.
#ifdef F08
#define MODULE mpi_f08
#define STATUS type(MPI_Status) :: state
#else
#define MODULE mpi
#define STATUS integer :: state(MPI_STATUS_SIZE)
#endif
program phases
  use MODULE
  implicit none
  integer :: error, rank, size, next, before, values(2) = 0
  STATUS
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  next = mod(rank + 1, size)
  before = mod(rank + size - 1, size)
  call MPI_Sendrecv_replace(values, 1, MPI_INTEGER, next, 1, before, 1, MPI_COMM_WORLD, state, error)
  call MPI_Pcontrol(2)
  call MPI_Sendrecv_replace(values, 2, MPI_INTEGER, next, 1, before, 1, MPI_COMM_WORLD, state, error)
  call MPI_Pcontrol(0)
  call MPI_Finalize(error)
end program
