import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { say } from '../parts/toast.js'

interface Fields {
  pinned?: boolean
  tags?: string[]
}

export interface Change {
  id: string
  to: Fields
  /** What it was, for taking it back. */
  from: Fields
}

/** Memories that one batch of the API takes. */
const batch = 200

/** Changes several memories, says how many it were, and offers to take it back. @throws ApiError */
export async function patchAll(wanted: readonly Change[], deed: string): Promise<void> {
  const done = await patchEach(wanted, ({ to }) => to, 'changed on the web page')
  const undo = done.length > 0 ? () => takeBack(done) : undefined
  const left = wanted.length - done.length
  say(`${deed} ${done.length}${left > 0 ? `, ${left} could not be changed` : ''}`, undo)
}

async function takeBack(done: readonly Change[]): Promise<void> {
  await patchEach(done, ({ from }) => from, 'taken back on the web page')
}

/** @returns those that were changed */
async function patchEach(
  wanted: readonly Change[],
  fieldsOf: (change: Change) => Fields,
  reason: string,
): Promise<Change[]> {
  const done: Change[] = []
  for (let start = 0; start < wanted.length; start += batch) {
    const part = wanted.slice(start, start + batch)
    const patches = part.map(change => ({ id: change.id, ...fieldsOf(change) }))
    const { results } = await call('POST /api/memory/modify', { body: { patches, reason } })
    const updated = new Set(results.filter(({ status }) => status === 'updated').map(({ id }) => id))
    done.push(...part.filter(({ id }) => updated.has(id)))
  }
  changes.value++
  return done
}
