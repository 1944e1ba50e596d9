import { type FSWatcher, watch } from 'node:fs'
import { join, sep } from 'node:path'
import { deferred } from '../../../lib/concurrency/deferred.js'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { systemWait } from '../../ground/fetch/api-faults.js'

/** File events since the last call. */
export interface FolderChanges {
  /** Changed paths below the root, with `/` between their parts: files or folders, existing or not. */
  paths: Set<string>
  /** True after an event without a usable path. */
  isUnclear: boolean
  /** True if the system cannot watch here: no watches are left, or the disk does not support them. */
  isDeaf: boolean
}

/** Programs write a file in several steps, so changes are grouped. */
const settleMs = 250
/** Errors of a single folder that was deleted or is unreadable; the other folders are still watched. */
const ofOneFolder = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'])

/** Same as node's `fs.watch`. */
export type WatchFolder = (
  path: string,
  options: { recursive: boolean; persistent: boolean },
) => Pick<FSWatcher, 'on' | 'close'>

/**
 * Watches folders below a root, with a single watch for the tree if the system supports it, otherwise one per
 * folder. Common watchers use one watch per file, which blocks the event loop for a second with ten thousand
 * files.
 */
export class WatchedFolders {
  readonly #root: string
  readonly #isTree: boolean
  readonly #watchFolder: WatchFolder
  readonly #watches = new Map<string, ReturnType<WatchFolder>>()
  #heard = noChanges()
  #something = deferred<void>()
  #lastAt = 0

  constructor(root: string, watchFolder: WatchFolder = watch, platform: NodeJS.Platform = process.platform) {
    this.#root = root
    this.#watchFolder = watchFolder
    this.#isTree = platform === 'darwin' || platform === 'win32'
  }

  /**
   * Watches exactly these folders.
   * @param folders paths below the root, which is an empty path
   */
  async cover(folders: readonly string[]): Promise<void> {
    const wanted = new Set(this.#isTree ? [''] : folders)
    for (const [folder, watcher] of this.#watches) if (!wanted.has(folder)) this.#forget(folder, watcher)
    const breathe = everyFewMs()
    for (const folder of wanted) {
      if (!this.#watches.has(folder)) this.#watch(folder)
      await breathe()
    }
  }

  /**
   * Waits for an event, and then until there are no more for a moment.
   * @param end rejects when the caller stops waiting, with the signal's reason
   */
  async next(signal: AbortSignal, end: Promise<never>): Promise<FolderChanges> {
    await Promise.race([this.#something.promise, end])
    for (let left = settleMs; left > 0; left = settleMs - (performance.now() - this.#lastAt))
      await systemWait(left, signal)
    const heard = this.#heard
    this.#heard = noChanges()
    this.#something = deferred()
    return heard
  }

  close(): void {
    for (const [folder, watcher] of this.#watches) this.#forget(folder, watcher)
  }

  #watch(folder: string): void {
    try {
      const watcher = this.#watchFolder(join(this.#root, folder), {
        recursive: this.#isTree,
        persistent: false,
      })
      this.#watches.set(folder, watcher)
      watcher.on('change', (_event, name) => this.#note(folder, name === null ? undefined : String(name)))
      watcher.on('error', error => {
        this.#forget(folder, watcher)
        this.#fail(error)
      })
    } catch (error) {
      this.#fail(error)
    }
  }

  #forget(folder: string, watcher: ReturnType<WatchFolder>): void {
    this.#watches.delete(folder)
    watcher.close()
  }

  #note(folder: string, name: string | undefined): void {
    if (name === undefined) this.#heard.isUnclear = true
    else this.#heard.paths.add([folder, name.split(sep).join('/')].filter(Boolean).join('/'))
    this.#tell()
  }

  #fail(error: unknown): void {
    const { code = '' } = error as NodeJS.ErrnoException
    const isDenied = code === 'EACCES' || code === 'EPERM'
    // An unreadable folder cannot be watched either: nothing was missed, and another scan would fail the same
    // way.
    if (isDenied && !this.#isTree) return
    this.#heard.isUnclear = true
    // Windows reports the deletion of the root as a denial, and no other watch is left then.
    this.#heard.isDeaf ||= isDenied || !ofOneFolder.has(code)
    this.#tell()
  }

  #tell(): void {
    this.#lastAt = performance.now()
    this.#something.resolve()
  }
}

function noChanges(): FolderChanges {
  return { paths: new Set(), isUnclear: false, isDeaf: false }
}
