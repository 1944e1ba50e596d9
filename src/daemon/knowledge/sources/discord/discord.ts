import { AppError } from '../../../../contract/ground/errors.js'
import { sourceKind } from '../../../../contract/ground/wire-names.js'
import { type DiscordSettings, discordSettings } from '../../../../contract/knowledge/sources/discord.js'
import type { AddedSource, GuildBody } from '../../../../contract/knowledge/sources/source-kinds.js'
import { quoted } from '../../../../lib/text/clip.js'
import { countOf } from '../../../../lib/text/count-of.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { assertMayRead, givenTo } from '../../../platform/auth/given-folders.js'
import { isOnThisMachine } from '../../../platform/auth/loopback.js'
import { addSource } from '../core/add-source.js'
import type { KindDeps, KindHealth, Source, SourceKind } from '../core/kind.js'
import type { SourceDeps } from '../core/runs.js'
import { applicationFolders, defaultFolder, knownFolder } from './desktop/application-files.js'
import { directMessages } from './servers/paths.js'

/** Servers of Discord, and the cache of its desktop application (sources.md#discord). */
export const discord: SourceKind<DiscordSettings> = {
  kind: sourceKind.discord,
  settings: discordSettings,
  // Servers have the same identity in every mode; the cache of this machine has its own.
  identityOf: ({ guildIds, syncMode, desktopCachePath }) =>
    JSON.stringify(
      syncMode === 'desktop-cache' ? ['desktop', desktopCachePath] : ['servers', [...guildIds].sort()],
    ),
  describe: ({ guildIds, syncMode, desktopCachePath }) => {
    if (syncMode === 'desktop-cache') return { name: 'Discord on this machine', root: desktopCachePath ?? '' }
    const [first] = guildIds
    const name = guildIds.length === 1 ? `Discord ${first}` : `Discord, ${countOf(guildIds.length, 'server')}`
    return { name, root: `discord:${[...guildIds].sort().join(',')}` }
  },
  read: async function* (deps, source, pass) {
    if (source.settings.syncMode === 'desktop-cache') {
      const { readDesktopCache } = await import('./desktop/read-desktop-cache.js')
      yield* readDesktopCache(deps, source, pass)
    } else {
      const { readServers } = await import('./read.js')
      yield* readServers(deps, source, pass)
    }
  },
  follow: async function* (deps, source, pass) {
    if (source.settings.syncMode !== 'gateway-tail') return
    const { followServers } = await import('./watch.js')
    yield* followServers(deps, source, pass)
  },
  keepsJobOpen: ({ syncMode }) => syncMode === 'gateway-tail',
  health: guildHealth,
}

/** Reports the gateway's refusal, and cached messages that cannot be assigned. */
async function guildHealth(
  { store }: Pick<KindDeps, 'store'>,
  { id, settings }: Source<DiscordSettings>,
): Promise<KindHealth> {
  const { cacheKey, cacheStateOf } = await import('./desktop/read-desktop-cache.js')
  const { sourceNotes } = store.tables
  const unplaced = cacheStateOf(await sourceNotes.checkpoint(id, cacheKey)).unplacedMessages
  if (unplaced > 0)
    return {
      notes: [`${countOf(unplaced, 'cached message')} skipped: server or direct message unknown`],
    }
  if (settings.syncMode !== 'gateway-tail') return {}
  const { gatewayKey, stateOf } = await import('./watch.js')
  const state = stateOf(await sourceNotes.checkpoint(id, gatewayKey))
  if (state?.refusal) return { status: 'unhealthy', notes: [state.refusal.message] }
  return {}
}

/**
 * Registers servers of Discord, or the cache of its application on this machine.
 * @throws AppError `validation_failed` if servers or the token reference are missing, or for a folder that is
 * not the application's; `forbidden` for the cache if the caller is on another machine
 */
export async function addGuild(deps: SourceDeps, caller: Caller, body: GuildBody): Promise<AddedSource> {
  if (body.syncMode === 'desktop-cache' && !isOnThisMachine(caller))
    throw new AppError('forbidden', "desktop caches are only read for callers on the daemon's machine")
  const settings = { ...(await settingsOf(deps, body)), givenTo: givenTo(caller) }
  if (settings.desktopCachePath !== null) await assertMayRead(deps, caller, settings.desktopCachePath)
  return addSource(deps, caller, { kind: discord, settings, name: body.name, named: body })
}

async function settingsOf(deps: Pick<SourceDeps, 'environment'>, body: GuildBody): Promise<DiscordSettings> {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value != null))
  const settings = discordSettings.parse({
    ...given,
    guildIds: body.guildIds ?? body.guildId ?? [],
    channelFilter: body.channelFilter ?? body.channels ?? [],
    tokenRef: body.tokenRef ?? null,
    desktopCachePath: null,
  })
  if (settings.syncMode === 'desktop-cache')
    return { ...settings, tokenRef: null, desktopCachePath: await cacheFolder(deps, body.desktopCachePath) }
  if (settings.guildIds.length === 0) throw invalid('guildIds is required: the ids of one or more servers')
  if (settings.guildIds.includes(directMessages))
    throw invalid('guildIds: @me works only with a desktop cache; bots cannot see direct messages of others')
  if (settings.tokenRef === null)
    throw invalid(
      `tokenRef is required for the mode ${settings.syncMode}: store the token of a bot with memory secrets set NAME, then give NAME`,
    )
  return settings
}

/** @throws AppError `validation_failed` */
async function cacheFolder(
  { environment }: Pick<SourceDeps, 'environment'>,
  given: string | null | undefined,
): Promise<string> {
  const folders = applicationFolders(environment).join(', ') || 'the data folders in a home folder'
  const folder = given ? await knownFolder(given, environment) : await defaultFolder(environment)
  if (folder) return folder
  throw invalid(
    given
      ? `desktopCachePath ${quoted(given)} is not a data folder of the Discord app: use one of ${folders}`
      : `the Discord app has no data on this machine: none of ${folders} exists`,
  )
}

function invalid(message: string): AppError {
  return new AppError('validation_failed', message)
}
