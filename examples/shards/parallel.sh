#!/usr/bin/env bash
# Shards on one machine with GNU parallel, or on several with its --sshlogin:
#   parallel.sh CASES SEED SHARDS [more for checkdam fuzz…]
# A shard that dies is run again.
set -uo pipefail
cases=$1 seed=$2 shards=$3
shift 3
mkdir -p results
shard() {
  number=$1 of=$2
  shift 2
  checkdam fuzz --shard "$number/$of" --threads 1 --results "results/$number.jsonl" \
    --output results/found "$@" > "results/$number.txt"
  status=$?
  # Found something, or cannot tell: that is a result, too.
  [ "$status" -eq 1 ] || [ "$status" -eq 3 ] || return "$status"
}
export -f shard
seq 0 $((shards - 1)) | parallel --joblog results/log --retries 3 \
  shard {} "$shards" --cases "$cases" --seed "$seed" "$@" || exit
checkdam fuzz --merge results/*.jsonl --results merged.jsonl --output found
