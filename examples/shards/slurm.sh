#!/usr/bin/env bash
# Four shards as a job array: sbatch slurm.sh
# When all are done: checkdam fuzz --merge results/*.jsonl
#SBATCH --job-name=checkdam-fuzz
#SBATCH --array=0-3
#SBATCH --cpus-per-task=4
#SBATCH --mem=1G
#SBATCH --time=01:00:00
#SBATCH --requeue
set -u
mkdir -p results
shard="$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
checkdam fuzz --cases 100000 --seed 1 --shard "$shard" --threads "$SLURM_CPUS_PER_TASK" \
  --results "results/$SLURM_ARRAY_TASK_ID.jsonl" --output results/found
status=$?
# Found something: that is a result too, and no reason to run it again.
[ "$status" -eq 1 ] && exit 0
exit "$status"
