import { AppError, type ErrorCode } from '../../../contract/ground/errors.js'
import type { StaysAt } from '../../../contract/ground/fields.js'
import { nodeName } from '../../../lib/text/node-states.js'
import type { DutyName, HeldName, NamedNode } from '../../../store/tables/platform/nodes.js'
import type { Daemon } from '../daemon/daemon.js'
import { hasNodeDuty } from '../jobs/periodic-work.js'

type Deps = Pick<Daemon, 'store' | 'clock'>

/** A daemon of the team as errors name it. */
export function nameOf(node: NamedNode): string {
  return `the daemon ${nodeName(namedNode(node))}`
}

/** A row of a daemon as replies name it. */
export function namedNode({ name, url, stopping_since: since }: NamedNode): StaysAt['others'][number] {
  return { name, url, ...(since !== null && { stoppingSince: since }) }
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
 * Works on one thing while no other living daemon does.
 * @throws the error of `refused` when another one does, which it gets as errors name it
 */
export async function whileHeld<T>(
  deps: Deps & Pick<Daemon, 'log'>,
  { name, refused }: { name: HeldName; refused(other: string): AppError },
  work: () => Promise<T>,
): Promise<T> {
  const other = await takeWork(deps, name)
  if (other !== undefined) throw refused(other)
  try {
    return await work()
  } finally {
    await releaseWork(deps, name)
  }
}

/** Notes for the others that this daemon no longer works on something. @throws nothing */
export async function releaseWork(
  { store, log }: Pick<Daemon, 'store' | 'log'>,
  name: HeldName,
): Promise<void> {
  await store.tables.nodes
    .release([name])
    .catch(error => log.warn({ err: error, work: name }, 'work is still noted for other daemons'))
}

/** This daemon, where things of its own are listed, with the others; undefined while it serves alone. */
export async function staysHere({ store }: Pick<Daemon, 'store'>): Promise<StaysAt | undefined> {
  const { nodes } = store.tables
  if (nodes.own === null) return undefined
  const all = await nodes.all()
  const daemon = all.find(({ id }) => id === nodes.own)?.name ?? 'this one'
  return { daemon, others: all.filter(({ id }) => id !== nodes.own).map(namedNode) }
}

/** Names the other daemons of the team; undefined without any. */
export async function othersOf(deps: Pick<Daemon, 'store'>): Promise<string | undefined> {
  return (await staysHere(deps))?.others.map(node => `the daemon ${nodeName(node)}`).join(' or ') || undefined
}

/** Adds to an error about something that is not here which other daemons may have it. */
export async function withOthers(deps: Pick<Daemon, 'store'>, error: AppError): Promise<AppError> {
  const others = await othersOf(deps)
  if (others === undefined) return error
  const hint = `it may be at ${others}, since each daemon of a team keeps its own`
  const { next } = error.fields
  const options = {
    cause: error,
    headers: error.headers,
    fields: { ...error.fields, next: typeof next === 'string' ? `${next}; ${hint}` : hint },
  }
  return new AppError(error.code, `${error.message}; ${hint}`, error.details, options)
}

/** Throws an error; with one of the given codes it names the other daemons, which may have the thing. */
export async function throwNamingOthers(
  deps: Pick<Daemon, 'store'>,
  error: unknown,
  codes: readonly ErrorCode[],
): Promise<never> {
  throw error instanceof AppError && codes.includes(error.code) ? await withOthers(deps, error) : error
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

/**
 * Refuses a request for work with files that another daemon of the team does (`hasNodeDuty`).
 * @param what names the work in the error. @throws AppError `conflict`
 */
export async function assertNodeDuty(
  deps: Deps & Pick<Daemon, 'configuration'>,
  name: DutyName,
  what: string,
): Promise<void> {
  if (await hasNodeDuty(deps, name)) return
  const other = await deps.store.tables.nodes.otherHolder(name)
  const where = other ? nameOf(other) : `the daemon ${deps.configuration().settings.team.node} (team.node)`
  throw new AppError('conflict', `${what} is the work of ${where}: send this request there`)
}
