import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg, { type Client, type ClientBase } from 'pg'
import { StoreInUse } from '../faults.js'
import { openingFault } from './errors.js'
import { openReaders, type Readers } from './readers.js'
import { connectionOf, lockKeyOf, type PostgresSettings, placeOf, type Session } from './settings.js'
import { hasNoTls, withoutTls } from './tls.js'
import { pidAfter, type Watch, watchConnections } from './watch.js'

/**
 * The connections of a store: two that write in turn, and some that read. Each that writes has a lock of the
 * schema, so that none writes beside another daemon. Where several daemons serve the schema they share that
 * lock, and each has one of its own, so that none writes beside an earlier connection of itself.
 */
export interface Sessions {
  /** Another name at each start. */
  instance: string
  /** The connection whose commits wait for the disk. */
  firm(): Promise<Client>
  /** The connection whose commits do not wait. */
  loose(): Promise<Client>
  /** Ends a connection whose server did not answer; the next use opens another one. */
  discard(client: Client): void
  readers: Readers
  watch: Watch
  close(): Promise<void>
}

/** A daemon that was killed leaves its locks until the server notices. */
const lockTries = 10
const lockPauseMs = 300

/** Pages are in memory or on an SSD, and no statement runs long enough to be compiled. */
export const planning = 'SET random_page_cost TO 1.1; SET jit TO off'
/** Roles and databases may have other settings, by which values would read differently, or locks be lost. */
const asExpected = `SET default_transaction_isolation TO 'read committed'; SET bytea_output TO hex;
  SET extra_float_digits TO 1; SET standard_conforming_strings TO on; SET idle_session_timeout TO 0`
/** A commit waits at least for the disk of the server. */
const waiting = `SELECT set_config('synchronous_commit', 'local', false)
  WHERE current_setting('synchronous_commit') = 'off'`

/**
 * Prepares connections, which are made when they are used, and again when they were lost.
 * @param onLocked is called with each new firm connection
 */
export function openSessions(to: PostgresSettings, onLocked: (client: Client) => Promise<unknown>): Sessions {
  // The server cuts names after 63 bytes, so the part that is sought comes first.
  const instance = randomBytes(8).toString('hex')
  const own = `memory-service ${instance}`
  const connection = { ...connectionOf(to), application_name: `${own} ${to.schema}` }
  const kept = new Map<Session, { client: Client; isOver: boolean }>()
  const watch = watchConnections(to)
  const begin = async (client: ClientBase, more: string): Promise<void> =>
    watch.add(client, await prepare(client, to, more))
  const opened = async (name: Session, more: string): Promise<Client> => {
    const known = kept.get(name)
    if (known && !known.isOver) return known.client
    // A statement may follow BEGIN before that is answered.
    const client = new pg.Client({ ...connection, pipeline: true })
    const state = { client, isOver: false }
    const over = (): void => {
      state.isOver = true
    }
    for (const event of ['error', 'end'] as const) client.on(event, over)
    try {
      await client.connect()
      await begin(client, more)
      await takeLocks(client, to, { name, instance, own, tries: known ? 1 : lockTries })
      if (name === 'firm') await onLocked(client)
    } catch (error) {
      over()
      await client.end().catch(() => undefined)
      throw error
    }
    kept.set(name, state)
    return client
  }
  const readers = openReaders(connection, begin)
  const firm = (): Promise<Client> => opened('firm', waiting)
  return {
    instance,
    firm,
    loose: async () => {
      await firm()
      return opened('loose', 'SET synchronous_commit TO off')
    },
    discard: client => {
      for (const state of kept.values()) if (state.client === client) state.isOver = true
      void client.end().catch(() => undefined)
    },
    ...{ readers, watch },
    close: async () => {
      const ends = [...kept.values()].filter(({ isOver }) => !isOver).map(({ client }) => client.end())
      await Promise.allSettled([...ends, readers.end()])
      watch.close()
    },
  }
}

