# SPDX-License-Identifier: BSD-3-Clause
# Reads mpi.h and writes, for each function of MPI's profiling interface that returns an error code, the one that programs
# call: between enter() and leave(), it calls the former. Also as Fortran has it: there, every argument is an address, and
# the length of each text follows by value, so that a wrapper need not know more of them than their number. MPI's own is
# there at once where the program is linked with Fortran's library, else found_in_private() looks for it.
# Left out: those that open and close MPI, the tools interface, and MPI_Pcontrol, which libtofa-pcontrol.so has.

BEGIN { print "// NOLINTBEGIN" }
END { print "// NOLINTEND" }

function name_of(parameter) {
  gsub(/\[[^]]*\]/, "", parameter)
  sub(/[ \t]+$/, "", parameter)
  sub(/.*[^A-Za-z0-9_]/, "", parameter)
  return parameter
}

function words(count, type,   text, i) {
  for (i = 1; i <= count; ++i) text = text (i > 1 ? ", " : "") type (type == "" ? "" : " ") "a" i
  return text
}

function fortran(symbol, count) {
  print "void p" symbol "(" words(count, "word") ") __attribute__((weak));"
  print "__attribute__((visibility(\"default\"))) void " symbol "(" words(count, "word") ") {"
  print "  static _Atomic(fortran_fn) found;\n  enter();"
  print "  if (p" symbol " != NULL)\n    p" symbol "(" words(count, "") ");"
  print "  else\n    ((void (*)(" words(count, "word") "))found_in_private(\"p" symbol "\", &found))(" words(count, "") ");"
  print "  leave();\n}"
}

function wrap(name, parameters,   list, count, i, names, together, texts, low) {
  count = parameters == "void" ? 0 : split(parameters, list, ",")
  for (i = 1; i <= count; ++i) {
    if (list[i] ~ /^ *[A-Za-z_0-9]+ *$/) list[i] = list[i] " unnamed" i
    together = together (i > 1 ? "," : "") list[i]
    names = names (i > 1 ? ", " : "") name_of(list[i])
    if (list[i] ~ /(^|[^A-Za-z_])char([^A-Za-z_]|$)/) ++texts
  }
  print "int MPI_" name "(" (count > 0 ? together : "void") ") {"
  print "  enter();\n  int rc = PMPI_" name "(" names ");\n  leave();\n  return rc;\n}"
  low = "mpi_" tolower(name)
  fortran(low "_", count + 1 + texts)
  fortran(low "_f08_", count + 1 + texts)
}

/^OMPI_DECLSPEC +int +PMPI_/ { text = ""; reading = 1 }
reading { text = text " " $0 }
reading && /;/ {
  reading = 0
  gsub(/[ \t]+/, " ", text)
  if (text ~ /__mpi_interface_removed__|\.\.\.|PMPI_T_/) next
  match(text, /PMPI_[A-Za-z_0-9]+/)
  name = substr(text, RSTART + 5, RLENGTH - 5)
  if (name ~ /^(Init|Init_thread|Initialized|Finalize|Finalized|Abort)$/) next
  rest = substr(text, RSTART + RLENGTH)
  sub(/^ *\(/, "", rest)
  sub(/\)[^)]*;.*$/, "", rest)
  sub(/\) *__mpi_interface_deprecated__.*$/, "", rest)
  if (!(name in seen)) wrap(name, rest)
  seen[name] = 1
}
