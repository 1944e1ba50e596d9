import { distance } from 'fastest-levenshtein'

/** Returns at most three known names similar to a mistyped one, best first. */
export function similarNames(name: string, known: readonly string[]): string[] {
  const limit = Math.max(1, Math.floor(name.length / 3))
  return known
    .map(candidate => ({ candidate, edits: distance(name, candidate) }))
    .filter(({ candidate, edits }) => edits <= limit || candidate.startsWith(name))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}
