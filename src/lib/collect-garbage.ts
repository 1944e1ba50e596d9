import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = () => void

/**
 * A function that has V8 collect everything at once in the thread that calls it, which holds that thread for some tens
 * of milliseconds.
 */
export function garbageCollector(): Collect {
  const known: { collect?: Collect } = {}
  return () => {
    known.collect ??= findCollector()
    known.collect()
  }
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
