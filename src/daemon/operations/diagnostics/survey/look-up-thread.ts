import { parentPort, workerData } from 'node:worker_threads'
import { openReader } from '../../../../store/database.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { type LookUpReply, type LookUpRequest, lookUps } from './look-ups.js'

/** Reads the database by a connection of its own; what it is asked is answered one after the other. */
const reader = openReader(workerData as string)
const state = { last: Promise.resolve() }

parentPort?.on('message', (request: LookUpRequest) => {
  state.last = state.last.then(() => answer(request))
})

async function answer({ call, name, given }: LookUpRequest): Promise<void> {
  const lookUp = lookUps[name] as (tables: Tables, ...rest: readonly unknown[]) => Promise<unknown>
  try {
    send({ call, answer: await lookUp(reader.tables, ...given) })
  } catch (error) {
    const { name: kind, code, message } = error as { name: string; code?: string; message: string }
    send({ call, fault: { name: kind, code, message } })
  }
}

function send(reply: LookUpReply): void {
  parentPort?.postMessage(reply)
}
