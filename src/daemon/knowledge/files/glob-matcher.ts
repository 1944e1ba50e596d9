import { type Context, createContext, Script } from 'node:vm'
import picomatch from 'picomatch'
import { AppError } from '../../../contract/ground/errors.js'
import { quoted } from '../../../lib/text/clip.js'
import { type PathShape, stepsOf } from './glob-steps.js'

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
          `the patterns ${quoted(globs.join(', '))} take too long for the file ${quoted(path)}: give them fewer * and { }, and no ( )`,
        )
    }
  }
}
