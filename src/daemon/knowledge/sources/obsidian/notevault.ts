import { basename } from 'node:path'
import { type VaultSettings, vaultSettings } from '../../../../contract/knowledge/source-kinds.js'
import type { SourceKind } from '../core/kind.js'
import { listingKey, noFiles, readVault } from './read.js'
import { resolveLinks } from './resolve-links.js'
import { watchVault } from './watch.js'

/** What no watcher told of is found so often. */
const reconcileEveryMs = 10 * 60_000

/** Obsidian vaults: folders of notes (sources.md#obsidian). */
export const notevault: SourceKind<VaultSettings> = {
  kind: 'notevault',
  settings: vaultSettings,
  identityOf: ({ path }) => path,
  describe: ({ path, excludeGlobs }) => ({ name: basename(path) || path, root: path, excludeGlobs }),
  read: readVault,
  follow: watchVault,
  reconcileEveryMs,
  resolveLinks,
  // A folder that was named by mistake looks like a vault that is read.
  health: async ({ store }, { id }) => {
    const listing = await store.tables.sourceNotes.checkpoint(id, listingKey)
    if (listing !== noFiles) return {}
    return {
      status: 'degraded',
      notes: ['there is no note in it (.md, .canvas): is it the folder of the vault?'],
    }
  },
}
