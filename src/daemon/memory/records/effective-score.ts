const dailyFactor = 0.95

export interface Decaying {
  /** 0 to 1. */
  importance: number
  pinned: boolean
  /** Days since creation; a creation date in the future counts as now. */
  ageDays: number
}

/** What a memory's importance is still worth: 5 % less each day; a pinned one always 1 (rules.md 1.4). */
export function effectiveScore({ importance, pinned, ageDays }: Decaying): number {
  return pinned ? 1 : importance * dailyFactor ** Math.max(0, ageDays)
}
