#!/usr/bin/env bash
# irn reproduce from the outside: reproduce.sh PROGRAM SCRATCH_FOLDER
source "$(dirname "$0")/expect.sh"

tiny=(--epochs 40 --steps-per-epoch 100 --test-samples 2000 --repeats 2 --quiet)

# What it makes.
expect 0 -- "$irn" reproduce neuron closed-forms --out small --quiet
for file in report.html claims.json claims.md protocol.json run.json; do
  [[ -s small/$file ]] || fail "small/$file is missing"
done
grep -qE "<dt>date</dt><dd>20[0-9]{2}-" small/report.html || fail "the page does not say when it was made"
grep -qE "<dt>took</dt><dd>[0-9.]+ (s|min|h)" small/report.html || fail "the page does not say how long it took"

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
interrupted "$irn" reproduce oscillator --out broken --threads 2 "${tiny[@]}"
expect 0 -- "$irn" reproduce oscillator --out broken --threads 2 "${tiny[@]}"
same whole/claims.json broken/claims.json
same whole/oscillator-curves.csv broken/oscillator-curves.csv

# Finished jobs are not repeated.
not_repeated broken "$irn" reproduce oscillator --out broken "${tiny[@]}"

# How long it took is known if one call computed everything; a call that computes nothing does not change it.
cp whole/run.json before.json
expect 0 -- "$irn" reproduce oscillator --out whole "${tiny[@]}"
same whole/run.json before.json
rm "$(ls whole/results/* | head -1)"
expect 0 -- "$irn" reproduce oscillator --out whole "${tiny[@]}"
[[ ! -e whole/run.json ]] || fail "whole/run.json has the time of results that another call computed"

# --repeats is for curves and sweep; a device that is no device, or not there, is refused, and nothing is made.
expect 0 -- "$irn" reproduce neuron --out repeated --repeats 5 --quiet
grep -q '"sweep-repeats": 5' repeated/protocol.json || fail "--repeats is not for the sweep"
expect 2 --device tpu -- "$irn" reproduce neuron --device tpu --out nowhere --quiet
IRN_CUDA_MODULE=/nowhere expect 2 "cannot be used" -- "$irn" reproduce oscillator --device cuda --out nowhere --quiet
[[ ! -e nowhere ]] || fail "a refused device left a folder"

[[ $failures == 0 ]]
