import { lstat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { type FSWatcher, watch } from 'chokidar'
import type { VaultSettings } from '../../../../contract/knowledge/source-kinds.js'
import { deferred } from '../../../../lib/deferred.js'
import type { KindDeps, Pass, Source, SourceEvent } from '../core/kind.js'
import { vaultChoice } from './list-vault.js'
import { readVault } from './read.js'
import { readNote } from './read-note.js'

/** Programs write a file in several steps: changes are taken together. */
const settleMs = 250
/** Without watches the vault is looked at so often. */
const scanEveryMs = 60_000
/** More changes than these are found sooner by a look at everything. */
const manyChanges = 200

/** What the watcher told since it was looked at. */
interface Heard {
  paths: Set<string>
  /** Something went, or cannot be told. */
  isUnclear: boolean
  /** No watches are left. */
  isDeaf: boolean
}

/**
 * Changes of a vault as they come. The watcher is a hint: what it names is looked at, and where something went the whole
 * vault is (sources.md#obsidian). Where the system has no watches left it is looked at every minute.
 */
export async function* watchVault(
  deps: KindDeps,
  source: Source<VaultSettings>,
  pass: Pass,
): AsyncGenerator<SourceEvent> {
  const { signal } = pass
  const hearing = hear(source.settings)
  const end = abortOf(signal)
  try {
    await Promise.race([hearing.ready, end])
    // What changed between the pass and the first watch nobody told of.
    yield* readVault(deps, source, { ...pass, full: false })
    while (!signal.aborted) {
      const { paths, isUnclear, isDeaf } = await hearing.next(signal, end)
      if (isDeaf) return yield* scanByTime(deps, source, pass)
      if (isUnclear || paths.size > manyChanges) yield* readVault(deps, source, { ...pass, full: false })
      else for (const path of paths) yield* readChanged(deps, source, path)
    }
  } finally {
    await hearing.close()
  }
}

async function* scanByTime(
  deps: KindDeps,
  source: Source<VaultSettings>,
  pass: Pass,
): AsyncGenerator<SourceEvent> {
  yield {
    event: 'fault',
    path: '.',
    message: `the system has no file watches left: the vault is looked at every ${scanEveryMs / 1000} seconds`,
    isRecoverable: true,
  }
  for (;;) {
    await after(scanEveryMs, undefined, { signal: pass.signal, ref: false })
    yield* readVault(deps, source, { ...pass, full: false })
  }
}

async function* readChanged(
  deps: KindDeps,
  { settings }: Source<VaultSettings>,
  id: string,
): AsyncGenerator<SourceEvent> {
  const path = join(settings.path, id)
  const stats = await lstat(path).catch(() => undefined)
  if (!stats?.isFile()) return
  const { size, mtimeMs, ino, blocks } = stats
  const event = await readNote(deps, { id, path, size, mtimeMs, inode: String(ino), blocks })
  if (event) yield event
}

interface Hearing {
  ready: Promise<void>
  /** Waits until something was heard and nothing more for a moment. */
  next(signal: AbortSignal, end: Promise<never>): Promise<Heard>
  close(): Promise<void>
}

function hear(settings: VaultSettings): Hearing {
  const { path: root } = settings
  const choice = vaultChoice(settings)
  const state = { heard: silence(), something: deferred<void>(), lastAt: 0 }
  const note = (change: (heard: Heard) => void): void => {
    change(state.heard)
    state.lastAt = performance.now()
    state.something.resolve()
  }
  const idOf = (path: string): string => relative(root, path).split(sep).join('/')
  const watcher: FSWatcher = watch(root, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path, stats) => {
      const id = idOf(path)
      if (id === '') return false
      return (
        choice.ignores(id, id.slice(id.lastIndexOf('/') + 1)) ||
        (stats?.isFile() === true && !choice.takes(id))
      )
    },
  })
  const ready = deferred<void>()
  const onPath = (path: string): void => note(heard => heard.paths.add(idOf(path)))
  const onUnclear = (): void =>
    note(heard => {
      heard.isUnclear = true
    })
  watcher
    .on('add', onPath)
    .on('change', onPath)
    .on('unlink', onUnclear)
    .on('unlinkDir', onUnclear)
    .on('addDir', onUnclear)
    .on('ready', () => ready.resolve())
    .on('error', error => {
      const { code } = error as NodeJS.ErrnoException
      const isDeaf = code === 'EMFILE' || code === 'ENOSPC' || code === 'ENFILE'
      note(heard => {
        heard.isDeaf ||= isDeaf
        heard.isUnclear = true
      })
      ready.resolve()
    })
  return {
    ready: ready.promise,
    next: async (signal, end) => {
      await Promise.race([state.something.promise, end])
      for (let left = settleMs; left > 0; left = settleMs - (performance.now() - state.lastAt))
        await after(left, undefined, { signal, ref: false })
      const { heard } = state
      state.heard = silence()
      state.something = deferred()
      return heard
    },
    close: () => watcher.close(),
  }
}

function silence(): Heard {
  return { paths: new Set(), isUnclear: false, isDeaf: false }
}

/** Rejects once the signal is aborted; one promise for as long as somebody waits. */
function abortOf(signal: AbortSignal): Promise<never> {
  const end = deferred<never>()
  end.promise.catch(() => undefined)
  if (signal.aborted) end.reject(signal.reason)
  signal.addEventListener('abort', () => end.reject(signal.reason), { once: true })
  return end.promise
}
