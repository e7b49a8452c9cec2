/* deal_mpi.h - tasks dealt to the ranks of MPI; only `make mpi` compiles it */
#ifndef TOOLS_JOBS_DEAL_MPI_H
#define TOOLS_JOBS_DEAL_MPI_H

/* To be called first in main. All ranks run the same program on the same inputs (stdin is
 * handed to all); rank 0 deals and prints, the others are silent. With one rank nothing
 * differs from a program without MPI. */
void deal_mpi_begin(int *argc, char ***argv);

#endif /* TOOLS_JOBS_DEAL_MPI_H */
