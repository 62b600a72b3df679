#!/usr/bin/env bash
# irn reproduce from the outside: reproduce.sh PROGRAM SCRATCH_FOLDER
set -uo pipefail
irn=$1 scratch=$2
rm -rf "$scratch" && mkdir -p "$scratch" && cd "$scratch" || exit 1
failures=0

# expect CODE WORDS... -- COMMAND...: the command ends with CODE and says all the words in at most one line.
expect() {
  local code=$1 words=() said status
  shift
  while [[ $1 != -- ]]; do words+=("$1") && shift; done
  shift
  said=$("$@" 2>&1 >/dev/null)
  status=$?
  local ok=1
  [[ $status == "$code" ]] || ok=0
  [[ $code == 0 || $(wc -l <<<"$said") == 1 ]] || ok=0
  for word in "${words[@]}"; do [[ $said == *"$word"* ]] || ok=0; done
  if [[ $ok == 0 ]]; then
    echo "FAILED: $* ended with $status (not $code), saying: $said"
    failures=$((failures + 1))
  fi
}
same() { cmp "$1" "$2" || failures=$((failures + 1)); }

tiny=(--epochs 40 --steps-per-epoch 100 --test-samples 2000 --repeats 2 --quiet)

# What it makes.
expect 0 -- "$irn" reproduce neuron closed-forms --out small --quiet
for file in report.html claims.json claims.md protocol.json; do
  [[ -s small/$file ]] || { echo "FAILED: small/$file is missing" && failures=$((failures + 1)); }
done

# Nonsense: one line, exit code 2, nothing touched.
expect 2 reprodce reproduce -- "$irn" reprodce
expect 2 nueron neuron -- "$irn" reproduce nueron --out small --quiet
expect 2 --foldr -- "$irn" reproduce --foldr x
expect 2 epochs -- "$irn" reproduce neuron --epochs many --out other
expect 2 above -- "$irn" reproduce neuron --epochs 0 --out other
expect 2 seed --out -- "$irn" reproduce neuron --seed 7 --out small --quiet
mkdir foreign && echo mine >foreign/notes
expect 2 "something else" -- "$irn" reproduce neuron --out foreign --quiet
[[ $(ls foreign) == notes ]] || failures=$((failures + 1))
expect 1 cannot -- "$irn" reproduce neuron --out /proc/irn --quiet

# Interrupted and continued, on another number of threads: the same bits as in one go.
expect 0 -- "$irn" reproduce oscillator --out whole --threads 1 "${tiny[@]}"
"$irn" reproduce oscillator --out broken --threads 2 "${tiny[@]}" 2>/dev/null &
sleep 0.3
kill -INT $! 2>/dev/null
wait $!
status=$?
[[ $status == 130 || $status == 0 ]] || { echo "FAILED: an interrupt ended with $status" && failures=$((failures + 1)); }
expect 0 -- "$irn" reproduce oscillator --out broken --threads 2 "${tiny[@]}"
same whole/claims.json broken/claims.json
same whole/oscillator-curves.csv broken/oscillator-curves.csv

# Finished jobs are not repeated.
before=$(stat -c %Y.%i broken/results/* | sort)
expect 0 -- "$irn" reproduce oscillator --out broken "${tiny[@]}"
[[ $before == "$(stat -c %Y.%i broken/results/* | sort)" ]] || { echo "FAILED: a job ran twice" && failures=$((failures + 1)); }

[[ $failures == 0 ]]
