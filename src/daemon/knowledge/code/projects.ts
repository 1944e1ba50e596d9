import { access, realpath } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { Reply } from '../../../contract/api.js'
import { AppError } from '../../../contract/ground/errors.js'
import { isInside } from '../../../lib/files/folders.js'
import { ensureInstance } from '../../../lib/workspace/instance-file.js'
import { removeCodeFile } from '../../../store/tables/knowledge/code-file.js'
import type { CodeProjectRow } from '../../../store/tables/knowledge/code-ties.js'
import { liveSessionCutoff } from '../../ground/sessions/session-key.js'
import { createDaemonState, type Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork, type PeriodicWork } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { createCodeIndexer } from './index/code-indexer.js'
import { codeDatabase, refuseLinks } from './index/indexing/index-folder.js'
import { CodeIndexRuns } from './index-runs.js'
import { openCodeReader } from './read/code-reader.js'
import { notIndexedError } from './read/open-index.js'
import type { Answer, Question, QuestionArgs } from './read/questions.js'
import { withoutIndex } from './read/read-status.js'
import { createTiePass } from './ties/tie-pass.js'

/** Indexes, watches and queries the projects of one daemon. */
export interface Projects extends Pick<CodeIndexRuns, 'queue' | 'cancel'> {
  ask<Name extends Question>(name: Name, root: string, ...args: QuestionArgs<Name>): Promise<Answer<Name>>
  status(root: string): Promise<Reply<'GET /api/code/status'>>
  /**
   * Deletes the index of a project.
   * @returns whether there was one
   */
  clear(root: string): Promise<boolean>
}

const kept = createDaemonState<Projects>()

/** @throws AppError `starting` */
export function projectsOf(daemon: Pick<Daemon, 'store'>): Projects {
  return kept.of(daemon)
}

/** Creates the projects of a daemon and the worker for their background work. */
export function createProjects(daemon: Daemon): Worker {
  const fileOf = (root: string) => codeDatabase(root, ensureInstance(daemon.paths.instance))
  const indexer = createCodeIndexer({ databaseOf: fileOf })
  const reader = openCodeReader(daemon)
  const ask: Projects['ask'] = (name, root, ...args) =>
    reader.ask(name, { root, file: fileOf(root) }, ...args)
  const indexed = () => indexedHere(daemon, fileOf)
  const ties = createTiePass(daemon, { indexed, locate: (root, ...args) => ask('ties', root, ...args) })
  const runs = new CodeIndexRuns(daemon, { indexer, fileOf }, root => {
    watches.wake()
    ties.again(root)
  })
  const refresh = (root: string) => runs.queue(root, { full: false, named: false })
  const follow = (root: string) => {
    const watching = import('./index/watch-code.js').then(({ watchCode }) =>
      watchCode({
        root,
        indexer,
        onRead: () => {
          runs.noteRead(root).catch(error => daemon.log.warn({ err: error }, 'code run not recorded'))
        },
        onError: error => daemon.log.warn({ err: error }, 'code changes not indexed'),
      }),
    )
    return async () => (await watching)()
  }
  const watches = createWatches(daemon, { follow, refresh, indexed })
  kept.keep(daemon, {
    ask,
    queue: (root, how) => runs.queue(root, how),
    cancel: root => runs.cancel(root),
    status: async root => {
      const row = await daemon.store.tables.codeProjects.find(root)
      const state = await ask('status', root).catch(error =>
        isNotIndexed(error) ? withoutIndex(root) : Promise.reject(error),
      )
      return { ...state, watching: watches.isWatched(root), job: row ? runs.jobOf(row) : null }
    },
    clear: async root => {
      const { codeProjects, codeTies } = daemon.store.tables
      refuseLinks(fileOf(root))
      const known = (await codeProjects.find(root))?.indexed_at ?? null
      if (known !== null && !(await indexed()).some(row => row.root === root)) throw notIndexedError(root)
      await watches.drop(root)
      const cancelled = await runs.cancel(root)
      removeCodeFile(fileOf(root))
      await codeProjects.change(root, { indexed_at: null, job: null, tied_change: 0 })
      await codeTies.dropTies(root)
      return known !== null || cancelled
    },
  })
  return combineWorkers(runs.worker, [watches, ties], [reader.close, indexer.close])
}

