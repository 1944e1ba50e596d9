import type { DoneName } from '../../../store/tables/platform/meta.js'
import type { Ground } from '../../ground/ground.js'

type Deps = Pick<Ground, 'store' | 'clock'>

/**
 * Whether a time is at least so long ago; none always is. When the clock was set back the time lies ahead: one that is
 * far ahead counts too.
 * @param since ISO time, or milliseconds.
 */
export function isPast(since: string | number | null | undefined, ms: number, now: Date): boolean {
  if (since === null || since === undefined) return true
  return Math.abs(now.getTime() - new Date(since).getTime()) >= ms
}

/**
 * Whether the last time is at least `everyMs` ago. That time is kept in the database, because a daemon often ends
 * sooner.
 * @returns `never` when it was never done.
 */
export async function isDue(
  { store, clock }: Deps,
  name: DoneName,
  everyMs: number,
): Promise<boolean | 'never'> {
  const last = await store.tables.meta.lastDone(name)
  return last === undefined ? 'never' : isPast(last, everyMs, clock())
}

/** Notes that something was done now. */
export async function noteDone({ store, clock }: Deps, name: DoneName): Promise<void> {
  await store.tables.meta.noteDone(name, clock().toISOString())
}
