import type { DoneName } from '../../../store/tables/platform/meta.js'
import type { Ground } from '../../ground/ground.js'

type Deps = Pick<Ground, 'store' | 'clock'>

/**
 * Whether the last time is at least `everyMs` ago. That time is kept in the database, because a daemon often ends
 * sooner. When the clock was set back, the last time lies ahead: one that is far ahead counts as due.
 * @returns `never` when it was never done.
 */
export async function isDue(
  { store, clock }: Deps,
  name: DoneName,
  everyMs: number,
): Promise<boolean | 'never'> {
  const last = await store.tables.meta.lastDone(name)
  if (last === undefined) return 'never'
  return Math.abs(clock().getTime() - Date.parse(last)) >= everyMs
}

/** Notes that something was done now. */
export async function noteDone({ store, clock }: Deps, name: DoneName): Promise<void> {
  await store.tables.meta.noteDone(name, clock().toISOString())
}