/** The indexed projects; of several daemons each has the indexes that it made. */
async function indexedHere(
  { store }: Pick<Daemon, 'store'>,
  fileOf: (root: string) => string,
): Promise<CodeProjectRow[]> {
  const rows = await store.tables.codeProjects.indexed()
  if (store.tables.nodes.own === null) return rows
  const isHere = await Promise.all(
    rows.map(({ root }) =>
      access(fileOf(root)).then(
        () => true,
        () => false,
      ),
    ),
  )
  return rows.filter((_, at) => isHere[at])
}

/** Combines workers: the first one runs the jobs, and shared resources are closed last. */
function combineWorkers(
  worker: Worker,
  others: readonly PeriodicWork[],
  ends: readonly (() => Promise<void>)[],
): Worker {
  const all = [worker, ...others]
  return {
    ...worker,
    start: () => {
      for (const one of all) one.start()
    },
    wake: () => {
      for (const one of all) one.wake?.()
    },
    close: async () => {
      await Promise.all(all.map(one => one.close()))
      await Promise.all(ends.map(end => end()))
    },
  }
}

function isNotIndexed(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not_indexed'
}

type Deps = Pick<Daemon, 'store' | 'clock' | 'log' | 'plugins'>

/** Live sessions considered, most recent first. */
const mostSessions = 100

/** Watches the files of indexed projects while sessions work in them (code-index.md 4). */
export interface Watches extends PeriodicWork {
  isWatched(root: string): boolean
  /** Stops watching a project whose index is being deleted. */
  drop(root: string): Promise<void>
}

interface WatchActions {
  /**
   * Watches the files of a project.
   * @returns a function that stops it
   */
  follow(root: string): () => Promise<void>
  /** Indexes changes made while the project was not watched. */
  refresh(root: string): Promise<unknown>
  indexed(): Promise<CodeProjectRow[]>
}

function createWatches(deps: Deps, { follow, refresh, indexed }: WatchActions): Watches {
  const watched = new Map<string, () => Promise<void>>()
  const drop = async (root: string): Promise<void> => {
    const stop = watched.get(root)
    watched.delete(root)
    await stop?.()
  }
  const work = createPeriodicWork({
    run: async () => {
      const wanted = await rootsInUse(deps, indexed)
      for (const root of watched.keys()) if (!wanted.has(root)) await drop(root)
      for (const root of wanted) {
        if (watched.has(root)) continue
        watched.set(root, follow(root))
        await refresh(root)
      }
    },
    onError: error => deps.log.warn({ err: error }, 'projects not watched'),
  })
  return {
    ...work,
    isWatched: root => watched.has(root),
    drop,
    close: async () => {
      await work.close()
      await Promise.all([...watched.keys()].map(drop))
    },
  }
}

async function rootsInUse(
  { store, clock, plugins }: Deps,
  indexed: WatchActions['indexed'],
): Promise<Set<string>> {
  if (!plugins.allows({ id: 'service.codeindex', capability: 'code:write' })) return new Set()
  const projects = await indexed()
  if (projects.length === 0) return new Set()
  const since = liveSessionCutoff(clock())
  const sessions = await store.tables.sessions.live(
    { agentId: undefined, project: undefined, since },
    mostSessions,
  )
  const named = sessions.flatMap(({ cwd, project }) => [cwd, project].filter(path => path !== null))
  const folders = await Promise.all(
    [...new Set(named)].filter(isAbsolute).map(path => realpath(path).catch(() => path)),
  )
  const inUse = (root: string): boolean => folders.some(path => path === root || isInside(root, path))
  return new Set(projects.map(({ root }) => root).filter(inUse))
}
