! SPDX-License-Identifier: BSD-3-Clause
! Seven MPI calls of Fortran's, with texts and without: what they do must be as without anybody in front of them.
#ifdef F08
#define MODULE mpi_f08
#define INFO type(MPI_Info)
#else
#define MODULE mpi
#define INFO integer
#endif
program timing
  use MODULE
  implicit none
  integer :: error, rank, size, seen, sum
  logical :: found
  character(len=16) :: text
  INFO :: hints
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call MPI_Info_create(hints, error)
  call MPI_Info_set(hints, "a key", "some text", error)
  call MPI_Info_get(hints, "a key", 16, text, found, error)
  call MPI_Info_free(hints, error)
  call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  seen = size * (size - 1) / 2
  if (.not. found .or. text /= "some text" .or. sum /= seen) stop 3
  call MPI_Finalize(error)
end program
