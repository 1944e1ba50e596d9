import type { Socket } from 'node:net'
import pg, { type ClientBase, type QueryResult } from 'pg'
import { connectionOf, connectMs, type PostgresSettings } from './settings.js'

/**
 * Ends connections that hang: the server works on nothing of theirs, and yet no answer arrives, as after a
 * cable was pulled or a firewall forgot them. TCP takes a quarter of an hour to notice. Only the server can
 * tell such a connection from one whose statement is slow, so it is asked by another one.
 */
export interface Watch {
  /** @param pid the process that serves the connection, as the server names it */
  add(client: ClientBase, pid: number): void
  close(): void
}

/**
 * Runs the first statements of a connection. @returns the process that serves it; a pooler between would name
 * another one
 */
export async function pidAfter(client: ClientBase, text: string): Promise<number> {
  const query = { text: `${text}; SELECT pg_backend_pid() AS pid`, query_timeout: connectMs }
  const answers = (await client.query(query)) as unknown as QueryResult<{ pid: number }>[]
  return answers.at(-1)?.rows[0]?.pid ?? 0
}

const lookEveryMs = 500
/** After so many looks without a byte of an expected answer the server is asked, at each further look. */
const silentLooks = 2
/** One answer may still be on its way. */
const idleAnswers = 2
/** One that is idle, or only listens, would be found to hang at its next use. */
const looksBetweenPings = 20
/** A large statement takes its time to arrive. */
const sentEachLook = 100_000

interface Watched {
  client: ClientBase
  pid: number
  /** Statements without their whole answer, and its end. */
  open: number
  /** Received and sent by the last sign of life. */
  received: number
  sent: number
  /** Looks since the last byte. */
  silent: number
  /** How often the server said since then that it works on nothing. */
  idle: number
}

export function watchConnections(to: PostgresSettings): Watch {
  const all = new Set<Watched>()
  const witness = createWitness(to)
  let isLooking = false
  let looks = 0
  const look = async (): Promise<void> => {
    for (const one of all) hear(one)
    const silent = [...all].filter(isSilent)
    looks++
    // When one hangs, the others are likely to hang as well.
    if (silent.length > 0 || looks % looksBetweenPings === 0) for (const one of all) ping(one)
    if (silent.length === 0) return witness.leave()
    const working = await witness.working(silent.map(({ pid }) => pid))
    for (const one of silent) {
      if (working === undefined || hear(one, 0)) continue
      one.idle = working.has(one.pid) ? 0 : one.idle + 1
      if (one.idle >= idleAnswers) streamOf(one.client).destroy()
    }
  }
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    void look().finally(() => {
      isLooking = false
    })
  }, lookEveryMs).unref()
  return {
    add: (client, pid) => {
      const one = { client, pid, open: 0, received: 0, sent: 0, silent: 0, idle: 0 }
      countStatements(one)
      all.add(one)
      client.on('end', () => all.delete(one))
    },
    close: () => {
      clearInterval(timer)
      witness.leave()
    },
  }
}

/** Notes whether bytes arrived since the last look, or none are expected. @returns whether they did */
function hear(one: Watched, looks = 1): boolean {
  const { bytesRead: received, bytesWritten: sent } = streamOf(one.client)
  const isHeard = one.open === 0 || received !== one.received
  if (isHeard) Object.assign(one, { received, sent, silent: 0, idle: 0 })
  else one.silent += looks
  return isHeard
}

function ping({ client, open }: Watched): void {
  if (open === 0 && client.getTransactionStatus() === 'I') client.query('SELECT 1').catch(() => undefined)
}

function isSilent({ client, silent, sent }: Watched): boolean {
  return silent > silentLooks + (streamOf(client).bytesWritten - sent) / sentEachLook
}

/** A connection that ends waits for an answer as well. */
function countStatements(one: Watched): void {
  const client = one.client as pg.Client
  const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
  const end = client.end.bind(client)
  client.end = ((...given: Parameters<typeof end>) => {
    one.open++
    return end(...given)
  }) as typeof client.end
  const over = (): void => {
    one.open--
  }
  client.query = ((...given: unknown[]) => {
    one.open++
    const answer = query(...given)
    answer.then(over, over)
    return answer
  }) as typeof client.query
}

/** The types name no socket. */
function streamOf(client: ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

/**
 * How long an attempt to connect may take: one that hangs is soon replaced, and a busy server gets more time.
 */
export function connectLimit() {
  const [firstMs, mostMs] = [2000, 8000]
  const limit = {
    ms: firstMs,
    made: (): void => {
      limit.ms = firstMs
    },
    missed: (): void => {
      limit.ms = Math.min(2 * limit.ms, mostMs)
    },
  }
  return limit
}

/** A connection that asks what the server does for others; it lasts only while some are silent. */
function createWitness(to: PostgresSettings) {
  let kept: pg.Client | undefined
  const limit = connectLimit()
  const leave = (): void => {
    const left = kept
    kept = undefined
    left?.end().catch(() => undefined)
  }
  const connected = async (): Promise<pg.Client> => {
    if (kept) return kept
    const client = new pg.Client({
      ...connectionOf(to),
      ...{ connectionTimeoutMillis: limit.ms, query_timeout: limit.ms },
    })
    kept = client
    client.on('error', () => undefined)
    await client.connect()
    return client
  }
  return {
    /** @returns those that work, and don't wait for their client; undefined if nobody knows */
    working: async (pids: readonly number[]): Promise<ReadonlySet<number> | undefined> => {
      try {
        const { rows } = await (await connected()).query<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE pid = ANY($1)
            AND (state IS NULL OR state IN ('active', 'disabled') AND wait_event_type IS DISTINCT FROM 'Client')`,
          [pids],
        )
        limit.made()
        return new Set(rows.map(({ pid }) => pid))
      } catch {
        limit.missed()
        leave()
        return undefined
      }
    },
    leave,
  }
}
