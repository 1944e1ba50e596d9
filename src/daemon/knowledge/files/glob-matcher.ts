import { type Context, createContext, Script } from 'node:vm'
import picomatch from 'picomatch'
import { AppError } from '../../../contract/ground/errors.js'
import { quoted } from '../../../lib/text/clip.js'

/** Steps that a regular expression tries in a few milliseconds. */
const quickSteps = 200_000
/** Limit of processor time per path. */
const mostMs = 40
/** Wall-clock limit of the first try; it doubles with each further one. */
const firstTryMs = 25
const guarded = new Script('match()')

/**
 * Returns a matcher for globs. A glob with many wildcards becomes a regular expression that may backtrack
 * practically forever on a long path; such matches run with a time limit.
 * @throws AppError `validation_failed`, from the matcher, for a path that takes too long
 */
export function globMatcher(
  globs: readonly string[],
  options: picomatch.PicomatchOptions = {},
): (path: string) => boolean {
  // Extended globs can nest repetitions, which makes backtracking unlimited.
  const matches = picomatch([...globs], { ...options, noextglob: true })
  const steps = globs.map(stepsOf)
  const kept: { context?: Context } = {}
  return path => {
    const shape = shapeOf(path)
    if (steps.every(stepsFor => stepsFor(shape) <= quickSteps)) return matches(path)
    kept.context ??= createContext({})
    kept.context.match = () => matches(path)
    return matchInTime(kept.context, globs, path)
  }
}

function shapeOf(path: string): PathShape {
  const names = path.split('/')
  const longestName = names.reduce((longest, { length }) => Math.max(longest, length), 0)
  return { length: path.length, folders: names.length, longestName }
}

/**
 * Matches with a time limit. Wall-clock time also passes while the machine is busy elsewhere, so a path fails
 * only when its processor time exceeds the limit in a second try; another thread may have caused the first.
 */
function matchInTime(context: Context, globs: readonly string[], path: string): boolean {
  for (let timeout = firstTryMs; ; timeout *= 2) {
    const before = process.cpuUsage()
    try {
      return guarded.runInContext(context, { timeout }) as boolean
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      const { user, system } = process.cpuUsage(before)
      if (timeout > firstTryMs && user + system >= mostMs * 1000)
        throw new AppError(
          'validation_failed',
          `the patterns ${quoted(globs.join(', '))} take too long for the file ${quoted(path)}: use fewer * and { }, and no ( )`,
        )
    }
  }
}

/** With more alternatives or groups than this, the number of steps is not estimated. */
const maxAlternatives = 500
const maxGroups = 20

/** The properties of a path that determine the number of steps. */
interface PathShape {
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
function stepsOf(glob: string): (path: PathShape) => number {
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
