import { type Context, createContext, Script } from 'node:vm'
import picomatch from 'picomatch'
import { AppError } from '../../../contract/ground/errors.js'
import { quoted } from '../../../lib/clip.js'

/** What a regular expression tries in a few milliseconds. */
const quickSteps = 200_000
const mostMs = 50
const guarded = new Script('match()')

/**
 * Whether paths are what some globs name. A glob becomes a regular expression, which may try a long path for ever where
 * it has many wildcards: what is not sure to be quick is stopped by the clock.
 * @throws AppError `validation_failed`, of the matcher, for a path that takes too long
 */
export function globMatcher(
  globs: readonly string[],
  options: picomatch.PicomatchOptions = {},
): (path: string) => boolean {
  // Extended globs repeat each other without end.
  const matches = picomatch([...globs], { ...options, noextglob: true })
  const kept: { context?: Context } = {}
  return path => {
    if (globs.every(glob => stepsFor(glob, path) <= quickSteps)) return matches(path)
    kept.context ??= createContext({})
    kept.context.match = () => matches(path)
    return matchInTime(kept.context, globs, path)
  }
}

/** Groups, which may repeat, and braces that hold folders or braces: what they come to can't be told. */
const untold = /\(|\{[^}]*[/{]/u

/** In how many ways the wildcards of a glob can share a path, about. */
function stepsFor(glob: string, path: string): number {
  if (untold.test(glob)) return Number.POSITIVE_INFINITY
  const folders = path.split('/')
  const longest = Math.max(...folders.map(({ length }) => length))
  const parts = glob.split('/')
  const stars = parts.filter(part => part !== '**').map(part => part.match(/\*+/gu)?.length ?? 0)
  const braces = glob.match(/\{[^}]*/gu) ?? []
  const choices = braces.reduce((all, words) => all * words.split(',').length, 1)
  const deep = waysToShare(folders.length, parts.length - stars.length)
  return stars.reduce((steps, count) => steps * waysToShare(longest, count), deep * choices)
}

/** Ways to cut `length` places at `cuts` of them. */
function waysToShare(length: number, cuts: number): number {
  let ways = 1
  for (let cut = 1; cut <= cuts && ways <= quickSteps; cut++) ways *= (length + cut) / cut
  return ways
}

function matchInTime(context: Context, globs: readonly string[], path: string): boolean {
  try {
    return guarded.runInContext(context, { timeout: mostMs }) as boolean
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new AppError(
      'validation_failed',
      `the patterns ${quoted(globs.join(', '))} take too long for the file ${quoted(path)}: give them fewer * and { }, and no ( )`,
    )
  }
}
