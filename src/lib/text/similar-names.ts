import { distance } from 'fastest-levenshtein'

const shortestShorthand = 3

/**
 * Returns at most three known names similar to a mistyped one, best first: those with few other letters,
 * those that begin with it, and those with its letters in another order (`sned`) or some more (`srch`).
 */
export function similarNames(name: string, known: readonly string[]): string[] {
  const limit = Math.max(1, Math.floor(name.length / 3))
  return known
    .map(candidate => ({ candidate, edits: distance(name, candidate) }))
    .filter(
      ({ candidate, edits }) =>
        edits <= limit ||
        candidate.startsWith(name) ||
        isShorthand(name, candidate) ||
        isShuffled(name, candidate),
    )
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** Returns true if a name has letters of another one in their order, and the same first one. */
function isShorthand(name: string, candidate: string): boolean {
  if (name.length < shortestShorthand || name[0] !== candidate[0]) return false
  let at = 0
  for (const letter of candidate) if (letter === name[at]) at++
  return at === name.length
}

function isShuffled(name: string, candidate: string): boolean {
  return [...name].sort().join('') === [...candidate].sort().join('')
}
