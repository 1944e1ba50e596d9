import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { VaultSettings } from '../../../../contract/knowledge/source-kinds.js'
import { quoted } from '../../../../lib/text/clip.js'
import { choiceOf } from '../../files/choose-files.js'
import { type ListedFile, listFiles } from '../../files/list-files.js'
import { type SourceEvent, SourceFailure } from '../core/kind.js'
import { faultOf, reasonOf } from './vault-faults.js'

/** Notes and canvases, in folders that begin with a dot too where no glob leaves them out. */
const patterns = [
  '**/*.md',
  '**/*.canvas',
  '**/.*/**/*.{md,canvas}',
  '.*/**/*.{md,canvas}',
  '**/.*.{md,canvas}',
]

/** What stands in a vault now. */
export interface VaultListing {
  /** In the order of their paths. */
  files: ListedFile[]
  /** Paths of files of which only a placeholder is here: their content is in iCloud. */
  evicted: string[]
  /** Folders that are read, the root as an empty path. */
  folders: string[]
  /** What could not be looked at. */
  faults: SourceEvent[]
  /** Every folder was read. */
  isWhole: boolean
  /** The folder of Obsidian's own settings is there. */
  hasSettings: boolean
}

/** Which files of a vault are read. */
export function vaultChoice({ excludeGlobs }: Pick<VaultSettings, 'excludeGlobs'>) {
  return choiceOf({ patterns, ignorePatterns: excludeGlobs })
}

/**
 * Lists a vault. Links are not followed: what they lead to is listed where it is, or elsewhere.
 * @throws SourceFailure where the root is gone, is a file, or may not be read: nothing is known of what was in it then
 */
export async function listVault(settings: VaultSettings, signal: AbortSignal): Promise<VaultListing> {
  const { path: root } = settings
  await assertFolder(root)
  const faults: SourceEvent[] = []
  const folders: string[] = []
  const evicted: string[] = []
  const state = { isWhole: true, isEmpty: true }
  const listing = listFiles({
    root,
    choice: vaultChoice(settings),
    signal,
    onFault: ({ id, error }) => {
      // Of a file too: what was not looked at may be there still.
      state.isWhole = false
      faults.push(faultOf(id, error, join(root, id)))
    },
    onEntry: () => {
      state.isEmpty = false
    },
    onFolder: id => folders.push(id),
    onEvicted: id => evicted.push(id),
  })
  const files: ListedFile[] = []
  try {
    for await (const group of listing) files.push(...group)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw unread(root, error)
  }
  if (state.isEmpty)
    throw new SourceFailure(
      `the folder ${quoted(root)} is empty, as that of a disk is which is not there: nothing was removed. Remove the source if its notes are to go`,
    )
  files.sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    files,
    evicted,
    folders,
    faults,
    isWhole: state.isWhole,
    hasSettings: await isFolder(join(root, '.obsidian')),
  }
}

async function assertFolder(root: string): Promise<void> {
  const stats = await stat(root).catch(error => {
    throw unread(root, error)
  })
  if (!stats.isDirectory())
    throw new SourceFailure(`${quoted(root)} is a file now and no folder: nothing was removed`)
}

function unread(root: string, error: unknown): SourceFailure {
  return new SourceFailure(`the folder ${quoted(root)}: ${reasonOf(error)}. Nothing was removed`, {
    cause: error,
  })
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    stats => stats.isDirectory(),
    () => false,
  )
}
