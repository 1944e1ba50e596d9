import { setTimeout as after } from 'node:timers/promises'
import { type FolderChanges, WatchedFolders, type WatchFolder } from '../../files/watched-folders.js'
import type { CodeIndexer } from './code-indexer.js'
import type { RunReport } from './indexing/run-request.js'
import { languageOf } from './languages/language-of.js'
import { listFiles } from './listing/list-files.js'
import { isIgnoredFolder } from './listing/refusal.js'

export interface WatchedCode {
  /** Absolute path. */
  root: string
  indexer: Pick<CodeIndexer, 'index'>
  /** Called with the report of each run. */
  onRead(report: RunReport): void
  /** Called with the error of a failed run; later changes are still indexed. */
  onError(error: unknown): void
  /** Defaults to the system's file watching. */
  watchFolder?: WatchFolder
  /** Interval of full scans if the system cannot watch; default a minute. */
  scanEveryMs?: number
}

/** More changes at once, such as after a branch switch, trigger a full run. */
const maxPaths = 1000

/**
 * Updates the index of a project while a session works in it. Missed changes are found by the next full run.
 * @returns a function that stops watching and the current run
 */
export function watchCode(watched: WatchedCode): () => Promise<void> {
  const ended = new AbortController()
  const folders = new WatchedFolders(watched.root, watched.watchFolder)
  const following = follow(watched, folders, ended.signal)
    .catch(error => (ended.signal.aborted ? undefined : watched.onError(error)))
    .finally(() => folders.close())
  return async () => {
    ended.abort()
    await following
  }
}

async function follow(watched: WatchedCode, folders: WatchedFolders, signal: AbortSignal): Promise<void> {
  const { root, scanEveryMs = 60_000 } = watched
  const end = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  end.catch(() => undefined)
  for (let isOutdated = true, isDeaf = false; ; ) {
    if (isOutdated) await folders.cover((await listFiles(root)).folders)
    signal.throwIfAborted()
    const next = folders.next(signal, end)
    next.catch(() => undefined)
    const heard: FolderChanges | undefined = isDeaf
      ? await Promise.race([next, after(scanEveryMs, undefined, { signal, ref: false })])
      : await next
    const paths = [...(heard?.paths ?? [])].filter(path => !path.split('/').some(isIgnoredFolder))
    isDeaf ||= heard?.isDeaf ?? false
    const isWhole = !heard || heard.isUnclear || paths.length > maxPaths
    // A path that is not code may be a folder that was added or removed.
    isOutdated = isWhole || paths.some(path => !languageOf(path))
    if (isWhole || paths.length > 0) await read(watched, isWhole ? undefined : paths, signal)
  }
}

async function read(
  { root, indexer, onRead, onError }: WatchedCode,
  paths: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<void> {
  try {
    onRead(await indexer.index({ root, signal, ...(paths && { paths }) }))
  } catch (error) {
    if (signal.aborted) throw error
    onError(error)
  }
}
