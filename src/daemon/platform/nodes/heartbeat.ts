import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { NodeRow } from '../../../store/tables/platform/nodes.js'
import type { Daemon } from '../daemon/daemon.js'
import type { Worker } from '../jobs/worker.js'

type Deps = Pick<
  Daemon,
  'store' | 'index' | 'clock' | 'log' | 'version' | 'startedAt' | 'address' | 'environment' | 'auth'
>

/** Tells the daemons that share the database that this one lives, and notices those that ended. */
export interface Heartbeat extends Worker {
  /** Notes this daemon for the others, before it takes work. */
  enter(): Promise<void>
  /** Notes for the others that this daemon ends, without waiting for it. */
  endSoon(): void
  /** Removes it, after its last work. */
  leave(): Promise<void>
}

export interface HeartbeatOptions {
  /** Called at each beat beside other daemons, with the kinds of jobs that may wait for a worker. */
  onWork(kinds: readonly string[]): void
  /** Called when other daemons are gone; `isAlone` when they were the last ones. */
  onGone(isAlone: boolean): Promise<void>
  timers?: Timers
  /** A monotonic clock in milliseconds. */
  monotonic?: () => number
}

const beatEveryMs = 10_000
/** A node is gone after this many beats without a change of its row. */
const missedBeats = 6
/** How long jobs wait that need files of a node that is gone. */
const localJobsWaitMs = 600_000
const lost =
  'it needs files of a daemon that is gone; start that daemon again, then retry the job with memory repair'

/**
 * Beats every ten seconds. Another node lives while its row changes; its time is not compared, because the
 * clocks of machines differ. Without other daemons (`storage.shared`) it does nothing.
 */
export function createHeartbeat(
  deps: Deps,
  { onWork, onGone, timers = systemTimers, monotonic = () => performance.now() }: HeartbeatOptions,
): Heartbeat {
  const { store, log, auth } = deps
  const { own } = store.tables.nodes
  const everyMs = Number(deps.environment.SERVICE_HEARTBEAT_MS) || beatEveryMs
  const others = createOthers(deps, { goneAfterMs: missedBeats * everyMs, monotonic })
  const state = { end: () => {}, beating: undefined as Promise<void> | undefined, noted: Promise.resolve() }
  const life: Life = { stoppingSince: null }
  const beat = async (): Promise<void> => {
    await note(deps, life)
    const { gone, left } = await others.look()
    onWork(await others.returnJobs())
    if (gone > 0) await onGone(left === 0)
  }
  const look = (): void => {
    state.beating ??= beat()
      .catch(error => log.warn({ err: error }, 'heartbeat failed'))
      .finally(() => {
        state.beating = undefined
      })
  }
  return {
    enter: async () => {
      if (own === null) return
      // Its last process may have been killed.
      await store.tables.nodes.release()
      await note(deps, life)
      auth.limiter.divide((await store.tables.nodes.all()).length)
      state.end()
      state.end = timers.every(everyMs, look)
    },
    start: () => undefined,
    endSoon: () => {
      life.stoppingSince ??= deps.clock().toISOString()
      if (own === null) return
      state.noted = note(deps, life).catch(error =>
        log.warn({ err: error }, 'other daemons do not know of the stop'),
      )
    },
    close: async () => {
      state.end()
      await Promise.all([state.beating, state.noted])
    },
    leave: () => store.tables.nodes.leave(),
  }
}

/** The other daemons, as far as this one sees them. */
function createOthers(
  { store, clock, log, auth }: Deps,
  { goneAfterMs, monotonic }: { goneAfterMs: number; monotonic: () => number },
) {
  const seen = new Map<string, { seenAt: string; since: number }>()
  /** Since when nodes are missing that alone can do waiting jobs. */
  const missing = new Map<string, number>()
  const isGone = ({ id, seen_at: seenAt }: NodeRow): boolean => {
    const known = seen.get(id)
    if (known?.seenAt === seenAt) return monotonic() - known.since >= goneAfterMs
    seen.set(id, { seenAt, since: monotonic() })
    return false
  }
  return {
    /** Removes nodes that do not beat any more. */
    look: async () => {
      const { nodes } = store.tables
      const others = (await nodes.all()).filter(({ id }) => id !== nodes.own)
      const gone = others.filter(isGone)
      for (const node of gone) {
        log.warn({ node: node.name, seenAt: node.seen_at }, 'a daemon of this database is gone')
        await nodes.remove(node)
      }
      auth.limiter.divide(1 + others.length - gone.length)
      return { gone: gone.length, left: others.length - gone.length }
    },
    /** Returns the jobs of such nodes to the queue. @returns the kinds that this daemon could do now */
    returnJobs: async (): Promise<string[]> => {
      const now = clock().toISOString()
      const { jobs } = store.tables
      const returned = await jobs.releaseLost(now)
      if (returned > 0) log.warn({ jobs: returned }, 'jobs of a daemon that is gone are in the queue again')
      const awaited = await jobs.awaitedNodes()
      for (const node of missing.keys()) if (!awaited.includes(node)) missing.delete(node)
      for (const node of awaited) {
        const since = missing.get(node) ?? monotonic()
        missing.set(node, since)
        if (monotonic() - since >= localJobsWaitMs) await jobs.giveUpOf(node, lost, now)
      }
      return jobs.dueKinds(now)
    },
  }
}

interface Life {
  /** ISO time since when this daemon ends. */
  stoppingSince: string | null
}

async function note(
  { store, index, clock, version, startedAt, address, environment }: Deps,
  life: Life,
): Promise<void> {
  const { hostname } = await import('node:os')
  const { host, port } = address()
  const name = environment.SERVICE_NODE_NAME || hostname()
  const { change } = await index.stats()
  const row = {
    ...{ name, version, applied: change },
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    started_at: startedAt.toISOString(),
    seen_at: clock().toISOString(),
    stopping_since: life.stoppingSince,
  }
  await store.write({ until: 'executed' }, ({ nodes }) => nodes.beat(row))
}
