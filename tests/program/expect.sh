# For tests of the program from the outside: SCRIPT PROGRAM SCRATCH_FOLDER sources this, works in an empty scratch folder, and ends
# with [[ $failures == 0 ]].
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
fail() { echo "FAILED: $*" && failures=$((failures + 1)); }

# interrupted COMMAND...: starts it and stops it soon, in good order.
interrupted() {
  "$@" >/dev/null 2>&1 &
  sleep 0.3
  kill -INT $! 2>/dev/null
  wait $!
  local status=$?
  [[ $status == 130 || $status == 0 ]] || fail "an interrupt ended with $status"
}
# not_repeated FOLDER COMMAND...: the command leaves every result in the folder as it is.
not_repeated() {
  local folder=$1 before
  shift
  before=$(stat -c %Y.%i "$folder"/results/* | sort)
  expect 0 -- "$@"
  [[ $before == "$(stat -c %Y.%i "$folder"/results/* | sort)" ]] || fail "a job ran twice"
}
