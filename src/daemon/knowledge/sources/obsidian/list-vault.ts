import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObsidianSettings } from '../../../../contract/knowledge/sources/source-kinds.js'
import { quoted } from '../../../../lib/text/clip.js'
import { grantCommand } from '../../../../lib/text/shell-words.js'
import { noLongerGiven, staysGiven } from '../../../platform/auth/given-folders.js'
import { createPathFilter, type ListedFile, listFiles } from '../../files/list-files.js'
import { type KindDeps, type SourceEvent, SourceFailure } from '../core/kind.js'

/** System errors in words; other errors are reported with their code. */
const words: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is not a folder',
  EACCES: 'the daemon has no permission to read it',
  EPERM: 'the daemon has no permission to read it',
  ELOOP: 'links form a loop',
  EMFILE: 'too many files are open',
  EIO: 'the disk could not read it',
}

/** Notes and canvases, including those in dot folders unless a glob excludes them. */
const patterns = [
  '**/*.md',
  '**/*.canvas',
  '**/.*/**/*.{md,canvas}',
  '.*/**/*.{md,canvas}',
  '**/.*.{md,canvas}',
]

/** The current contents of a vault. */
export interface VaultListing {
  /** Ordered by path. */
  files: ListedFile[]
  /** Paths of placeholder files whose content is in iCloud only. */
  evicted: string[]
  /** Folders that are read; the root is an empty path. */
  folders: string[]
  /** Paths that could not be read. */
  faults: SourceEvent[]
  /** True if every folder was read. */
  isWhole: boolean
  /** True if `.obsidian`, the folder of Obsidian's settings, exists. */
  hasSettings: boolean
}

/** Returns the matcher that selects the files of a vault. */
export function vaultChoice({ excludeGlobs }: Pick<ObsidianSettings, 'excludeGlobs'>) {
  return createPathFilter({ patterns, ignorePatterns: excludeGlobs })
}

/**
 * Lists a vault. Links are not followed: a target inside the vault is listed at its own path.
 * @throws SourceFailure if the root is missing, a file or unreadable; its notes may then still exist
 */
export async function listVault(
  deps: Pick<KindDeps, 'configuration'>,
  settings: ObsidianSettings,
  signal: AbortSignal,
): Promise<VaultListing> {
  const { path: root } = settings
  await assertVaultFolder(deps, settings)
  const faults: SourceEvent[] = []
  const folders: string[] = []
  const evicted: string[] = []
  const state = { isWhole: true, isEmpty: true }
  const listing = listFiles({
    root,
    choice: vaultChoice(settings),
    signal,
    onFault: ({ id, error }) => {
      // Also set for a single file: it may still exist.
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
      `the folder ${quoted(root)} is empty, as if its disk were missing: nothing was removed. To remove its notes, remove the source`,
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

/** @throws SourceFailure if the folder is missing or unreadable, a file, or no longer given to its namer */
export async function assertVaultFolder(
  { configuration }: Pick<KindDeps, 'configuration'>,
  { path: root, givenTo: name }: ObsidianSettings,
): Promise<void> {
  const stats = await stat(root).catch(error => {
    throw unread(root, error)
  })
  if (!stats.isDirectory())
    throw new SourceFailure(`${quoted(root)} is now a file, not a folder: nothing was removed`)
  if (!staysGiven(configuration().settings.auth, { path: root, place: await realpath(root), name }))
    throw new SourceFailure(`the folder ${quoted(root)}: ${noLongerGiven}. Nothing was removed`)
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

/** Explains an error in words. */
function reasonOf(error: unknown): string {
  const { code = '', message = '' } = error as NodeJS.ErrnoException
  return words[code] ?? (code || message || 'it could not be read')
}

/** Returns advice for a permission error; undefined for other errors. */
export function guidanceFor(error: unknown, path: string, platform = process.platform): string | undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'EACCES' && code !== 'EPERM') return undefined
  return platform === 'darwin'
    ? `allow the program that starts the daemon to read ${path}: System Settings > Privacy & Security > Full Disk Access (or Files and Folders), then memory daemon restart`
    : `let the user who runs the daemon read ${path}: ${grantCommand(path, { access: 'read', isFolder: true }, platform)}, or start the daemon as a user who may`
}

/**
 * Makes the fault event of one path.
 * @param absolute the same path on this machine
 */
function faultOf(path: string, error: unknown, absolute: string): SourceEvent {
  const guidance = guidanceFor(error, absolute)
  return {
    event: 'fault',
    path,
    message: reasonOf(error),
    isRecoverable: true,
    ...(guidance && { guidance }),
  }
}
