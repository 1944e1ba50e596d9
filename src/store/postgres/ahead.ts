import { createQueryBuilder, type Query, type Run } from '../sql/direct-executor.js'
import type { AheadWork } from '../store.js'
import { createTables, type Tables } from '../tables/tables.js'
import { manyAtOnce, nameOfParameter, postgresDialect } from './compiler.js'

/** Statements of a work that needs no answers. */
interface Statements<Result> {
  queries: readonly Query[]
  /** @param change the newest one, as the transaction committed */
  results(change: number): readonly Result[]
}

type Recorded<Result> = (
  work: (tables: Tables) => ReturnType<AheadWork<unknown, Result>>,
) => Promise<Statements<Result> | undefined>

/** The name by which statements of a transaction read the number of the change before it. */
const changeBefore = 'memory.change_before'

/** Lets statements of the transaction read the number of the change before it. */
export const noteChangeBefore = `SELECT set_config('${changeBefore}', value::numeric::bigint::text, true)
  FROM meta WHERE key = 'change'`

/*
 * Numbers of the change sequence in a transaction whose statements are sent before the server has answered
 * any. The server knows the number of the change before it, so a statement names only the distance from that.
 * Here such a distance is a number beyond all real ones: the code that counts changes counts it like these.
 */

const beyond = 2 ** 52

/**
 * Returns a function that collects the statements of one work after the other. They are sent together with
 * the commit, so the lock that other daemons wait for is never held while the server waits for this one.
 */
export function createRecorder(
  node: string | null,
): <Result>(...given: Parameters<Recorded<Result>>) => ReturnType<Recorded<Result>> {
  let queries: Query[] = []
  let taken = 0
  const note: Run = async query => {
    queries.push(query)
    return { rows: [], numAffectedRows: 0n }
  }
  const take = (count: number): number => {
    const first = upcomingAfter(taken)
    taken += count
    return first
  }
  const tables = createTables(
    createQueryBuilder(note, manyAtOnce(note, nameOfUpcoming), postgresDialect, take),
    node,
  )
  return async work => {
    queries = []
    taken = 0
    const settle = await work(tables)
    const count = taken
    return (
      settle && {
        queries,
        results: change => settle(upcoming => change - count + (placeOfUpcoming(upcoming) ?? Number.NaN)),
      }
    )
  }
}

/** Names a parameter of an insert; of an upcoming number the server gets the distance. */
function nameOfUpcoming(parameters: unknown[], at: number): string {
  const name = nameOfParameter(parameters, at)
  const distance = placeOfUpcoming(parameters[at])
  if (distance === undefined) return name
  parameters[at] = distance
  return `current_setting('${changeBefore}')::bigint + ${name}`
}

/** Returns the number of the first of further changes, after those that were taken before. */
function upcomingAfter(taken: number): number {
  return beyond + taken + 1
}

/** Returns the distance from the change before the transaction; undefined for any other value. */
function placeOfUpcoming(value: unknown): number | undefined {
  return typeof value === 'number' && value > beyond ? value - beyond : undefined
}
