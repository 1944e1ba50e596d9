import { setTimeout as delay } from 'node:timers/promises'
import pg, { type Client, type ClientBase, type Pool, type QueryArrayResult } from 'pg'
import { StoreInUse } from '../faults.js'
import type { Query } from '../sql/direct-executor.js'
import { textBehind } from '../sql/packed.js'
import { faultOf, openingFault } from './errors.js'
import { connectionOf, lockKeyOf, type PostgresSettings, placeOf } from './settings.js'

/** The connections of a store: two that write in turn, and some that read. */
export interface Sessions {
  /** The connection whose commits wait for the disk; it has the lock of the schema. */
  firm(): Promise<Client>
  /** The connection whose commits do not wait. */
  loose(): Promise<Client>
  readers: Pool
  close(): Promise<void>
}

/** Connections that only read. */
export const mostReaders = 4
/** A read may wait for a connection that others use, and so longer than for the server alone. */
const readerWaitMs = 20_000
/** A daemon that was killed leaves its lock until the server notices. */
const lockTries = 10
const lockPauseMs = 300

/** Prepares connections, which are made when they are used, and again when they were lost. */
export function openSessions(to: PostgresSettings): Sessions {
  const begin = (client: ClientBase, more = ''): Promise<unknown> =>
    client.query(`SET search_path TO ${client.escapeIdentifier(to.schema)}; SET lock_timeout TO '3s';
      SET idle_in_transaction_session_timeout TO '30s'; SET statement_timeout TO '60s';
      SET TimeZone TO 'UTC'; SET jit TO off; ${more}`)
  const kept = new Map<string, { client: Client; isOver: boolean }>()
  const opened = async (name: string, prepare: (client: Client) => Promise<unknown>): Promise<Client> => {
    const known = kept.get(name)
    if (known && !known.isOver) return known.client
    const client = new pg.Client(connectionOf(to))
    const state = { client, isOver: false }
    const over = (): void => {
      state.isOver = true
    }
    client.on('error', over)
    client.on('end', over)
    try {
      await client.connect()
      await prepare(client)
    } catch (error) {
      over()
      await client.end().catch(() => undefined)
      throw error
    }
    kept.set(name, state)
    return client
  }
  const firm = (): Promise<Client> =>
    opened('firm', async client => {
      await begin(client)
      await takeLock(client, to)
    })
  const readers = new pg.Pool({
    ...connectionOf(to),
    max: mostReaders,
    connectionTimeoutMillis: readerWaitMs,
    idleTimeoutMillis: 60_000,
    onConnect: async client => void (await begin(client)),
  })
  // A reader that was lost while idle is replaced at the next read.
  readers.on('error', () => undefined)
  return {
    firm,
    loose: async () => {
      // The lock first: a daemon that lost its schema writes nothing.
      await firm()
      return opened('loose', client => begin(client, 'SET synchronous_commit TO off'))
    },
    readers,
    close: async () => {
      const ends = [...kept.values()].filter(({ isOver }) => !isOver).map(({ client }) => client.end())
      await Promise.allSettled([...ends, readers.end()])
    },
  }
}

/** @throws StoreInUse when another daemon has the schema */
async function takeLock(client: Client, to: PostgresSettings): Promise<void> {
  const key = lockKeyOf(to.schema)
  for (let tries = 1; ; tries++) {
    const { rows } = await client.query<{ taken: number }>('SELECT pg_try_advisory_lock($1) AS taken', [key])
    if (rows[0]?.taken === 1) return
    if (tries >= lockTries) break
    await delay(lockPauseMs)
  }
  const { rows } = await client.query<{ address: string | null; since: string }>(
    `SELECT a.client_addr::text AS address, a.backend_start::timestamptz(0)::text AS since FROM pg_locks l
    JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
      AND (l.classid::bigint << 32 | l.objid::bigint) = $1::bigint AND l.database =
        (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [key],
  )
  const holder = rows[0] ? ` (from ${rows[0].address ?? 'this machine'}, since ${rows[0].since})` : ''
  throw new StoreInUse(
    `another daemon${holder} serves ${placeOf(to)}: one daemon at a time may; stop it, or give this workspace its own storage.schema`,
  )
}

/**
 * Works on a connection of its own, which ends with the work.
 * @throws AppError `storage_unavailable`, StoreRefused
 */
export async function onServer<T>(to: PostgresSettings, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connectionOf(to))
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } catch (error) {
    throw openingFault(error, to)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Texts of statements with a name on the server; further ones are parsed each time. */
const mostNames = 400
const names = new Map<string, string>()

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= mostNames || text.length > 20_000) return undefined
  const name = `m${names.size}`
  names.set(text, name)
  return name
}

/** Runs a statement. @throws AppError `storage_unavailable`, or the server's error */
export async function ask(
  client: Pick<Client | Pool, 'query'>,
  { sql, parameters }: Query,
): Promise<{ rows: Record<string, unknown>[]; count: number }> {
  const query = {
    name: nameOf(sql),
    text: sql,
    values: parameters.map(storedValue),
    rowMode: 'array' as const,
  }
  try {
    const result = (await client.query(query)) as QueryArrayResult<unknown[]>
    return { rows: rowsOf(result), count: result.rowCount ?? 0 }
  } catch (error) {
    throw faultOf(error)
  }
}

/** Rows as objects of one shape. The number of a row is not part of it (`rowNumber`). */
function rowsOf({ fields, rows }: QueryArrayResult<unknown[]>): Record<string, unknown>[] {
  const places = fields.flatMap(({ name }, place) => (name === 'rowid' ? [] : [[name, place] as const]))
  return rows.map(values => {
    const row: Record<string, unknown> = {}
    for (const [name, place] of places) row[name] = values[place]
    return row
  })
}

/** A value as the server takes it: packed ids as texts, and no NUL, which its texts cannot contain. */
function storedValue(value: unknown): unknown {
  if (typeof value === 'string') return withoutNul(value)
  if (Array.isArray(value)) return value.map(storedValue)
  if (Buffer.isBuffer(value)) return textBehind(value) ?? value
  return value
}

function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}
