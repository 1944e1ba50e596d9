import { type GuildSettings, guildSettings } from '../../../../contract/knowledge/discord-settings.js'
import { countOf } from '../../../../lib/text/count-of.js'
import type { SourceKind } from '../core/kind.js'
import { readDesktopCache } from './desktop/read-desktop-cache.js'
import { guildHealth } from './health.js'
import { readServers } from './read.js'
import { followServers } from './watch.js'

/** Servers of Discord, and the cache of its desktop application (sources.md#discord). */
export const chatguild: SourceKind<GuildSettings> = {
  kind: 'chatguild',
  settings: guildSettings,
  // Servers are the same however they are read; what lies on this machine is something else.
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
  read: (deps, source, pass) =>
    source.settings.syncMode === 'desktop-cache'
      ? readDesktopCache(deps, source, pass)
      : readServers(deps, source, pass),
  follow: async function* (deps, source, pass) {
    if (source.settings.syncMode === 'gateway-tail') yield* followServers(deps, source, pass)
  },
  keepsJobOpen: ({ syncMode }) => syncMode === 'gateway-tail',
  health: guildHealth,
}
