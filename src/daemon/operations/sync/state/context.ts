import { createHmac } from 'node:crypto'
import type { Tables } from '../../../../store/tables/tables.js'
import { contentHash } from '../../../memory/records/normalise-content.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { HybridClock } from '../rules/clock.js'
import type { KeyedText } from '../rules/records.js'

export type SyncDeps = Pick<
  Daemon,
  'store' | 'index' | 'clock' | 'newId' | 'wake' | 'log' | 'secrets' | 'isStopping' | 'paths' | 'environment'
>

/** A device needs this to make records and to read them. */
export interface SyncContext {
  tag: string
  /** Hashes texts, so that one that was purged is recognised without its words. */
  textKey: Uint8Array
}

/**
 * Keys of `sync_state` that change with the memories, in their transaction. `begun` has the checkpoint that
 * is being read, and its next part; `purges` the segments with purges that no checkpoint contains.
 */
export const stateKeys = {
  clock: 'clock',
  collected: 'collected',
  begun: 'begun',
  purges: 'purges',
} as const

/** Continues the clock of this device where its last transaction left it. */
export async function clockIn({ sync }: Pick<Tables, 'sync'>, { tag }: SyncContext): Promise<HybridClock> {
  return new HybridClock(tag, await sync.get(stateKeys.clock))
}

/** A text with the keyed hash of its space and itself. */
export function keyedText({ textKey }: SyncContext, space: string, text: string): KeyedText {
  const key = createHmac('sha256', textKey)
    .update(`${space}\n${contentHash(text)}`)
    .digest('base64url')
  return { text, key }
}
