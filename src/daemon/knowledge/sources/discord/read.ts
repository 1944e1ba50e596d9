import type { DiscordSettings } from '../../../../contract/knowledge/sources/discord.js'
import { type ApiFault, isFault, systemWait, type Wait } from '../../../ground/fetch/api-faults.js'
import type { KindDeps, Pass, Source, SourceEvent } from '../core/kind.js'
import { readGuild } from './servers/read-guild.js'
import { openGuildPass, refusedToken } from './servers/reading.js'

/** Makes one pass over the servers of a source, over the API. */
export function readServers(
  deps: Pick<KindDeps, 'configuration' | 'clock'>,
  source: Source<DiscordSettings>,
  pass: Pass,
  wait: Wait = systemWait,
): AsyncGenerator<SourceEvent> {
  return convertFaults(source.settings, allServers(deps, source, pass, wait))
}

/**
 * Passes events on and converts faults at their end: an unreachable platform or a long rate limit pauses the
 * pass at the last channel; a refused token fails it. Rows stay as they are.
 */
export async function* convertFaults(
  settings: DiscordSettings,
  events: AsyncIterable<SourceEvent>,
): AsyncGenerator<SourceEvent> {
  let frontier: string | null = null
  try {
    for await (const event of events) {
      frontier = channelOf(event) ?? frontier
      yield event
    }
  } catch (error) {
    if (isFault(error, 'unauthorized')) yield { event: 'failed', message: refusedToken(settings) }
    else if (isFault(error, 'unreachable', 'too_large', 'limited')) {
      yield { event: 'status', message: error.message }
      yield pauseOf(error, frontier)
    } else throw error
  }
}

async function* allServers(
  deps: Pick<KindDeps, 'configuration' | 'clock'>,
  source: Source<DiscordSettings>,
  pass: Pass,
  wait: Wait,
): AsyncGenerator<SourceEvent> {
  const reading = await openGuildPass(deps, source, pass, wait)
  try {
    for (const guild of source.settings.guildIds) yield* readGuild(reading, guild)
  } finally {
    await reading.rest.close()
  }
}

/** Returns the channel that begins with this event. */
function channelOf(event: SourceEvent): string | undefined {
  return event.event === 'frontier' ? event.path : undefined
}

function pauseOf({ kind, retryAfterMs }: ApiFault, frontier: string | null): SourceEvent {
  const reason = kind === 'limited' ? 'rate_limited' : 'provider_unavailable'
  return { event: 'pause', reason, frontier, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}