/**
 * The server ends a connection whose daemon does not answer, with its locks; sooner if others wait.
 * @returns the process that serves it
 */
async function prepare(
  client: ClientBase,
  { schema, shared }: PostgresSettings,
  more: string,
): Promise<number> {
  const text = `SET search_path TO ${client.escapeIdentifier(schema)}; SET lock_timeout TO '3s';
    SET idle_in_transaction_session_timeout TO '${shared ? 5 : 30}s'; SET statement_timeout TO '60s';
    SET tcp_keepalives_idle TO 10; SET tcp_keepalives_interval TO 5; SET tcp_keepalives_count TO 3;
    SET tcp_user_timeout TO 25000; SET TimeZone TO 'UTC'; ${asExpected}; ${planning}; ${more}`
  return pidAfter(client, text)
}

/** Takes the lock of the schema; one that is shared comes with another lock, of the daemon's own. */
async function takeLocks(
  client: Client,
  to: PostgresSettings,
  { name, instance, ...how }: Pick<Lock, 'own' | 'tries'> & { name: Session; instance: string },
): Promise<void> {
  const key = lockKeyOf(to.schema, name)
  if (to.shared)
    await takeLock(client, to, { ...how, key: lockKeyOf(to.schema, name, instance), isShared: false })
  await takeLock(client, to, { ...how, key, isShared: to.shared === true })
}

interface Lock {
  key: string
  /** How the names of the connections of this process begin. */
  own: string
  tries: number
  /** Others may have it too. */
  isShared: boolean
}

/** The connection that has the lock `$1`. */
export const holder = `FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND (l.classid::bigint << 32 | l.objid::bigint) = $1::bigint
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** Counts the daemons whose store is open: each has taken the lock of its second connection. */
export async function serving(client: ClientBase, schema: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`SELECT count(DISTINCT a.pid) AS count ${holder}`, [
    lockKeyOf(schema, 'loose'),
  ])
  return rows[0]?.count ?? 0
}

/** @throws StoreInUse when another daemon has the schema */
async function takeLock(
  client: Client,
  to: PostgresSettings,
  { key, own, tries, isShared }: Lock,
): Promise<void> {
  const how = isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'
  const take = async (): Promise<boolean> => {
    const { rows } = await client.query<{ taken: number }>(`SELECT ${how}($1) AS taken`, [key])
    return rows[0]?.taken === 1
  }
  for (let left = tries; ; left--) {
    if (await take()) return
    // The server has not noticed yet that an earlier connection of this process is gone.
    await client.query(
      `SELECT pg_terminate_backend(a.pid, 2000) ${holder} AND starts_with(a.application_name, $2)`,
      [key, own],
    )
    if (await take()) return
    if (left <= 1) break
    await delay(lockPauseMs)
  }
  const { rows } = await client.query<{ address: string | null; since: string }>(
    `SELECT a.client_addr::text AS address, a.backend_start::timestamptz(0)::text AS since ${holder}`,
    [key],
  )
  const where = rows[0] ? ` (from ${rows[0].address ?? 'this machine'}, since ${rows[0].since})` : ''
  throw new StoreInUse(
    `another daemon${where} serves ${placeOf(to)}: one daemon at a time may, unless all have storage.shared; stop it, or give this workspace its own storage.schema`,
  )
}

/**
 * Works on a connection of its own, which ends with the work.
 * @throws AppError `storage_unavailable`, StoreRefused
 */
export async function onServer<T>(to: PostgresSettings, work: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await onConnection(await settledTls(to), work)
  } catch (error) {
    throw openingFault(error, to)
  }
}

async function onConnection<T>(to: PostgresSettings, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connectionOf(to))
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Finds out how `sslmode=prefer` connects: without TLS where the server offers none. */
export async function settledTls(to: PostgresSettings): Promise<PostgresSettings> {
  const url = withoutTls(to.url)
  if (url === undefined) return to
  try {
    return await onConnection(to, async () => to)
  } catch (error) {
    return hasNoTls(error) ? { ...to, url } : to
  }
}
