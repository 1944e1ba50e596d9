import pg, { type ClientBase, type ClientConfig, type Pool, type PoolClient, type PoolConfig } from 'pg'
import type { Query } from '../sql/direct-executor.js'
import { faultOf, isOutdated, wasLate } from './errors.js'
import { type Answer, ask } from './statements.js'
import { connectLimit } from './watch.js'

/** The connections of a store that only read. */
export interface Readers {
  ask(query: Query): Promise<Answer>
  /** Lends a connection. */
  connect(): Promise<PoolClient>
  counts(): { open: number; idle: number; waiting: number; most: number }
  /** Waits for the reads that were asked before; those that follow fail. */
  end(): Promise<void>
}

/** Fixed statements share connections, so they need few. */
const most = { planned: 2, fixed: 2 }
export const mostReaders = most.planned + most.fixed
/** A read may wait for a connection that others use, and so longer than for the server alone. */
const waitMs = 20_000

/**
 * Prepares connections, which are made when they are used. Some plan a statement once for any values, since
 * planning a fixed one for its values takes longer than running it.
 * @param begin is called with each new connection, and with its further settings
 */
export function openReaders(
  connection: PoolConfig,
  begin: (client: ClientBase, more: string) => Promise<unknown>,
): Readers {
  const limit = connectLimit()
  class Reader extends pg.Client {
    constructor(config?: ClientConfig) {
      super({ ...config, connectionTimeoutMillis: limit.ms })
    }
  }
  const open = (max: number, more: string): Pool => {
    const pool = new pg.Pool({
      ...{ ...connection, Client: Reader },
      ...{ max, connectionTimeoutMillis: waitMs, idleTimeoutMillis: 60_000 },
      // A statement may be sent before an earlier one is answered.
      pipeline: true,
      onConnect: async client => void (await begin(client, more)),
    })
    // A reader that was lost while idle is replaced at the next read; one in use fails its statement.
    pool.on('error', () => undefined)
    pool.on('connect', client => {
      limit.made()
      client.on('error', () => undefined)
    })
    return pool
  }
  const planned = open(most.planned, '')
  const fixed = open(most.fixed, 'SET plan_cache_mode TO force_generic_plan')
  const { lent, over } = lending(limit)
  const [askPlanned, askFixed] = [asking(lent(planned), false), asking(lent(fixed), true)]
  const pools = [planned, fixed]
  const sum = (count: (pool: Pool) => number): number => pools.reduce((all, pool) => all + count(pool), 0)
  return {
    ask: query => (query.isFixed ? askFixed(query) : askPlanned(query)),
    connect: lent(planned),
    counts: () => ({
      open: sum(pool => pool.totalCount),
      idle: sum(pool => pool.idleCount),
      waiting: sum(pool => pool.waitingCount),
      most: mostReaders,
    }),
    end: async () => {
      await over()
      await Promise.all(pools.map(pool => pool.end()))
    },
  }
}

/** Lends connections of pools. A pool that ends never answers those that wait for one, so they come first. */
function lending(limit: ReturnType<typeof connectLimit>) {
  const waiting = new Set<Promise<PoolClient>>()
  let isOver = false
  return {
    lent: (pool: Pool) => async (): Promise<PoolClient> => {
      if (isOver) throw new Error('the store is closed')
      const client = pool.connect()
      waiting.add(client)
      try {
        return await client
      } catch (error) {
        if (wasLate(error)) limit.missed()
        throw faultOf(error)
      } finally {
        waiting.delete(client)
      }
    },
    /** Lends no more, and waits for those that asked before. */
    over: async (): Promise<void> => {
      isOver = true
      await Promise.allSettled(waiting)
    },
  }
}

/** A connection that is lent, and the statements that wait for their answers on it. */
interface Trip {
  client: Promise<PoolClient>
  open: number
  isBroken: boolean
}

/**
 * Asks on lent connections.
 * @param together statements that are asked in one turn of the event loop go to one connection, each without
 * waiting for the answer of the one before: a server with few processors would only wake more processes
 */
function asking(lend: () => Promise<PoolClient>, together: boolean): (query: Query) => Promise<Answer> {
  let joined: Trip | undefined
  const begin = (): Trip => {
    const trip: Trip = { client: lend(), open: 0, isBroken: false }
    if (together) {
      joined = trip
      setImmediate(leave, trip)
    }
    return trip
  }
  const leave = (trip: Trip): void => {
    if (joined === trip) joined = undefined
  }
  const once = async (query: Query): Promise<Answer> => {
    const trip = joined ?? begin()
    trip.open++
    const client = await trip.client
    try {
      return await ask(client, query)
    } catch (error) {
      trip.isBroken = true
      leave(trip)
      throw error
    } finally {
      trip.open--
      if (trip.open === 0) {
        leave(trip)
        client.release(trip.isBroken)
      }
    }
  }
  // All may have a plan for tables that another release changed; the next one to be opened has none.
  const asked = async (query: Query, outdated = 0): Promise<Answer> => {
    try {
      return await once(query)
    } catch (error) {
      if (!isOutdated(error) || outdated >= mostReaders) throw error
      return asked(query, outdated + 1)
    }
  }
  return query => asked(query)
}
