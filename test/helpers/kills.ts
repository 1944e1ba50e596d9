/**
 * How often a test kills what it looks at: `KILLS` times where that is set (`KILLS=50 npm test -- test/endurance/...` looks
 * harder), otherwise as often as every run of all tests can afford.
 */
export function killsOr(few: number): number {
  return Number(process.env.KILLS ?? few)
}
