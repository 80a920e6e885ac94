// SPDX-License-Identifier: BSD-3-Clause
// A PETSc solver: Poisson's equation on a grid in three dimensions by conjugate gradients. Prints
// the norm of every residual and of the solution with all digits, for runs to be compared.
#include <petscdmda.h>
#include <petscksp.h>

static PetscErrorCode print_residual(KSP ksp, PetscInt iteration, PetscReal norm, void* context) {
  (void)ksp;
  (void)context;
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d %.17g\n", (int)iteration, (double)norm));
  PetscFunctionReturn(0);
}

// Seven points, Dirichlet boundaries.
static PetscErrorCode fill(DM grid, Mat matrix) {
  DMDALocalInfo part;
  PetscFunctionBeginUser;
  PetscCall(DMDAGetLocalInfo(grid, &part));
  for (PetscInt k = part.zs; k < part.zs + part.zm; ++k) {
    for (PetscInt j = part.ys; j < part.ys + part.ym; ++j) {
      for (PetscInt i = part.xs; i < part.xs + part.xm; ++i) {
        const MatStencil row = {.i = i, .j = j, .k = k};
        const PetscInt at[3] = {i, j, k};
        const PetscInt end[3] = {part.mx, part.my, part.mz};
        MatStencil columns[7] = {row};
        PetscScalar values[7] = {6};
        PetscInt count = 1;
        for (int d = 0; d < 3; ++d) {
          for (int step = -1; step <= 1; step += 2) {
            if (at[d] + step < 0 || at[d] + step >= end[d]) continue;
            columns[count] = row;
            *(d == 0 ? &columns[count].i : d == 1 ? &columns[count].j : &columns[count].k) += step;
            values[count++] = -1;
          }
        }
        PetscCall(MatSetValuesStencil(matrix, 1, &row, count, columns, values, INSERT_VALUES));
      }
    }
  }
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
  DM grid = NULL;
  Mat matrix = NULL;
  Vec right = NULL;
  Vec solution = NULL;
  KSP solver = NULL;
  PetscReal norm = 0;
  PetscInt side = 48;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-side", &side, NULL));
  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                         DMDA_STENCIL_STAR, side, side, side, PETSC_DECIDE, PETSC_DECIDE,
                         PETSC_DECIDE, 1, 1, NULL, NULL, NULL, &grid));
  PetscCall(DMSetUp(grid));
  PetscCall(DMCreateMatrix(grid, &matrix));
  PetscCall(fill(grid, matrix));
  PetscCall(DMCreateGlobalVector(grid, &right));
  PetscCall(VecDuplicate(right, &solution));
  PetscCall(VecSet(right, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetOperators(solver, matrix, matrix));
  PetscCall(KSPSetType(solver, KSPCG));
  PetscCall(KSPSetTolerances(solver, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPMonitorSet(solver, print_residual, NULL, NULL));
  PetscCall(KSPSetFromOptions(solver));
  PetscCall(KSPSolve(solver, right, solution));
  PetscCall(VecNorm(solution, NORM_2, &norm));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "solution %.17g\n", (double)norm));
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&solution));
  PetscCall(VecDestroy(&right));
  PetscCall(MatDestroy(&matrix));
  PetscCall(DMDestroy(&grid));
  PetscCall(PetscFinalize());
  return 0;
}
