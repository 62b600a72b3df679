#!/usr/bin/env bash
# Runs the programs of docs/library.md, in the folder where they were built: one trains and saves, one answers with what was saved.
set -euo pipefail
./own_problem
./own_training
./embed ring.irn 0.65 0
./embed ring.irn 0 0
# Bad input is one line and code 2.
code=0 && ./embed ring.irn 1 2 3 2>message || code=$?
[[ $code == 2 && $(wc -l <message) == 1 ]]
