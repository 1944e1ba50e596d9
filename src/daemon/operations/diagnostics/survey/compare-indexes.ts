import { setTimeout as wait } from 'node:timers/promises'
import { pagesOf } from '../../../../lib/workspace/pages-of.js'
import type { LiveStats } from '../../../ground/index/live-index.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { AskLookUp } from './ask-look-up.js'

/** Ids compared per step: a millisecond of the event loop. */
const stretch = 2000
const maxSamples = 10
/** A committed change reaches the index within this time. */
const momentMs = 300
const maxLooks = 4

type Deps = Pick<Daemon, 'index' | 'transcriptIndex' | 'artifactIndex' | 'store'>

/** An index of passages compared with its rows. */
export interface PassageIndexState {
  entries: number
  rows: number
  /** Rows missing in the index. */
  lacking: number
}

/** Differences between the indexes and the rows at one time. */
export interface IndexState {
  stats: LiveStats
  /** Alive memories, all of which belong in the index. */
  memories: number
  /** Memories missing in the index, and some of their ids. */
  lacking: number
  samples: string[]
  /** Entries without a memory. */
  excess: number
  transcripts: PassageIndexState
  artifacts: PassageIndexState
}

/**
 * Compares the indexes with the rows. Differences are checked again, since a save reaches the index slightly
 * after its commit. While the index is filling, nothing counts as missing.
 */
export async function compareIndexes(daemon: Deps, ask: AskLookUp, signal: AbortSignal): Promise<IndexState> {
  const lacking = await idsLacking(daemon, ask, signal)
  const { stats, memories, excess } = await untilLeast(
    async () => {
      await daemon.index.settled()
      const alive = await daemon.store.tables.memories.countAlive()
      const now = await daemon.index.stats()
      const isWhole = now.state === 'ready'
      return {
        stats: now,
        memories: alive,
        excess: isWhole ? Math.max(0, now.entries - alive + lacking.length) : 0,
      }
    },
    found => found.excess,
    signal,
  )
  return {
    stats,
    memories,
    lacking: lacking.length,
    samples: lacking.slice(0, maxSamples),
    excess,
    transcripts: await comparePassages(
      daemon.transcriptIndex,
      async () => (await ask('chunks')).transcripts,
      signal,
    ),
    artifacts: await comparePassages(
      daemon.artifactIndex,
      async () => (await ask('chunks')).artifacts,
      signal,
    ),
  }
}

async function idsLacking(
  { index, store }: Deps,
  ask: AskLookUp,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const lacking: string[] = []
  const read = (after: string) => ask('aliveIds', after, stretch)
  for await (const ids of pagesOf({ from: '', limit: stretch, read, placeOf: id => id })) {
    signal.throwIfAborted()
    if ((await index.stats()).state !== 'ready') return []
    lacking.push(...(await index.lacking('entries', ids)))
  }
  if (lacking.length === 0) return []
  await wait(momentMs, undefined, { signal })
  await index.settled()
  const still: string[] = []
  for (let at = 0; at < lacking.length; at += stretch) {
    const some = lacking.slice(at, at + stretch)
    const alive = await store.tables.memories.changesOf(some)
    still.push(...(await index.lacking('entries', some)).filter(id => alive.has(id)))
  }
  return still
}

function comparePassages(
  index: Pick<Daemon['artifactIndex'], 'stats'>,
  count: () => Promise<number>,
  signal: AbortSignal,
): Promise<PassageIndexState> {
  return untilLeast(
    async () => {
      const rows = await count()
      const { entries, state } = await index.stats()
      return { entries, rows, lacking: state === 'ready' ? Math.max(0, rows - entries) : 0 }
    },
    found => found.lacking,
    signal,
  )
}

/** Repeats a look while there are differences, a few times. @returns the look with the fewest. */
async function untilLeast<Found>(
  look: () => Promise<Found>,
  difference: (found: Found) => number,
  signal: AbortSignal,
): Promise<Found> {
  let least = await look()
  for (let looks = 1; looks < maxLooks && difference(least) > 0; looks++) {
    await wait(momentMs, undefined, { signal })
    const next = await look()
    if (difference(next) < difference(least)) least = next
  }
  return least
}
