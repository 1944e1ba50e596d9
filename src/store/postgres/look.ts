import type { ClientBase } from 'pg'
import type { StorageCheck, StorageServer } from '../../contract/operations/storage.js'
import { StoreRefused } from '../faults.js'
import type { ServerLook } from '../store.js'
import { mostReaders, type Readers } from './readers.js'
import { onServer } from './sessions.js'
import { type PostgresSettings, placeOf } from './settings.js'

// Facts about a server, and what has to be changed before memories can be stored there.

const oldestVersion = 150_000
const bytewise = /^(?:C|POSIX|C\.UTF-?8)$/iu
/** From here on each save is slow: it needs several round trips. */
const slowMs = 10
const slowestMs = 50
/** Connections that a daemon opens: two that write, and those that read. */
const connectionsNeeded = mostReaders + 2
const roundTrips = 5

interface Basics {
  number: number
  version: string
  database: string
  encoding: string
  collation: string
}

/** Checks what every statement relies on. @throws StoreRefused */
export async function checkServer(client: ClientBase, to: PostgresSettings): Promise<void> {
  const fault = basicChecks(await basicsOf(client)).find(({ severity }) => severity === 'error')
  if (fault) throw new StoreRefused(`${placeOf(to)}: ${fault.evidence}; ${fault.fix}`)
}

/**
 * Looks at a server that this daemon does not use yet.
 * @throws AppError `storage_unavailable`, StoreRefused
 */
export function lookFrom(to: PostgresSettings): Promise<ServerLook> {
  return onServer(to, client => lookAt(client, to))
}

/** @param readers the connections of this daemon that read, if it uses the server */
export async function lookAt(
  client: ClientBase,
  to: PostgresSettings,
  readers?: Readers,
): Promise<ServerLook> {
  const basics = await basicsOf(client)
  const { rows } = await client.query<Omit<Facts, 'latencyMs'>>(factsQuery, [to.schema])
  const facts = { ...(rows[0] as Facts), latencyMs: await latencyOf(client) }
  const { database, version, encoding, collation } = basics
  const server: StorageServer = {
    ...{ version, database, encoding, collation },
    schema: to.schema,
    role: facts.role,
    encrypted: facts.encrypted === 1,
    bytes: facts.bytes,
    tables: facts.tables,
    latencyMs: facts.latencyMs,
    connections: { used: facts.used, most: facts.most },
    pool: readers?.counts() ?? null,
  }
  return {
    server,
    checks: [...basicChecks(basics), ...checksOf({ database, ...facts }, to, readers !== undefined)],
  }
}

async function basicsOf(client: ClientBase): Promise<Basics> {
  const { rows } = await client.query<Basics>(
    `SELECT current_setting('server_version_num')::int AS number,
      split_part(current_setting('server_version'), ' ', 1) AS version,
      pg_encoding_to_char(encoding) AS encoding, datname AS database,
      CASE datlocprovider WHEN 'i' THEN 'a locale of ICU' ELSE datcollate END AS collation
    FROM pg_database WHERE datname = current_database()`,
  )
  const [basics] = rows
  if (!basics) throw new Error('the server does not tell its database')
  return basics
}

interface Facts {
  role: string
  is_there: number
  may_create: number
  may_use: number
  is_read_only: number
  encrypted: number
  bytes: number
  tables: number
  used: number
  most: number
  reserved: number
  latencyMs: number
}

type OwnFacts = Facts & Pick<Basics, 'database'>

const factsQuery = `SELECT current_user AS role, n.oid IS NOT NULL AS is_there,
  has_database_privilege(current_database(), 'CREATE') AS may_create,
  COALESCE(has_schema_privilege(n.oid, 'USAGE') AND has_schema_privilege(n.oid, 'CREATE'), FALSE) AS may_use,
  pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool AS is_read_only,
  COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), FALSE) AS encrypted,
  COALESCE((SELECT SUM(pg_total_relation_size(c.oid)) FROM pg_class c
    WHERE c.relnamespace = n.oid AND c.relkind = 'r'), 0)::bigint AS bytes,
  (SELECT count(*) FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind = 'r') AS tables,
  (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
  current_setting('max_connections')::int AS most,
  current_setting('superuser_reserved_connections')::int AS reserved
  FROM (SELECT 1) AS one LEFT JOIN pg_namespace n ON n.nspname = $1`

