import { createHash } from 'node:crypto'
import { sourceKind } from '../../../../../contract/ground/wire-names.js'
import type { ChannelState, DiscordSettings } from '../../../../../contract/knowledge/sources/discord.js'
import type { WireChannel } from '../../../../../contract/knowledge/sources/discord-wire.js'
import type { Wait } from '../../../../ground/fetch/api-faults.js'
import { resolveToken } from '../../../../ground/secrets/secrets.js'
import { apiRoot, type KindDeps, type Pass, type Source, SourceFailure } from '../../core/kind.js'
import type { MessagePlace } from './artifacts.js'
import { createGuildClient, type GuildClient } from './guild-client.js'
import type { Names } from './names.js'
import { createRest, type Rest } from './rest.js'

/** More paths than are ever pending before a write. */
const mostKept = 5_000

/**
 * Recently reported paths whose rows may not be written yet, so that their stored state may be outdated. Only
 * the last few thousand are remembered.
 */
class ReportedPaths {
  #paths = new Set<string>()
  #older = new Set<string>()

  note(path: string): void {
    this.#paths.add(path)
    if (this.#paths.size < mostKept) return
    this.#older = this.#paths
    this.#paths = new Set()
  }

  has(path: string): boolean {
    return this.#paths.has(path) || this.#older.has(path)
  }

  below(path: string): string[] {
    const prefix = `${path}/`
    return [...this.#older, ...this.#paths].filter(told => told.startsWith(prefix))
  }
}

/** State shared by everything that reads servers over the API during one pass. */
export interface GuildPass {
  rest: Rest
  client: GuildClient
  pass: Pass
  settings: DiscordSettings
  /** The bot's own id: it receives its own messages with content, whatever its intents. */
  self: string
  wait: Wait
  clock(): Date
  seen: ContentCheck
  told: ReportedPaths
  /** The last reported state of each channel. */
  states: Map<string, ChannelState>
}

/** A channel or thread whose messages are read, with names for the ids in their texts. */
export interface ChannelToRead {
  channel: WireChannel
  place: MessagePlace
  names: Names
}

/** Checks whether messages arrive with content (sources.md#discord). */
class ContentCheck {
  #blank = 0
  #spoken = 0

  note({ isBlank }: { isBlank: boolean }): void {
    if (isBlank) this.#blank++
    else this.#spoken++
  }

  /** True if no message had content, which means that the intent is off. */
  isMissing(): boolean {
    return this.#blank > 0 && this.#spoken === 0
  }
}

/**
 * Hashes the settings that affect rendering and history depth; after a change the channel is listed again.
 */
export function shapeOf(settings: DiscordSettings, title: string): string {
  const { includeAttachments, includeAttachmentText, maxAttachmentTextBytes, includeEmbeds } = settings
  const { includePolls, since, maxMessagesPerChannel } = settings
  const shape = JSON.stringify([
    title,
    includeAttachments,
    includeAttachmentText && maxAttachmentTextBytes,
    includeEmbeds,
    includePolls,
    since,
    maxMessagesPerChannel,
  ])
  return createHash('sha256').update(shape).digest('base64url').slice(0, 16)
}

/** A pass together with its token, which nothing else receives. */
export interface OpenGuildPass extends GuildPass {
  token: string
  baseUrl: string
}

/**
 * Opens the API for one pass. The token is resolved now and used for this pass only.
 * @throws SourceFailure if the token is missing; ApiFault
 */
export async function openGuildPass(
  deps: Pick<KindDeps, 'configuration' | 'clock'>,
  { settings }: Pick<Source<DiscordSettings>, 'settings'>,
  pass: Pass,
  wait: Wait,
): Promise<OpenGuildPass> {
  const token = await tokenOf(settings, pass)
  const { apiBaseUrl: baseUrl } = deps.configuration().settings.sources[sourceKind.discord]
  apiRoot(baseUrl, { setting: `sources.${sourceKind.discord}.apiBaseUrl`, hasToken: true })
  const now = () => performance.now()
  const rest = createRest({ baseUrl, token, signal: pass.signal, wait, now })
  try {
    const client = createGuildClient(rest)
    const { id: self } = await client.self()
    const kept = { seen: new ContentCheck(), told: new ReportedPaths(), states: new Map() }
    return { rest, client, pass, settings, self, token, wait, clock: deps.clock, baseUrl, ...kept }
  } catch (error) {
    await rest.close()
    throw error
  }
}

/** Explains a 401: the pass ends, and nothing is removed. */
export function refusedToken({ tokenRef }: Pick<DiscordSettings, 'tokenRef'>): string {
  return `Discord refuses the token behind ${tokenRef} (401): reset it in the developer portal, store it with memory secrets set, then memory sources sync`
}

async function tokenOf({ tokenRef }: DiscordSettings, pass: Pass): Promise<string> {
  try {
    return await resolveToken(pass.secret, tokenRef ?? '', ['Bot'])
  } catch (error) {
    pass.signal.throwIfAborted()
    throw new SourceFailure((error as Error).message)
  }
}
