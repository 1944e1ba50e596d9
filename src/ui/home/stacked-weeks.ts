export interface Week {
  week: string
  types: Readonly<Record<string, number>>
}

/** One type, or all remaining ones. */
export interface Stack {
  type: string
  /** Opacity of the accent colour, 0 to 1. */
  share: number
  /** Upper end of its segment in each week's bar. */
  tops: readonly number[]
}

/** Number of types with their own segment; all others share one. */
const ownSegments = 4
export const otherTypes = 'other'

/** Computes stacked bars of the memories saved each week, with the most frequent type at the bottom. */
export function stackedWeeks(weeks: readonly Week[]): Stack[] {
  const totals = new Map<string, number>()
  for (const { types } of weeks)
    for (const [type, count] of Object.entries(types)) totals.set(type, (totals.get(type) ?? 0) + count)
  const byTotal = [...totals].sort(([a, some], [b, others]) => others - some || (a < b ? -1 : 1))
  const types = byTotal.map(([type]) => type)
  const first = new Set(types.length > ownSegments + 1 ? types.slice(0, ownSegments) : types)
  const named = types.length > first.size ? [...first, otherTypes] : [...first]
  const tops = weeks.map(() => 0)
  return named.map((type, position) => {
    for (const [at, week] of weeks.entries()) tops[at] = (tops[at] ?? 0) + countOf(week, type, first)
    return { type, share: 1 - position / named.length, tops: [...tops] }
  })
}

function countOf({ types }: Week, type: string, ownSegments: ReadonlySet<string>): number {
  if (ownSegments.has(type)) return types[type] ?? 0
  return Object.entries(types).reduce(
    (sum, [other, count]) => (ownSegments.has(other) ? sum : sum + count),
    0,
  )
}
