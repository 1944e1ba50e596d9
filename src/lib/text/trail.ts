/** Joins the known parts of a location, outermost first: `Runbook > Deploying > page 3`. */
export function trail(steps: readonly (string | null | undefined)[]): string {
  return steps.filter(Boolean).join(' > ')
}
