import { lstat, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ObsidianSettings } from '../../../../contract/knowledge/sources/source-kinds.js'
import { deferred } from '../../../../lib/concurrency/deferred.js'
import { mirrorState } from '../../../../lib/files/ignore-files.js'
import { systemWait, type Wait } from '../../../ground/fetch/api-faults.js'
import { mirrorCheck } from '../../files/list-files.js'
import { WatchedFolders, type WatchFolder } from '../../files/watched-folders.js'
import type { KindDeps, Pass, Source, SourceEvent } from '../core/kind.js'
import { assertVaultFolder, listVault, vaultChoice } from './list-vault.js'
import { readVault } from './read.js'
import { readNote } from './read-note.js'

/** Interval for scanning a vault that cannot be watched. */
const scanEveryMs = 60_000
/** With more changes than this, one full scan is faster. */
const manyChanges = 200

/** Returns the names in a folder as the disk spells them. */
type NamesIn = (folder: string) => Promise<readonly string[]>

/** Windows and macOS find a file under every case of its name; other systems need no listing. */
const ownNamesIn: NamesIn | undefined = ['win32', 'darwin'].includes(process.platform)
  ? folder => readdir(folder).catch(() => [])
  : undefined

interface WatchOptions {
  watchFolder?: WatchFolder
  wait?: Wait
  /** Given on systems that ignore the case of names. */
  namesIn?: NamesIn | undefined
}

/**
 * Follows the changes of a vault. File events are hints: changed files are read again, and after a deletion
 * the whole vault is (sources.md#obsidian). If the system has no watches left, the vault is scanned every
 * minute.
 */
export async function* watchVault(
  deps: KindDeps,
  source: Source<ObsidianSettings>,
  pass: Pass,
  { watchFolder, wait = systemWait, namesIn = ownNamesIn }: WatchOptions = {},
): AsyncGenerator<SourceEvent> {
  const { signal } = pass
  const watched = new WatchedFolders(source.settings.path, watchFolder)
  const end = abortOf(signal)
  try {
    // Changes between the pass and the first watch were not observed.
    yield* scanVault(deps, source, pass, watched)
    while (!signal.aborted) {
      const { paths, isUnclear, isDeaf } = await watched.next(signal, end)
      if (isDeaf) {
        watched.close()
        return yield* scanPeriodically(deps, source, pass, wait)
      }
      const changed =
        isUnclear || paths.size > manyChanges ? undefined : await changedNotes(source, paths, namesIn)
      if (changed === undefined) {
        yield* scanVault(deps, source, pass, watched)
        continue
      }
      await assertVaultFolder(deps, source.settings)
      for (const id of changed) yield* readChanged(deps, source, id)
    }
  } finally {
    watched.close()
  }
}

/** Watches every current folder, then reads changes made before it was watched. */
async function* scanVault(
  deps: KindDeps,
  source: Source<ObsidianSettings>,
  pass: Pass,
  watched: WatchedFolders,
): AsyncGenerator<SourceEvent> {
  await watched.cover((await listVault(deps, source.settings, pass.signal)).folders)
  yield* readVault(deps, source, { ...pass, full: false })
}

/** Returns the notes among the changed paths; undefined after a new folder or a deletion. */
async function changedNotes(
  { settings }: Source<ObsidianSettings>,
  paths: Iterable<string>,
  namesIn: NamesIn | undefined,
): Promise<string[] | undefined> {
  const choice = vaultChoice(settings)
  const isMirrored = mirrorCheck(settings.path)
  const notes: string[] = []
  for (const id of paths) {
    if (choice.ignores(id, id.slice(id.lastIndexOf('/') + 1))) continue
    const stats = await lstat(join(settings.path, id)).catch(() => undefined)
    // A deleted path may have been a folder, and a mirror of memories may have taken over notes.
    if (!stats || stats.isDirectory() || basename(id) === mirrorState) return undefined
    // After a rename to another case the old name still finds the note.
    if (namesIn && !(await namesIn(join(settings.path, dirname(id)))).includes(basename(id))) return undefined
    if (stats.isFile() && choice.takes(id) && !(await isMirrored(id))) notes.push(id)
  }
  return notes
}

async function* scanPeriodically(
  deps: KindDeps,
  source: Source<ObsidianSettings>,
  pass: Pass,
  wait: Wait,
): AsyncGenerator<SourceEvent> {
  yield {
    event: 'fault',
    path: '.',
    message: `the system reports no changes here (no file watches left, or none for this disk): the vault is scanned every ${scanEveryMs / 1000} seconds`,
    isRecoverable: true,
  }
  for (;;) {
    await wait(scanEveryMs, pass.signal)
    yield* readVault(deps, source, { ...pass, full: false })
  }
}

async function* readChanged(
  deps: KindDeps,
  { settings }: Source<ObsidianSettings>,
  id: string,
): AsyncGenerator<SourceEvent> {
  const path = join(settings.path, id)
  const stats = await lstat(path).catch(() => undefined)
  if (!stats?.isFile()) return
  const { size, mtimeMs, ino, blocks } = stats
  const event = await readNote(deps, { id, path, size, mtimeMs, inode: String(ino), blocks })
  if (event) yield event
}

/** Returns a single promise that rejects once the signal aborts. */
function abortOf(signal: AbortSignal): Promise<never> {
  const end = deferred<never>()
  end.promise.catch(() => undefined)
  if (signal.aborted) end.reject(signal.reason)
  signal.addEventListener('abort', () => end.reject(signal.reason), { once: true })
  return end.promise
}
