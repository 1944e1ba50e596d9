import { basename } from 'node:path'
import { type VaultSettings, vaultSettings } from '../../../../contract/knowledge/source-kinds.js'
import type { SourceKind } from '../core/kind.js'
import { readVault } from './read.js'
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
}
