// SPDX-License-Identifier: BSD-3-Clause
// One rank spawns a server of two ranks and a client of three, and carries the name of a port from
// one to the other; these connect and talk. Each process prints its role, rank and namespace.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERVERS = 2, CLIENTS = 3, NAME = 5, DATA = 6 };

static char port[MPI_MAX_PORT_NAME];
static char data[1000];

static void say(const char* role, int rank) {
  const char* name = getenv("PMIX_NAMESPACE");
  printf("%s %d %s\n", role, rank, name != NULL ? name : "?");
  fflush(stdout);
}

static MPI_Comm spawn(char* program, char* role, int processes) {
  char* arguments[] = {role, NULL};
  MPI_Comm others;
  MPI_Comm_spawn(program, arguments, processes, MPI_INFO_NULL, 0, MPI_COMM_SELF, &others,
                 MPI_ERRCODES_IGNORE);
  return others;
}

static void introduce(char* program) {
  MPI_Comm servers = spawn(program, "server", SERVERS);
  MPI_Comm clients = spawn(program, "client", CLIENTS);
  MPI_Recv(port, sizeof port, MPI_CHAR, 0, NAME, servers, MPI_STATUS_IGNORE);
  MPI_Send(port, sizeof port, MPI_CHAR, 0, NAME, clients);
  MPI_Comm_disconnect(&servers);
  MPI_Comm_disconnect(&clients);
}

// Servers send 100 + client to each; clients send 10 x (client + 1) to server 1, twice.
static void serve(MPI_Comm parent, int rank) {
  MPI_Comm clients;
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Send(port, sizeof port, MPI_CHAR, 0, NAME, parent);
  }
  MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &clients);
  for (int i = 0; i < CLIENTS; ++i) {
    MPI_Send(data, 100 + i, MPI_CHAR, i, DATA, clients);
    for (int n = 0; rank == 1 && n < 2; ++n) {
      MPI_Recv(data, sizeof data, MPI_CHAR, i, DATA, clients, MPI_STATUS_IGNORE);
    }
  }
  MPI_Comm_disconnect(&clients);
  if (rank == 0) MPI_Close_port(port);
}

static void consume(MPI_Comm parent, int rank) {
  MPI_Comm servers;
  if (rank == 0) MPI_Recv(port, sizeof port, MPI_CHAR, 0, NAME, parent, MPI_STATUS_IGNORE);
  MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &servers);
  for (int i = 0; i < SERVERS; ++i) {
    MPI_Recv(data, sizeof data, MPI_CHAR, i, DATA, servers, MPI_STATUS_IGNORE);
  }
  for (int n = 0; n < 2; ++n) MPI_Send(data, 10 * (rank + 1), MPI_CHAR, 1, DATA, servers);
  MPI_Comm_disconnect(&servers);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  say(argc > 1 ? argv[1] : "parent", rank);
  if (argc < 2) {
    introduce(argv[0]);
  } else {
    strcmp(argv[1], "server") == 0 ? serve(parent, rank) : consume(parent, rank);
    MPI_Comm_disconnect(&parent);
  }
  MPI_Finalize();
  return 0;
}
