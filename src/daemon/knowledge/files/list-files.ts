import type { Dirent, Stats } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { mirroredFiles } from '../../../lib/files/ignore-files.js'
import { globMatcher } from './glob-matcher.js'

/** Files stat'ed together. */
const groupSize = 64
/** Directory entries read at once, because a folder may have 100,000 files. */
const entriesAtOnce = 256

/** A file found below the root. */
export interface ListedFile {
  /** Path below the root, with `/` between its parts. */
  id: string
  /** Absolute path. */
  path: string
  size: number
  mtimeMs: number
  inode: string
  /** Blocks on the disk; 0 for a file whose content is stored elsewhere. */
  blocks: number
}

export interface ListingOptions {
  root: string
  choice: PathFilter
  signal: AbortSignal
  /** Reports an existing file or folder that could not be read; its contents are unknown. */
  onFault(fault: { id: string; kind: 'file' | 'folder'; error: unknown }): void
  /** Called if the root is not empty. */
  onEntry(): void
  /** Called for each folder that is read; the root is an empty path. */
  onFolder?(id: string): void
  /**
   * Called for a file whose content is only in iCloud, where a hidden `.a.md.icloud` replaces `a.md`. Without
   * this callback placeholders are treated as ordinary files.
   */
  onEvicted?(id: string): void
}

/** Name of an iCloud placeholder, with the name of its file. */
const placeholder = /^\.(?<name>.+)\.icloud$/u

/**
 * Lists the matching files below a folder in groups, with turns for other work in between. Links are not
 * followed: a target inside the folder is listed at its own path. Files of a mirror of memories are left out.
 * @throws errors of reading the root; the signal's reason
 */
export async function* listFiles(listing: ListingOptions): AsyncGenerator<ListedFile[]> {
  const breathe = everyFewMs()
  const folders = ['']
  const mirrored = new Set<string>()
  let group: string[] = []
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    listing.onFolder?.(folder)
    for (const path of await mirroredFiles(join(listing.root, folder))) mirrored.add(idIn(folder, path))
    for await (const entry of entriesOf(listing, folder)) {
      listing.signal.throwIfAborted()
      await breathe()
      if (folder === '') listing.onEntry()
      const id = idIn(folder, entry.name)
      const evicted = listing.onEvicted && placeholder.exec(entry.name)?.groups?.name
      if (evicted && entry.isFile() && isIncluded(listing.choice, idIn(folder, evicted), evicted))
        listing.onEvicted?.(idIn(folder, evicted))
      if (mirrored.has(id) || listing.choice.ignores(id, entry.name)) continue
      if (entry.name.includes('\ufffd')) {
        listing.onFault({ id, kind: 'folder', error: new Error('its name is not valid UTF-8; rename it') })
      } else if (entry.isDirectory()) folders.push(id)
      else if (entry.isFile() && listing.choice.takes(id)) group.push(id)
      if (group.length < groupSize) continue
      yield await statFiles(listing, group)
      group = []
    }
  }
  if (group.length > 0) yield await statFiles(listing, group)
}

function idIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/**
 * Returns a check whether a mirror of memories, in a folder between the root and a file, wrote this file. It
 * reads the list of each folder once.
 */
export function mirrorCheck(root: string): (id: string) => Promise<boolean> {
  const lists = new Map<string, ReadonlySet<string>>()
  return async id => {
    const parts = id.split('/')
    for (let above = 0; above < parts.length; above++) {
      const folder = join(root, ...parts.slice(0, above))
      const list = lists.get(folder) ?? new Set(await mirroredFiles(folder))
      lists.set(folder, list)
      if (list.has(parts.slice(above).join('/'))) return true
    }
    return false
  }
}

function isIncluded(choice: PathFilter, id: string, name: string): boolean {
  return !choice.ignores(id, name) && choice.takes(id)
}

/** An unreadable folder is reported as one fault and the others are still read; an unreadable root throws. */
async function* entriesOf({ root, onFault }: ListingOptions, folder: string): AsyncGenerator<Dirent> {
  try {
    for await (const entry of await opendir(join(root, folder), { bufferSize: entriesAtOnce })) yield entry
  } catch (error) {
    if (folder === '') throw error
    onFault({ id: folder, kind: 'folder', error })
  }
}

async function statFiles({ root, onFault }: ListingOptions, ids: readonly string[]): Promise<ListedFile[]> {
  const looks = await Promise.allSettled(ids.map(id => lstat(join(root, id))))
  return looks.flatMap((look, position) => {
    const id = ids[position] as string
    if (look.status === 'fulfilled') return look.value.isFile() ? [listedFile(root, id, look.value)] : []
    // A file deleted after its folder was read is not a fault.
    if ((look.reason as NodeJS.ErrnoException).code !== 'ENOENT')
      onFault({ id, kind: 'file', error: look.reason })
    return []
  })
}

function listedFile(root: string, id: string, { size, mtimeMs, ino, blocks }: Stats): ListedFile {
  return { id, path: join(root, id), size, mtimeMs, inode: String(ino), blocks }
}

/** Selects paths below a root; paths have `/` between their parts. */
interface PathFilter {
  takes(path: string): boolean
  /** True for an ignored file, or for a folder with everything in it. */
  ignores(path: string, name: string): boolean
}

/**
 * Builds a path filter. An ignore pattern without `/` matches names at any depth, any other one paths below
 * the root. Hidden files and folders are included if a pattern contains the dot.
 */
export function createPathFilter({
  patterns,
  ignorePatterns,
}: {
  patterns: readonly string[]
  ignorePatterns: readonly string[]
}): PathFilter {
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
