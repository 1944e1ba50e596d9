import { createHash } from 'node:crypto'
import type { ClientConfig } from 'pg'
import { tlsOf } from './tls.js'

/** Which database and schema a workspace is in. */
export interface PostgresSettings {
  /** `postgres://user:password@host:port/database?sslmode=verify-full&sslrootcert=FILE` */
  url: string
  schema: string
  /** Other daemons serve the schema at the same time: each transaction takes the lock of those that write. */
  shared?: boolean
  /** The daemon among them, under the same name at each start. */
  node?: string
}

/** A connection that writes: its commits wait for the disk, or they do not. */
export type Session = 'firm' | 'loose'

export const connectMs = 5000
const answerMs = 30_000

/** The connection of a URL. @throws StoreRefused as `tlsOf` */
export function connectionOf({ url, schema }: PostgresSettings): ClientConfig {
  return {
    ...tlsOf(url),
    application_name: `memory-service ${schema}`,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: parserOf },
  }
}

/** The database and schema in words, without the password. */
export function placeOf({ url, schema }: PostgresSettings): string {
  const { hostname, port, pathname, searchParams } = new URL(url)
  const host = hostname || searchParams.get('host') || 'localhost'
  return `schema ${schema} of ${decodeURIComponent(pathname.slice(1)) || 'the default database'} on ${host}${port ? `:${port}` : ''}`
}

/**
 * The number of the lock that a connection of a daemon has on a schema; locks are those of a database.
 * @param daemon the one whose own lock it is, if several serve the schema
 */
export function lockKeyOf(schema: string, connection: Session, daemon = ''): string {
  return keyOf([schema, ...(connection === 'firm' ? [] : ['loose']), ...(daemon === '' ? [] : [daemon])])
}

/** The number of the lock that each transaction has when several daemons serve a schema. */
export function writerKeyOf(schema: string): string {
  return keyOf([schema, 'writer'])
}

function keyOf(parts: readonly string[]): string {
  const name = `memory-service ${parts.join('\n')}`
  return createHash('sha256').update(name).digest().readBigInt64BE().toString()
}

const oid = { bytes: 17, int8: 20, int2: 21, int4: 23, float4: 700, float8: 701, numeric: 1700, bool: 16 }
const numbers: ReadonlySet<number> = new Set([
  oid.int8,
  oid.int2,
  oid.int4,
  oid.float4,
  oid.float8,
  oid.numeric,
])
const asIs = (text: string): string => text

/** Every number of ours is below 2^53, so all become numbers; times and JSON are texts. */
function parserOf(type: number): (text: string) => never {
  const parser = numbers.has(type)
    ? Number
    : type === oid.bytes
      ? (text: string) => Buffer.from(text.slice(2), 'hex')
      : type === oid.bool
        ? (text: string) => (text === 't' ? 1 : 0)
        : asIs
  return parser as (text: string) => never
}
