! SPDX-License-Identifier: BSD-3-Clause
! Four MPI calls in a library that pml_plugin loads.
subroutine plugin() bind(C)
  use mpi
  implicit none
  integer :: error, rank, size, sum
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (sum /= size * (size - 1) / 2) stop 3
  call MPI_Get_processor_name(name, size, error)
  if (len_trim(name) /= size) stop 4
end subroutine
