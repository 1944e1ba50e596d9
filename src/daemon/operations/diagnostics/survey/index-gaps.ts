import { setTimeout as wait } from 'node:timers/promises'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { AskLookUp } from './ask-look-up.js'

/** Ids that are compared at a time: a millisecond of the event loop. */
const stretch = 2000
const maxSamples = 10
/** A row is in the index a moment after it was saved. */
const momentMs = 300

/** Memories that the index of words and vectors does not hold though it must. */
export interface IndexGaps {
  count: number
  samples: string[]
}

/**
 * Compares the index with the rows, and looks a second time at what it lacks: a save reaches it a moment after it is
 * committed. @returns undefined while the index is being filled.
 */
export async function findIndexGaps(
  { index, store }: Pick<Daemon, 'index' | 'store'>,
  ask: AskLookUp,
  signal: AbortSignal,
): Promise<IndexGaps | undefined> {
  const lacking: string[] = []
  let after: string | undefined = ''
  while (after !== undefined) {
    signal.throwIfAborted()
    if ((await index.stats()).state !== 'ready') return undefined
    const ids: string[] = await ask('aliveIds', after, stretch)
    lacking.push(...(await index.lacking(ids)))
    after = ids.length === stretch ? ids.at(-1) : undefined
  }
  if (lacking.length === 0) return { count: 0, samples: [] }
  await wait(momentMs, undefined, { signal })
  await index.settled()
  const still: string[] = []
  for (let at = 0; at < lacking.length; at += stretch) {
    const some = lacking.slice(at, at + stretch)
    const alive = await store.tables.memories.changesOf(some)
    still.push(...(await index.lacking(some)).filter(id => alive.has(id)))
  }
  return { count: still.length, samples: still.slice(0, maxSamples) }
}
