export interface Contribution {
  step: string
  effect: 'add' | 'multiply'
  value: number
}

export interface Step extends Contribution {
  /** Evidence before and after the step. */
  from: number
  to: number
}

/** Returns the steps of the evidence in the order of the score: additions first, then multiplications. */
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
