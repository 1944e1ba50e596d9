import { AppError } from '../../../contract/ground/errors.js'
import type { Ground } from '../../ground/ground.js'
import { createDaemonState } from '../../platform/daemon/daemon.js'
import type { Worker } from '../../platform/jobs/worker.js'

/** Running work of requests, by the key of its subject. */
interface OpenRuns {
  stop: AbortController
  byKey: Map<string, Promise<unknown>>
}

type Deps = Pick<Ground, 'store'>

const all = createDaemonState<OpenRuns>()

function runsOf(deps: Deps): OpenRuns {
  return all.ofOrMade(deps, () => ({ stop: new AbortController(), byKey: new Map() }))
}

/**
 * Runs work that must not run twice at once for the same key. Its signal aborts when the daemon stops.
 * @param key names the subject of the work. @param busy error message for a second caller.
 * @throws AppError `conflict` while work with the same key is running.
 */
export async function runExclusively<T>(
  deps: Deps,
  { key, busy }: { key: string; busy: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { stop, byKey } = runsOf(deps)
  if (byKey.has(key)) throw new AppError('conflict', busy)
  const run = work(stop.signal)
  byKey.set(key, run)
  try {
    return await run
  } finally {
    byKey.delete(key)
  }
}

/** Lists the running keys that begin with `start`. @returns the rest of each key. */
export function runningKeys(deps: Deps, start: string): string[] {
  return [...runsOf(deps).byKey.keys()]
    .filter(key => key.startsWith(start))
    .map(key => key.slice(start.length))
}

/** Creates the worker that aborts running work when the daemon stops. */
export function createRunsWorker(deps: Deps): Worker {
  const { stop, byKey } = runsOf(deps)
  return {
    start: () => undefined,
    busy: () => byKey.size > 0,
    close: async () => {
      stop.abort()
      await Promise.allSettled(byKey.values())
    },
  }
}
