// SPDX-License-Identifier: BSD-3-Clause
// Writes and reads a file together with MPI-IO, while the program sends on the same communicators
// and on duplicates of them, made before, between and after.
#include <string.h>

#include "expect.h"

enum { BLOCKS = 8, BLOCK = 1000 };

static int rank, size;
static char data[BLOCKS * BLOCK];

static void talk(MPI_Comm comm, int bytes) {
  int own, members;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &members);
  MPI_Sendrecv_replace(data, bytes, MPI_CHAR, (own + 1) % members, 1, (own + members - 1) % members,
                       1, comm, MPI_STATUS_IGNORE);
  if (members == size) expect_send((rank + 1) % size, bytes);
  if (members == 1) expect_send(rank, bytes);
}

static void talk_on_duplicate(MPI_Comm comm, int bytes) {
  MPI_Comm duplicate;
  MPI_Comm_dup(comm, &duplicate);
  talk(duplicate, bytes);
  MPI_Comm_free(&duplicate);
}

// Blocks of all ranks in turn, so that they are exchanged before they are written.
static void work_on(MPI_File file) {
  MPI_Datatype turns;
  MPI_Type_vector(BLOCKS, BLOCK, BLOCK * size, MPI_CHAR, &turns);
  MPI_Type_commit(&turns);
  MPI_File_set_view(file, (MPI_Offset)rank * BLOCK, MPI_CHAR, turns, "native", MPI_INFO_NULL);
  memset(data, 'a' + rank, sizeof data);
  MPI_File_write_at_all(file, 0, data, sizeof data, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  memset(data, 0, sizeof data);
  MPI_File_read_at_all(file, 0, data, sizeof data, MPI_CHAR, MPI_STATUS_IGNORE);
  for (size_t i = 0; i < sizeof data; ++i) {
    if (data[i] != 'a' + rank) MPI_Abort(MPI_COMM_WORLD, 3);
  }
  MPI_Type_free(&turns);
}

static void with_files(MPI_Comm comm, const char* name) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", "enable");
  MPI_Info_set(info, "romio_cb_read", "enable");
  for (int i = 0; i < 2; ++i) {
    MPI_File file;
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    if (MPI_File_open(comm, name, mode, info, &file) != MPI_SUCCESS) MPI_Abort(comm, 4);
    talk_on_duplicate(comm, 100);
    if (comm == MPI_COMM_WORLD) work_on(file);
    talk(comm, 101);
    MPI_File_close(&file);
    talk_on_duplicate(comm, 102);
  }
  MPI_Info_free(&info);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char own[32];
  snprintf(own, sizeof own, "data.%d", rank);
  talk_on_duplicate(MPI_COMM_WORLD, 99);
  with_files(MPI_COMM_WORLD, "data");
  with_files(MPI_COMM_SELF, own);
  MPI_File file;  // there is none
  if (MPI_File_open(MPI_COMM_WORLD, "missing/x", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) ==
      MPI_SUCCESS) {
    MPI_Abort(MPI_COMM_WORLD, 5);
  }
  talk_on_duplicate(MPI_COMM_WORLD, 103);
  expect_write();
  MPI_Finalize();
  return 0;
}
