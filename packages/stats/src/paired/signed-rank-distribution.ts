/**
 * The exact null distribution of the signed-rank sum: each rank counts with probability 1/2. `doubledRanks` are twice
 * the mid-ranks, so that ties stay whole numbers; entry s of the result is P(sum of doubled ranks = s).
 */
export function signedRankDistribution(doubledRanks: readonly number[]): Float64Array {
  const total = doubledRanks.reduce((sum, rank) => sum + rank, 0);
  const probability = new Float64Array(total + 1);
  probability[0] = 1;
  let reached = 0;
  for (const rank of doubledRanks) {
    reached += rank;
    for (let sum = reached; sum >= 0; sum--) {
      probability[sum] = (probability[sum]! + (sum >= rank ? probability[sum - rank]! : 0)) / 2;
    }
  }
  return probability;
}
