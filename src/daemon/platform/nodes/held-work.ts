import { AppError } from '../../../contract/ground/errors.js'
import type { HeldName, NodeRow } from '../../../store/tables/platform/nodes.js'
import type { Daemon } from '../daemon/daemon.js'

type Deps = Pick<Daemon, 'store' | 'clock'>

/** A daemon of the team as errors name it. */
export function nameOf({ name, url }: Pick<NodeRow, 'name' | 'url'>): string {
  return `the daemon ${name} (${url})`
}

/**
 * Takes a work on one thing, which no other living daemon does then, until `nodes.release`.
 * @returns undefined, or the other daemon that does it, as errors name it
 */
export async function takeWork({ store, clock }: Deps, name: HeldName): Promise<string | undefined> {
  const { nodes } = store.tables
  if (await nodes.hasDuty(name, clock().toISOString())) return undefined
  const other = await nodes.otherHolder(name)
  return other ? nameOf(other) : 'another daemon'
}

/**
 * Refuses a request about work that another daemon began and alone knows.
 * @param what names the thing in the error. @throws AppError `conflict`
 */
export async function assertNotElsewhere(
  { store }: Pick<Daemon, 'store'>,
  name: HeldName,
  what: string,
): Promise<void> {
  const other = await store.tables.nodes.otherHolder(name)
  if (other) throw new AppError('conflict', `${what} is at ${nameOf(other)}: send this request there`)
}
