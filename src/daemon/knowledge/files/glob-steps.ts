/** With more alternatives or groups than this, the number of steps is not estimated. */
const maxAlternatives = 500
const maxGroups = 20

/** The properties of a path that determine the number of steps. */
export interface PathShape {
  length: number
  folders: number
  longestName: number
}

/** Wildcards of a glob without groups. */
interface Wildcards {
  /** `**` matching whole folders. */
  deep: number
  /** Number of `*` in each name that has any. */
  stars: number[]
  /** Wildcards that match across folders: `**` next to other characters, and repeated character classes. */
  across: number
}

/**
 * Repetitions and lookarounds of regular expressions, and escapes of braces or parentheses, are not
 * estimated.
 */
const notEstimated = /[)}]\+|\(.*\+|\)\?|\(\?|["\\]|\[[^\]]*[(){},|]/u
const innermost = /\{(?<words>[^{}()]*)\}|\((?<choices>[^{}()]*)\)/u

/**
 * Returns an estimate of the ways to distribute a path over the wildcards of a glob; infinite if it cannot be
 * estimated.
 */
export function stepsOf(glob: string): (path: PathShape) => number {
  const alternatives = alternativesOf(glob)
  if (!alternatives) return () => Number.POSITIVE_INFINITY
  const all = alternatives.map(wildcardsOf)
  return path => {
    let steps = 0
    for (const wildcards of all) steps += waysOf(wildcards, path)
    return steps
  }
}

/** Expands braces and parentheses into separate globs, each of which is tried with a path. */
function alternativesOf(glob: string): string[] | undefined {
  const groups = glob.match(/[({]/gu)?.length ?? 0
  if (groups === 0) return [glob]
  if (groups > maxGroups || notEstimated.test(glob)) return undefined
  let globs = [glob]
  for (let group = 0; group < groups; group++) {
    globs = globs.flatMap(withoutGroup)
    if (globs.length > maxAlternatives) return undefined
  }
  return globs.some(each => /[(){}]/u.test(each)) ? undefined : globs
}

function withoutGroup(glob: string): string[] {
  const group = innermost.exec(glob)
  if (!group) return [glob]
  const { words, choices } = group.groups as Record<string, string | undefined>
  // A comma in parentheses is a literal character, even inside braces.
  const each = words?.split(/[,|]/u) ?? choices?.replaceAll(',', '_').split('|') ?? []
  const before = glob.slice(0, group.index)
  const after = glob.slice(group.index + group[0].length)
  return each.map(word => before + word + after)
}

function wildcardsOf(glob: string): Wildcards {
  const wildcards: Wildcards = { deep: 0, stars: [], across: 0 }
  for (const part of glob.split('/')) {
    const runs = part.match(/\*+|(?<=\])\+/gu) ?? []
    const stars = runs.filter(run => run === '*').length
    if (part === '**') wildcards.deep++
    else wildcards.across += runs.length - stars
    if (stars > 0) wildcards.stars.push(stars)
  }
  return wildcards
}

function waysOf({ deep, stars, across }: Wildcards, path: PathShape): number {
  const over = waysToShare(path.folders, deep) * waysToShare(path.length, across)
  return stars.reduce((steps, count) => steps * waysToShare(path.longestName, count), over)
}

/** Counts the ways to cut `length` positions `cuts` times. */
function waysToShare(length: number, cuts: number): number {
  let ways = 1
  for (let cut = 1; cut <= cuts; cut++) ways *= (length + cut) / cut
  return ways
}
