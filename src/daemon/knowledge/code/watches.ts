import { realpath } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { isInside } from '../../../lib/files/is-inside.js'
import { liveSince } from '../../ground/sessions/session-key.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork, type PeriodicWork } from '../../platform/jobs/periodic-work.js'

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
}

export function createWatches(deps: Deps, { follow, refresh }: WatchActions): Watches {
  const watched = new Map<string, () => Promise<void>>()
  const drop = async (root: string): Promise<void> => {
    const stop = watched.get(root)
    watched.delete(root)
    await stop?.()
  }
  const work = createPeriodicWork({
    run: async () => {
      const wanted = await rootsInUse(deps)
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

async function rootsInUse({ store, clock, plugins }: Deps): Promise<Set<string>> {
  if (!plugins.allows({ id: 'service.codeindex', capability: 'code:write' })) return new Set()
  const projects = await store.tables.codeProjects.indexed()
  if (projects.length === 0) return new Set()
  const since = liveSince(clock())
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
