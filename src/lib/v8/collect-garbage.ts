import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * V8's `gc` function. Without an argument it collects everything; from Node 22 on an undefined argument makes
 * it collect only the young generation.
 */
type Collect = (options?: { type: 'minor' }) => void

const known: { collect?: Collect } = {}

/**
 * Runs a full garbage collection in the calling thread, which blocks it for some tens of milliseconds;
 * `minor` collects only the young generation.
 */
export function collectGarbage(options?: { type: 'minor' }): void {
  known.collect ??= findCollector()
  if (options) known.collect(options)
  else known.collect()
}

/**
 * V8 exposes `gc` in contexts created while the flag is set. The flag is reset, because V8 rejects code
 * caches created under other flags.
 */
function findCollector(): Collect {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc') as Collect
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
