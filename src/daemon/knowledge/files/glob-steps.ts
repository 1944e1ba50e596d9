/** Alternatives and groups of more globs than anybody writes: what they come to is not told. */
const maxAlternatives = 500
const maxGroups = 20

/** What decides how long a path is tried. */
export interface PathShape {
  length: number
  folders: number
  longestName: number
}

/** Wildcards of a glob without groups. */
interface Wildcards {
  /** `**` that stands for folders. */
  deep: number
  /** In one name each. */
  stars: number[]
  /** What goes on over folders: `**` beside something else, and a character class that repeats. */
  across: number
}

/** Repeats and looks of regular expressions, and signs that take the meaning of a brace or a parenthesis away. */
const untold = /[)}]\+|\(.*\+|\)\?|\(\?|["\\]|\[[^\]]*[(){},|]/u
const innermost = /\{(?<words>[^{}()]*)\}|\((?<choices>[^{}()]*)\)/u

/** In how many ways the wildcards of a glob can share a path, about; endless where that can't be told. */
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

/** The globs that one with braces and parentheses stands for: a path is tried with each of them. */
function alternativesOf(glob: string): string[] | undefined {
  const groups = glob.match(/[({]/gu)?.length ?? 0
  if (groups === 0) return [glob]
  if (groups > maxGroups || untold.test(glob)) return undefined
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
  // A comma in parentheses is a letter, also where those stand in braces.
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

/** Ways to cut `length` places at `cuts` of them. */
function waysToShare(length: number, cuts: number): number {
  let ways = 1
  for (let cut = 1; cut <= cuts; cut++) ways *= (length + cut) / cut
  return ways
}
