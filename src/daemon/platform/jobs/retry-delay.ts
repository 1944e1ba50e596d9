const maxDelayMs = 30_000
const jitterMs = 500

/**
 * min(1000 ms * 2^failures, 30000 ms) plus up to 500 ms (rules.md 3.2). @param failures in a row, including
 * this one
 */
export function retryDelayMs(failures: number, random: () => number): number {
  return Math.min(1000 * 2 ** failures, maxDelayMs) + random() * jitterMs
}
