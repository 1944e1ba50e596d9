/** Where a part stands, from the whole down to it, as far as it is known: `Runbook > Deploying > page 3`. */
export function trail(steps: readonly (string | null | undefined)[]): string {
  return steps.filter(Boolean).join(' > ')
}
