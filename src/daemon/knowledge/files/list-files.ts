import type { Dirent, Stats } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { globMatcher } from './glob-matcher.js'

/** Files that are asked for their size and time together. */
const groupSize = 64
/** Entries of a folder that are read at once: a folder of 100,000 files is not read in one go. */
const entriesAtOnce = 256

/** One resource of a folder. */
export interface ListedFile {
  /** Path below the root, with `/` between its parts. */
  id: string
  /** Absolute. */
  path: string
  size: number
  mtimeMs: number
  inode: string
  /** Blocks on the disk: none for a file whose content lies elsewhere. */
  blocks: number
}

export interface Listing {
  root: string
  choice: Choice
  signal: AbortSignal
  /** A file that is there and was not looked at, or a folder that was not read: what is in it is unknown. */
  onFault(fault: { id: string; kind: 'file' | 'folder'; error: unknown }): void
  /** The root has something in it. */
  onEntry(): void
  /** A folder that is read, the root as an empty path. */
  onFolder?(id: string): void
  /** A file whose content is in iCloud alone: of `a.md` a hidden `.a.md.icloud` is left. Without it these are files like others. */
  onEvicted?(id: string): void
}

/** The file that a placeholder of iCloud stands for. */
const placeholder = /^\.(?<name>.+)\.icloud$/u

/**
 * The files of a folder that are chosen, some at a time, with turns for others between. Links are not followed:
 * what they lead to is either listed by itself or elsewhere.
 * @throws what reading the root throws; the signal's reason.
 */
export async function* listFiles(listing: Listing): AsyncGenerator<ListedFile[]> {
  const breathe = everyFewMs()
  const folders = ['']
  let group: string[] = []
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    listing.onFolder?.(folder)
    for await (const entry of entriesOf(listing, folder)) {
      listing.signal.throwIfAborted()
      await breathe()
      if (folder === '') listing.onEntry()
      const within = (name: string): string => (folder === '' ? name : `${folder}/${name}`)
      const id = within(entry.name)
      const evicted = listing.onEvicted && placeholder.exec(entry.name)?.groups?.name
      if (evicted && entry.isFile() && isChosen(listing.choice, within(evicted), evicted))
        listing.onEvicted?.(within(evicted))
      if (listing.choice.ignores(id, entry.name)) continue
      if (entry.name.includes('\ufffd')) {
        listing.onFault({ id, kind: 'folder', error: new Error('its name is no UTF-8; rename it') })
      } else if (entry.isDirectory()) folders.push(id)
      else if (entry.isFile() && listing.choice.takes(id)) group.push(id)
      if (group.length < groupSize) continue
      yield await lookedAt(listing, group)
      group = []
    }
  }
  if (group.length > 0) yield await lookedAt(listing, group)
}

function isChosen(choice: Choice, id: string, name: string): boolean {
  return !choice.ignores(id, name) && choice.takes(id)
}

/** A folder that is not readable is one fault, and the others are read all the same; the root has to be. */
async function* entriesOf({ root, onFault }: Listing, folder: string): AsyncGenerator<Dirent> {
  try {
    for await (const entry of await opendir(join(root, folder), { bufferSize: entriesAtOnce })) yield entry
  } catch (error) {
    if (folder === '') throw error
    onFault({ id: folder, kind: 'folder', error })
  }
}

async function lookedAt({ root, onFault }: Listing, ids: readonly string[]): Promise<ListedFile[]> {
  const looks = await Promise.allSettled(ids.map(id => lstat(join(root, id))))
  return looks.flatMap((look, position) => {
    const id = ids[position] as string
    if (look.status === 'fulfilled') return look.value.isFile() ? [listedFile(root, id, look.value)] : []
    // A file that went away since its folder was read is no fault.
    if ((look.reason as NodeJS.ErrnoException).code !== 'ENOENT')
      onFault({ id, kind: 'file', error: look.reason })
    return []
  })
}

function listedFile(root: string, id: string, { size, mtimeMs, ino, blocks }: Stats): ListedFile {
  return { id, path: join(root, id), size, mtimeMs, inode: String(ino), blocks }
}

/** Which paths below a root are taken; paths have `/` between their parts. */
interface Choice {
  takes(path: string): boolean
  /** A file, or a folder with all in it. */
  ignores(path: string, name: string): boolean
}

/**
 * A pattern to ignore that has no `/` is the name of a file or a folder at any depth, any other one a path below the
 * root. Hidden files and folders are taken where a pattern names the dot.
 */
export function choiceOf({
  patterns,
  ignorePatterns,
}: {
  patterns: readonly string[]
  ignorePatterns: readonly string[]
}): Choice {
  const ignored = { dot: true }
  const names = globMatcher(
    ignorePatterns.filter(pattern => !pattern.includes('/')),
    ignored,
  )
  const paths = globMatcher(
    ignorePatterns.filter(pattern => pattern.includes('/')),
    ignored,
  )
  return { takes: globMatcher(patterns), ignores: (path, name) => names(name) || paths(path) }
}
