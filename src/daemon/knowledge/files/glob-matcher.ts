import { type Context, createContext, Script } from 'node:vm'
import picomatch from 'picomatch'
import { AppError } from '../../../contract/ground/errors.js'
import { quoted } from '../../../lib/text/clip.js'
import { type PathShape, stepsOf } from './glob-steps.js'

/** What a regular expression tries in a few milliseconds. */
const quickSteps = 200_000
/** Of the processor, for a path. */
const mostMs = 40
/** By the clock; each further try has twice that. */
const firstTryMs = 25
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
 * A clock runs on while the machine is busy with something else: a path is given up for the processor's time that it
 * took, in a second try, as the first one may have been that of another thread.
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
