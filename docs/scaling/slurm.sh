#!/usr/bin/env bash
# Grade a course on a Ray cluster inside one Slurm job:
#   sbatch docs/scaling/slurm.sh cs224n-a4 /shared/uploads --data /shared/data --out /shared/out
# Submit it from the repository. All nodes must see the repository, the virtual environment, the
# uploads, the data and --out under the same paths. If the job is stopped, submit it again to resume.
#SBATCH --job-name=softmark
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --mem-per-cpu=4G
#SBATCH --time=04:00:00
#SBATCH --exclusive
# For --rerun on GPUs add: #SBATCH --gpus-per-node=1
set -euo pipefail

source "${SOFTMARK_VENV:-.venv}/bin/activate"
cores=$SLURM_CPUS_PER_TASK
gpus=${SLURM_GPUS_ON_NODE:-0}
first=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
address=$(srun --nodes=1 --ntasks=1 --nodelist="$first" hostname --all-ip-addresses | awk '{print $1}')
port=$((20000 + SLURM_JOB_ID % 10000))
export RAY_ADDRESS=$address:$port
export RAY_USAGE_STATS_ENABLED=0
# Anyone who can reach Ray's ports can run programs as you, so Ray requires a token. It is in ~/.ray,
# in the home folder that all nodes share.
export RAY_AUTH_MODE=token
ray get-auth-token --generate >/dev/null
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
common=(--num-cpus="$cores" --num-gpus="$gpus" --object-store-memory=100000000 --block)

srun --nodes=1 --ntasks=1 --nodelist="$first" --overlap \
  ray start --head --node-ip-address="$address" --port="$port" \
  --include-dashboard=false "${common[@]}" &
until ray status >/dev/null 2>&1; do sleep 1; done
if [ "$SLURM_JOB_NUM_NODES" -gt 1 ]; then
  srun --nodes=$((SLURM_JOB_NUM_NODES - 1)) --ntasks=$((SLURM_JOB_NUM_NODES - 1)) \
    --exclude="$first" ray start --address="$RAY_ADDRESS" "${common[@]}" &
fi

python grade.py batch "$@" --executor ray --jobs $((cores * SLURM_JOB_NUM_NODES))