/** The median of a few round trips, in milliseconds. */
async function latencyOf(client: ClientBase): Promise<number> {
  const times: number[] = []
  for (let trip = 0; trip < roundTrips; trip++) {
    const begun = performance.now()
    await client.query('SELECT 1')
    times.push(performance.now() - begun)
  }
  return Math.round((times.sort((a, b) => a - b)[Math.floor(roundTrips / 2)] ?? 0) * 100) / 100
}

function basicChecks({ number, version, database, encoding, collation }: Basics): StorageCheck[] {
  const isNew = number >= oldestVersion
  const isBytewise = encoding === 'UTF8' && bytewise.test(collation)
  return [
    isNew
      ? { id: 'version', severity: 'ok', evidence: `PostgreSQL ${version}` }
      : {
          id: 'version',
          severity: 'error',
          evidence: `the server is PostgreSQL ${Math.floor(number / 10_000)}, 15 is the oldest that works`,
          fix: 'update the server, or name another one in storage.postgres',
        },
    isBytewise
      ? { id: 'collation', severity: 'ok', evidence: `sorts by ${collation} (${encoding})` }
      : {
          id: 'collation',
          severity: 'error',
          evidence: `the database sorts by ${collation} (${encoding}), and ids must be sorted by their bytes`,
          fix: `create it with: CREATE DATABASE ${database} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'`,
        },
  ]
}

function checksOf(facts: OwnFacts, to: PostgresSettings, isInUse: boolean): StorageCheck[] {
  return [rights(facts, to.schema), latency(facts), connections(facts, isInUse), encryption(facts, to)]
}

function rights(
  { database, is_there, may_create, may_use, is_read_only, role }: OwnFacts,
  schema: string,
): StorageCheck {
  const id = 'rights'
  if (is_read_only === 1)
    return {
      ...{ id, severity: 'error', evidence: 'the server accepts no changes: it is a copy, or read-only' },
      fix: 'name the server that accepts changes in storage.postgres',
    }
  if (is_there === 1 ? may_use === 1 : may_create === 1)
    return { id, severity: 'ok', evidence: `role ${role} may create tables in schema ${schema}` }
  return {
    id,
    severity: 'error',
    evidence: `role ${role} may not create tables in schema ${schema}`,
    fix:
      is_there === 1
        ? `GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`
        : `GRANT CREATE ON DATABASE ${database} TO ${role}`,
  }
}

function latency({ latencyMs }: Facts): StorageCheck {
  const evidence = `${latencyMs} ms there and back`
  if (latencyMs < slowMs) return { id: 'latency', severity: 'ok', evidence }
  return {
    id: 'latency',
    severity: latencyMs < slowestMs ? 'info' : 'warning',
    evidence: `${evidence}: a save takes about seven times that`,
    fix: 'run the daemon near its server',
  }
}

function connections({ used, most, reserved }: Facts, isInUse: boolean): StorageCheck {
  const left = most - reserved - used
  const evidence = `${used} of ${most} connections are in use`
  if (left >= (isInUse ? 1 : connectionsNeeded)) return { id: 'connections', severity: 'ok', evidence }
  return {
    id: 'connections',
    severity: 'warning',
    evidence: `${evidence}; a daemon needs ${connectionsNeeded}`,
    fix: 'raise max_connections, or end connections that nobody needs',
  }
}

/** A server on this machine needs no encryption. */
function encryption({ encrypted }: Facts, { url }: PostgresSettings): StorageCheck {
  const { hostname } = new URL(url)
  if (encrypted === 1) return { id: 'encryption', severity: 'ok', evidence: 'the connection is encrypted' }
  if (/^(?:|localhost|127\.[\d.]+|\[::1\])$/u.test(hostname))
    return { id: 'encryption', severity: 'ok', evidence: 'not encrypted, on this machine' }
  return {
    id: 'encryption',
    severity: 'warning',
    evidence: `the connection to ${hostname} is not encrypted`,
    fix: 'add ?sslmode=verify-full&sslrootcert=FILE to the URL, or sslmode=require without a check of the server',
  }
}
