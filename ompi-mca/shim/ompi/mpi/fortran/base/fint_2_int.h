// SPDX-License-Identifier: BSD-3-Clause
// In place of a header that Debian does not ship and that ompi/op/op.h includes. An INTEGER of
// Fortran is an int on all platforms that it is built for.
#pragma once

#define OMPI_INT_2_FINT(number) (number)
#define OMPI_FINT_2_INT(number) (number)
