import type { Logger } from 'pino'
import { within } from '../../../lib/concurrency/stop-waiting.js'
import type { SharedChanges, Store } from '../../../store/store.js'
import { overlap } from './index-build.js'

/** Follows the changes of all daemons that serve one database (postgres.md#what-is-promised). */
export interface FollowedChanges {
  /** The indexes of this daemon have all changes up to this one. */
  applied(): number
  /** The newest change that was there when this daemon last committed. */
  committed(): number
  /** Waits up to a second until the indexes have a change. @returns whether they have it */
  reached(change: number): Promise<boolean>
  /** Waits up to a second until the indexes have all that is committed now. @returns whether they have it */
  caughtUp(): Promise<boolean>
  /** How long the indexes may lack changes: the time since the last look that got all. */
  behindMs(): number
  /** Begins with the next change; call it before the indexes are filled. */
  start(): Promise<void>
  close(): Promise<void>
}

interface FollowedIndex {
  catchUp(after: number): Promise<void>
}

export interface FollowOptions {
  store: Pick<Store, 'tables'>
  changes: SharedChanges
  /** The index whose rows may be deleted with no more trace than an event of the history. */
  memories: FollowedIndex & { remove(id: string): void }
  others: readonly FollowedIndex[]
  /** Takes the settings of the team, after they changed. @param change their number */
  onSettings(change: number): Promise<void>
  /** Reads other kept rows again: at most once a second, after changes of any daemon. */
  onChange(): Promise<void>
  /** Ends the daemon: the database has fewer changes than it had. */
  onLost(why: string): void
  log: Logger
}

/** A notice may be lost. */
const lookEveryMs = 1000
const waitMs = 1000
/** From a pass for a notice to the next one: others that save without a pause give one each 20 ms. */
const restMs = 100
/** Longer than a connection that hangs is found. */
const mayBeBehindMs = 10_000

/** Returns how far a daemon is behind the others, in seconds; undefined while it follows them. */
export function secondsBehind(changes: FollowedChanges | undefined): number | undefined {
  const ms = changes?.behindMs() ?? 0
  return ms > mayBeBehindMs ? Math.round(ms / 1000) : undefined
}

/** Creates the feed of changes, which reads nothing until it is started. */
export function followChanges(options: FollowOptions): FollowedChanges {
  const { changes, log } = options
  const at: Reached = { change: 0, event: 0 }
  let timer: NodeJS.Timeout | undefined
  const life = { isClosed: false, knewAllAt: performance.now() }
  const read = async (again: number): Promise<void> => {
    const begunAt = performance.now()
    try {
      if (life.isClosed) return
      await readChanges(options, at, again)
      life.knewAllAt = begunAt
    } catch (error) {
      // The next look reads it.
      if (!life.isClosed) log.warn({ err: error }, 'changes of other daemons not read')
    }
  }
  const { pass, last } = createPasses(read)
  const passInTime = (): Promise<boolean> =>
    within(pass(), waitMs, () => new Error('late')).then(
      () => true,
      () => false,
    )
  const notice = noticed(change => {
    const isNews = !life.isClosed && change > at.change
    if (isNews) void pass()
    return isNews
  })
  let known = 0
  const look = async (): Promise<void> => {
    await pass(overlap)
    if (life.isClosed || known === at.change) return
    known = at.change
    await options.onChange().catch(error => log.warn({ err: error }, 'rows of other daemons not read'))
  }
  return {
    applied: () => at.change,
    committed: changes.committed,
    reached: async change => {
      if (at.change < change) await passInTime()
      return at.change >= change
    },
    caughtUp: passInTime,
    behindMs: () => performance.now() - life.knewAllAt,
    start: async () => {
      const { meta, history } = options.store.tables
      Object.assign(at, { event: await history.newest(), change: await meta.lastChange() })
      if (life.isClosed || timer) return
      life.knewAllAt = performance.now()
      changes.listen(notice)
      timer = setInterval(() => void look(), lookEveryMs).unref()
    },
    close: async () => {
      life.isClosed = true
      clearInterval(timer)
      await last()
    },
  }
}

/** Reads at once after a rest, else at its end: a pass is some eight statements, whatever it finds. */
function noticed(read: (change: number) => boolean): (change: number) => void {
  const state = { newest: 0, isResting: false }
  const notice = (change: number): void => {
    state.newest = Math.max(state.newest, change)
    if (state.isResting || !read(state.newest)) return
    state.isResting = true
    setTimeout(() => {
      state.isResting = false
      notice(0)
    }, restMs).unref()
  }
  return notice
}

/** Runs one pass at a time. */
function createPasses(read: (again: number) => Promise<void>) {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  /** A pass that begins after the call; those who ask while one is running share the next one. */
  const pass = (again = 0): Promise<void> => {
    if (!running) {
      running = read(again).finally(() => {
        running = undefined
      })
      return running
    }
    next ??= running.then(() => {
      next = undefined
      return pass(again)
    })
    return next
  }
  return { pass, last: () => next ?? running }
}

interface Reached {
  change: number
  /** The number of the last event of the history. */
  event: number
}

/** Numbers of changes follow commits without a gap, so all up to the newest one are there. */
async function readChanges(options: FollowOptions, at: Reached, again: number): Promise<void> {
  const { store, memories, others, onLost } = options
  const { meta, history } = store.tables
  const { change, settings } = await meta.news()
  if (change < at.change) return onLost('the database server lost changes that this daemon has seen')
  await options.onSettings(settings)
  if (change === at.change) return
  const upTo = await history.newest()
  const from = Math.max(0, at.change - again)
  await Promise.all([memories, ...others].map(index => index.catchUp(from)))
  if (upTo > at.event)
    for (const id of await history.deletedIn({ after: at.event, upTo })) memories.remove(id)
  Object.assign(at, { change, event: upTo })
}
