import { AppError } from '../../../../contract/ground/errors.js'
import { type GuildSettings, guildSettings } from '../../../../contract/knowledge/discord-settings.js'
import type { AddedSource, GuildBody } from '../../../../contract/knowledge/source-kinds.js'
import { quoted } from '../../../../lib/text/clip.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../../platform/auth/loopback.js'
import { addSource } from '../core/add-source.js'
import type { SourceDeps } from '../core/runs.js'
import { chatguild } from './chatguild.js'
import { applicationFolders, defaultFolder, knownFolder } from './desktop/known-folders.js'
import { directMessages } from './servers/paths.js'

/**
 * Registers servers of Discord, or what its application keeps on this machine.
 * @throws AppError `validation_failed` where servers or the token's reference are missing, and for a folder that is none
 * of the application's, `forbidden` for the cache of a machine that the caller is not on
 */
export async function addGuild(deps: SourceDeps, caller: Caller, body: GuildBody): Promise<AddedSource> {
  if (body.syncMode === 'desktop-cache' && !isOnThisMachine(caller))
    throw new AppError('forbidden', "a desktop cache is read for callers on the daemon's machine only")
  const settings = await settingsOf(deps, body)
  return addSource(deps, caller, { kind: chatguild, settings, name: body.name, named: body })
}

async function settingsOf(deps: Pick<SourceDeps, 'environment'>, body: GuildBody): Promise<GuildSettings> {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value != null))
  const settings = guildSettings.parse({
    ...given,
    guildIds: body.guildIds ?? body.guildId ?? [],
    channelFilter: body.channelFilter ?? body.channels ?? [],
    tokenRef: body.tokenRef ?? null,
    desktopCachePath: null,
  })
  if (settings.syncMode === 'desktop-cache')
    return { ...settings, tokenRef: null, desktopCachePath: await cacheFolder(deps, body.desktopCachePath) }
  if (settings.guildIds.length === 0) throw invalid('guildIds is required: the number of one or more servers')
  if (settings.guildIds.includes(directMessages))
    throw invalid('guildIds: @me is in a desktop cache alone; bots are shown no direct messages of others')
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
  const folders = applicationFolders(environment).join(', ') || 'in no home folder that is known'
  const folder = given ? await knownFolder(given, environment) : await defaultFolder(environment)
  if (folder) return folder
  throw invalid(
    given
      ? `desktopCachePath ${quoted(given)} is no data folder of Discord's application: it is one of ${folders}`
      : `Discord's application keeps no data on this machine: none of ${folders} is there`,
  )
}

function invalid(message: string): AppError {
  return new AppError('validation_failed', message)
}
