/* sgdperf.c - the program */
#include "base/csv.h"
#include "options/program.h"
#include "cmd/commands.h"
#include "import/import.h"
#ifdef SGDPERF_MPI
#include "jobs/deal_mpi.h"
#endif

int main(int argc, char **argv)
{
#ifdef SGDPERF_MPI
    deal_mpi_begin(&argc, &argv);
#endif
    csv_foreign = import_foreign;
    return program_run(&commands_all, argc, argv);
}
