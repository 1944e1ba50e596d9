import { setTimeout as after } from 'node:timers/promises'
import { type Heard, WatchedFolders, type WatchFolder } from '../../files/watched-folders.js'
import type { CodeIndexer } from './code-indexer.js'
import type { RunReport } from './indexing/run-request.js'
import { languageOf } from './languages/language-of.js'
import { listFiles } from './listing/list-files.js'
import { isNever } from './listing/refusal.js'

export interface WatchedCode {
  /** Absolute. */
  root: string
  indexer: Pick<CodeIndexer, 'index'>
  /** Hears what each run did. */
  onRead(report: RunReport): void
  /** Hears why a run failed; the next change is taken all the same. */
  onError(error: unknown): void
  /** Default: the system's. */
  watchFolder?: WatchFolder
  /** How often all is looked at where the system watches nothing; default a minute. */
  scanEveryMs?: number
}

/** Of more changes at once, as another branch brings them, each is not looked up. */
const maxPaths = 1000

/**
 * Keeps the index of a project in step while somebody works there. A hint alone: what is missed is found by the next whole
 * run. @returns what ends it, with the run that is under way.
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
    const heard: Heard | undefined = isDeaf
      ? await Promise.race([next, after(scanEveryMs, undefined, { signal, ref: false })])
      : await next
    const paths = [...(heard?.paths ?? [])].filter(path => !path.split('/').some(isNever))
    isDeaf ||= heard?.isDeaf ?? false
    const isWhole = !heard || heard.isUnclear || paths.length > maxPaths
    // What is no code may be a folder that came or went.
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
