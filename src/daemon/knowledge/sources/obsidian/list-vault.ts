import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObsidianSettings } from '../../../../contract/knowledge/sources/source-kinds.js'
import { quoted } from '../../../../lib/text/clip.js'
import { choiceOf, type ListedFile, listFiles } from '../../files/list-files.js'
import { type SourceEvent, SourceFailure } from '../core/kind.js'

/** Errors of the system in words; any other is told by its code. */
const words: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  ENOTDIR: 'it is no folder',
  EACCES: 'the daemon may not read it',
  EPERM: 'the daemon may not read it',
  ELOOP: 'links lead in a circle',
  EMFILE: 'too many files are open',
  EIO: 'the disk could not read it',
}

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
export function vaultChoice({ excludeGlobs }: Pick<ObsidianSettings, 'excludeGlobs'>) {
  return choiceOf({ patterns, ignorePatterns: excludeGlobs })
}

/**
 * Lists a vault. Links are not followed: what they lead to is listed where it is, or elsewhere.
 * @throws SourceFailure where the root is gone, is a file, or may not be read: nothing is known of what was in it then
 */
export async function listVault(settings: ObsidianSettings, signal: AbortSignal): Promise<VaultListing> {
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

/** What somebody may do no file of whom can be read. */
function reasonOf(error: unknown): string {
  const { code = '', message = '' } = error as NodeJS.ErrnoException
  return words[code] ?? (code || message || 'it could not be read')
}

/** What a person can do where something is denied; undefined for other faults. */
export function guidanceFor(error: unknown, path: string, platform = process.platform): string | undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'EACCES' && code !== 'EPERM') return undefined
  return platform === 'darwin'
    ? `allow the program that starts the daemon to read ${path}: System Settings > Privacy & Security > Full Disk Access (or Files and Folders), then memory daemon restart`
    : `let the user who runs the daemon read ${path}: chmod -R u+rX ${JSON.stringify(path)}, or start the daemon as a user who may`
}

/** A fault of one path as an event. @param absolute the same path on this machine */
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
