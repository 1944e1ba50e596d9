import type { DoneName } from '../../../store/tables/platform/meta.js'
import type { Ground } from '../../ground/ground.js'

type Deps = Pick<Ground, 'store' | 'clock'>

/**
 * Whether something was last done so long ago. The time stands in the database, since a daemon seldom lives that long; a
 * clock that was set back does not put the next time off for long.
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
