export interface Contribution {
  step: string
  effect: 'add' | 'multiply'
  value: number
}

export interface Step extends Contribution {
  /** What the evidence was before it, and after. */
  from: number
  to: number
}

/** The evidence as it grows: what is added first, then what multiplies, as the score is made. */
export function waterfallOf(contributions: readonly Contribution[]): Step[] {
  const ordered = [
    ...contributions.filter(({ effect }) => effect === 'add'),
    ...contributions.filter(({ effect }) => effect === 'multiply'),
  ]
  const steps: Step[] = []
  for (const one of ordered) {
    const from = steps.at(-1)?.to ?? 0
    steps.push({ ...one, from, to: one.effect === 'add' ? from + one.value : from * one.value })
  }
  return steps
}
