import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** As V8 gives it: without an argument it collects everything, with one that is undefined, from Node 22 on, what is young. */
type Collect = (options?: { type: 'minor' }) => void

const known: { collect?: Collect } = {}

/**
 * Has V8 collect everything at once in the thread that calls it, which holds that thread for some tens of milliseconds;
 * `minor` only what is young.
 */
export function collectGarbage(options?: { type: 'minor' }): void {
  known.collect ??= findCollector()
  if (options) known.collect(options)
  else known.collect()
}

/** V8 gives it to contexts that are made while the flag is set; with another set of flags it refuses code caches. */
function findCollector(): Collect {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc') as Collect
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
