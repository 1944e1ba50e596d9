const firstMs = 5_000
const longestMs = 3_600_000

/**
 * How long an address that failed is left alone: five seconds, twice as long each time, up to an hour; of that half to
 * all, so that many machines do not come back together; or as long as it asks for, up to the same hour.
 * @param failures in a row, at least one
 * @param random 0 to 1, as Math.random
 */
export function backOffMs(failures: number, askedMs: number, random: () => number): number {
  const growing = Math.min(firstMs * 2 ** Math.min(failures - 1, 20), longestMs)
  return Math.max(Math.round(growing * (0.5 + random() / 2)), Math.min(askedMs, longestMs))
}
