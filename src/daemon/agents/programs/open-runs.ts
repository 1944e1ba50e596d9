import { AppError } from '../../../contract/ground/errors.js'
import type { Ground } from '../../ground/ground.js'
import { createDaemonState } from '../../platform/daemon/daemon-state.js'
import type { Worker } from '../../platform/jobs/worker.js'

/** What runs for requests now, by what it works on. */
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
 * Does a piece of work that nobody may do twice at a time. Its signal aborts when the daemon ends.
 * @param key what it works on. @param busy what the second one is told.
 * @throws AppError `conflict` while another one of the key is under way.
 */
export async function runAlone<T>(
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

/** What of that kind is under way. @param start beginning of its keys. @returns the rest of each key. */
export function underWay(deps: Deps, start: string): string[] {
  return [...runsOf(deps).byKey.keys()]
    .filter(key => key.startsWith(start))
    .map(key => key.slice(start.length))
}

/** Ends what runs with the daemon. */
export function createRunsEnd(deps: Deps): Worker {
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
