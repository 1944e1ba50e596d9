import type { GuildSettings } from '../../../../contract/knowledge/discord-settings.js'
import { countOf } from '../../../../lib/text/count-of.js'
import type { KindDeps, KindHealth, Source } from '../core/kind.js'
import { cacheKey, cacheStateOf } from './desktop/read-desktop-cache.js'
import { gatewayKey, stateOf } from './watch.js'

/** What only this kind knows: why the gateway takes no connection, and what of a cache belongs nowhere. */
export async function guildHealth(
  { store }: Pick<KindDeps, 'store'>,
  { id, settings }: Source<GuildSettings>,
): Promise<KindHealth> {
  const { sourceNotes } = store.tables
  const unplaced = cacheStateOf(await sourceNotes.checkpoint(id, cacheKey)).unplacedMessages
  if (unplaced > 0)
    return {
      notes: [
        `${countOf(unplaced, 'cached message')} could not be placed in a server or as direct messages, and ${unplaced === 1 ? 'was' : 'were'} left out`,
      ],
    }
  if (settings.syncMode !== 'gateway-tail') return {}
  const state = stateOf(await sourceNotes.checkpoint(id, gatewayKey))
  if (state?.refusal) return { status: 'unhealthy', notes: [state.refusal.message] }
  return {}
}
