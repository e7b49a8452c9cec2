/* nccl.h - sgdperf import nccl LOG...: the command, behind its options */
#ifndef TOOLS_CMD_IMPORT_NCCL_H
#define TOOLS_CMD_IMPORT_NCCL_H

#include "options/args.h"

int import_nccl(const args *a);

#endif /* TOOLS_CMD_IMPORT_NCCL_H */
