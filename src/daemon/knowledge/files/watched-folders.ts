import { type FSWatcher, watch } from 'node:fs'
import { join, sep } from 'node:path'
import { deferred } from '../../../lib/concurrency/deferred.js'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { systemWait } from '../../ground/fetch/with-retries.js'

/** What the system told since it was looked at. */
export interface Heard {
  /** Below the root, with `/` between their parts: files or folders, there or not. */
  paths: Set<string>
  /** Something happened that no path tells of. */
  isUnclear: boolean
  /** The system watches nothing here: no watches are left, or it has none for this disk. */
  isDeaf: boolean
}

/** Programs write a file in several steps: changes are taken together. */
const settleMs = 250
/** A folder that went away, or that may not be read, which its listing tells of: the others are watched all the same. */
const ofOneFolder = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'])

/** As node's `fs.watch`. */
export type WatchFolder = (
  path: string,
  options: { recursive: boolean; persistent: boolean },
) => Pick<FSWatcher, 'on' | 'close'>

/**
 * Hears of changes below a root. Where the system watches whole trees it is one watch, elsewhere one for each folder:
 * a watch for each file, as common watchers take, holds up the event loop for a second where there are ten thousand.
 */
export class WatchedFolders {
  readonly #root: string
  readonly #isTree: boolean
  readonly #watchFolder: WatchFolder
  readonly #watches = new Map<string, ReturnType<WatchFolder>>()
  #heard = silence()
  #something = deferred<void>()
  #lastAt = 0

  constructor(root: string, watchFolder: WatchFolder = watch, platform: NodeJS.Platform = process.platform) {
    this.#root = root
    this.#watchFolder = watchFolder
    this.#isTree = platform === 'darwin' || platform === 'win32'
  }

  /** Watches these folders and no others. @param folders below the root, which is an empty path */
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
   * Waits until something was heard and nothing more for a moment.
   * @param end rejects when nobody waits any more; the signal's reason is what a wait ends with
   */
  async next(signal: AbortSignal, end: Promise<never>): Promise<Heard> {
    await Promise.race([this.#something.promise, end])
    for (let left = settleMs; left > 0; left = settleMs - (performance.now() - this.#lastAt))
      await systemWait(left, signal)
    const heard = this.#heard
    this.#heard = silence()
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
    // One that may not be read has no watch either: nothing was missed, and looking again would end the same way.
    if (code === 'EACCES' || code === 'EPERM') return
    this.#heard.isUnclear = true
    this.#heard.isDeaf ||= !ofOneFolder.has(code)
    this.#tell()
  }

  #tell(): void {
    this.#lastAt = performance.now()
    this.#something.resolve()
  }
}

function silence(): Heard {
  return { paths: new Set(), isUnclear: false, isDeaf: false }
}
