/**
 * Number of kills in a test: the `KILLS` variable (`KILLS=50 npm test -- test/endurance/...` tests harder),
 * or a small default that a run of all tests can afford.
 */
export function killsOr(few: number): number {
  return Number(process.env.KILLS ?? few)
}
