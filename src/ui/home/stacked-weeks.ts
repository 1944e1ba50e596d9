export interface Week {
  week: string
  types: Readonly<Record<string, number>>
}

/** One type, or what is left of them. */
export interface Stack {
  type: string
  /** How much of the accent it is drawn in, 0 to 1. */
  share: number
  /** Where its part of each week's bar ends, from the ground up. */
  tops: readonly number[]
}

/** Types that have a part of their own; those with less share one. */
const apart = 4
export const otherTypes = 'other'

/** Bars of what was saved each week, with the types on top of each other: the one with most lies at the ground. */
export function stackedWeeks(weeks: readonly Week[]): Stack[] {
  const totals = new Map<string, number>()
  for (const { types } of weeks)
    for (const [type, count] of Object.entries(types)) totals.set(type, (totals.get(type) ?? 0) + count)
  const byTotal = [...totals].sort(([a, some], [b, others]) => others - some || (a < b ? -1 : 1))
  const types = byTotal.map(([type]) => type)
  const first = new Set(types.length > apart + 1 ? types.slice(0, apart) : types)
  const named = types.length > first.size ? [...first, otherTypes] : [...first]
  const tops = weeks.map(() => 0)
  return named.map((type, position) => {
    for (const [at, week] of weeks.entries()) tops[at] = (tops[at] ?? 0) + countOf(week, type, first)
    return { type, share: 1 - position / named.length, tops: [...tops] }
  })
}

function countOf({ types }: Week, type: string, apart: ReadonlySet<string>): number {
  if (apart.has(type)) return types[type] ?? 0
  return Object.entries(types).reduce((sum, [other, count]) => (apart.has(other) ? sum : sum + count), 0)
}
