import {
  type DiscordSettings,
  type GatewaySession,
  type GatewayState,
  gatewayState,
} from '../../../../contract/knowledge/sources/discord.js'
import { wireGatewayBot } from '../../../../contract/knowledge/sources/discord-wire.js'
import { systemTimers, type Timers } from '../../../../lib/time/timers.js'
import { ApiFault, systemWait, type Wait } from '../../../ground/fetch/api-faults.js'
import type { KindDeps, Pass, Source, SourceEvent } from '../core/kind.js'
import { channelEvents, messageEvents, Servers } from './gateway/events.js'
import { GatewayRefusal, type ListenOptions, listen } from './gateway/listen.js'
import { convertFaults } from './read.js'
import { listGuild } from './servers/list.js'
import { readGuild } from './servers/read-guild.js'
import { type OpenGuildPass, openGuildPass } from './servers/reading.js'
import { publicApi } from './servers/rest.js'

export const gatewayKey = 'gateway'

/** GUILDS, GUILD_MESSAGES and MESSAGE_CONTENT, which is privileged. */
const intents = (1 << 0) | (1 << 9) | (1 << 15)
/** GUILD_MEMBERS, also privileged: requested only if members are read. */
const memberIntent = 1 << 1
/** Longer delays before a new session pause the source. */
const longestWaitMs = 120_000

const handlers = { ...messageEvents, ...channelEvents }

/** Replaced in tests. */
export interface WatchTime {
  wait: Wait
  timers: Timers
  random(): number
}

const systemTime: WatchTime = { wait: systemWait, timers: systemTimers, random: Math.random }

/**
 * Follows the events of the gateway (sources.md#discord). After each new session the API fills the gap while
 * events queue up; a resumed session has no gap. The session is stored with the last processed event, so that
 * the next daemon can resume it. A problem that needs a person fails the job and is shown in the health of
 * the source.
 */
export function followServers(
  deps: KindDeps,
  source: Source<DiscordSettings>,
  pass: Pass,
  time: WatchTime = systemTime,
): AsyncGenerator<SourceEvent> {
  return convertFaults(source.settings, follow(deps, source, pass, time))
}

async function* follow(
  deps: KindDeps,
  source: Source<DiscordSettings>,
  pass: Pass,
  time: WatchTime,
): AsyncGenerator<SourceEvent> {
  const reading = await openGuildPass(deps, source, pass, time.wait)
  const servers = new Servers()
  try {
    for (const guild of source.settings.guildIds) {
      const listing = yield* listGuild(reading, guild)
      if (listing) servers.put(listing)
    }
    for await (const event of listen(await listenOptions(reading, time))) {
      if (event.event === 'lost') yield { event: 'status', message: `connecting again: ${event.why}` }
      else if (event.event === 'dispatch') {
        const apply = handlers[event.name]
        if (apply) yield* apply({ reading, servers }, event.data)
        if (apply) yield stateEvent({ session: event.session, refusal: null })
      } else {
        if (event.event === 'identified') yield* catchUp(reading, servers)
        yield { event: 'status', message: 'connected: new messages are read as they arrive' }
        yield stateEvent({ session: event.session, refusal: null })
      }
    }
  } catch (error) {
    if (!(error instanceof GatewayRefusal)) throw error
    yield stateEvent({ session: null, refusal: { code: error.code, message: error.message } })
    yield { event: 'failed', message: error.message }
  } finally {
    await reading.rest.close()
  }
}

/** Reads messages from before the session over the API. */
async function* catchUp(reading: OpenGuildPass, servers: Servers): AsyncGenerator<SourceEvent> {
  for (const guild of reading.settings.guildIds) {
    const listing = yield* readGuild(reading, guild)
    if (listing) servers.put(listing)
  }
}

/** Returns the session of the last connection. */
export function sessionOf(kept: string | undefined): GatewaySession | null {
  return stateOf(kept)?.session ?? null
}

export function stateOf(kept: string | undefined): GatewayState | undefined {
  return kept === undefined ? undefined : gatewayState.safeParse(JSON.parse(kept)).data
}

function stateEvent(state: GatewayState): SourceEvent {
  return { event: 'checkpoint', key: gatewayKey, value: JSON.stringify(state) }
}

async function listenOptions(reading: OpenGuildPass, time: WatchTime): Promise<ListenOptions> {
  const { settings, pass, token, baseUrl } = reading
  const asksMembers = settings.includeMembers || settings.includeThreadMembers
  return {
    ...time,
    token,
    signal: pass.signal,
    intents: asksMembers ? intents | memberIntent : intents,
    session: sessionOf(await pass.checkpoint(gatewayKey)),
    address: () => addressOf(reading, time),
    isTheirs: address => isTheirs(baseUrl, address),
  }
}

/** Returns the address for a new session, once Discord allows one. */
async function addressOf({ rest, pass, baseUrl }: OpenGuildPass, { wait }: WatchTime): Promise<string> {
  const reply = wireGatewayBot.safeParse(await rest.get('/gateway/bot'))
  if (!reply.success || !isTheirs(baseUrl, reply.data.url))
    throw new ApiFault('unreachable', 'Discord did not return a gateway address')
  const { remaining, reset_after: resetAfterMs } = reply.data.session_start_limit ?? {
    remaining: 1,
    reset_after: 0,
  }
  if (remaining > 0) return reply.data.url
  if (resetAfterMs > longestWaitMs)
    throw new ApiFault('limited', 'the bot has used up the daily sessions that Discord allows', {
      retryAfterMs: resetAfterMs,
    })
  await wait(resetAfterMs, pass.signal)
  return reply.data.url
}

/** The token is sent to this address: it must be Discord's gateway, or the host from the settings. */
function isTheirs(baseUrl: string, address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^wss?:$/u.test(url.protocol)) return false
  if (baseUrl === publicApi) return url.protocol === 'wss:' && url.hostname.endsWith('.discord.gg')
  const base = new URL(baseUrl)
  return url.hostname === base.hostname && (url.protocol === 'wss:' || base.protocol === 'http:')
}
