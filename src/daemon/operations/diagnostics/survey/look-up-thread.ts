import { workerData } from 'node:worker_threads'
import { openReader } from '../../../../store/sqlite/database.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { answerAll } from '../../../platform/threads/resting-thread.js'
import { type LookUp, lookUps } from './look-ups.js'

/** Entry file of the diagnostics thread, with its own database connection. */
const reader = openReader(workerData as string)

answerAll((name, given) => {
  const lookUp = lookUps[name as LookUp] as (tables: Tables, ...rest: readonly unknown[]) => Promise<unknown>
  return lookUp(reader.tables, ...given)
})
