import type { Reply } from '../../../contract/api.js'
import { namesModel } from '../../../lib/workspace/model-folder.js'
import { formatProblem } from '../../../lib/workspace/settings-file.js'
import { liveSessionCutoff } from '../../ground/sessions/session-key.js'
import { pipelineMode } from '../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { readiness } from './readiness.js'

/** `GET /api/status` (rules.md#health-and-status). */
export async function status(daemon: Daemon): Promise<Reply<'GET /api/status'>> {
  const { version, paths, startedAt, clock, store, index, configuration } = daemon
  const { settings, problems } = configuration()
  const { mutationsFrozen } = settings.memory.pipelineV2
  await daemon.room.look()
  const embedding = daemon.embedder().status()
  const { entries: documents, ...indexed } = await index.stats()
  return {
    version,
    pid: process.pid,
    uptime: (clock().getTime() - startedAt.getTime()) / 1000,
    startedAt: startedAt.toISOString(),
    ...daemon.address(),
    workspace: paths.root,
    pipeline: { mode: pipelineMode(settings), mutationsFrozen },
    embedding: {
      provider: embedding.provider,
      model: embedding.model,
      dimensions: embedding.dimensions,
      available: embedding.available,
      state: embedding.state,
      ...(embedding.error && { error: embedding.error }),
      ...(embedding.runtime && { runtime: embedding.runtime }),
      ...(embedding.progress && { progress: embedding.progress }),
      withoutVector: await store.tables.vectors.countMissing(embedding),
    },
    index: { documents, ...indexed },
    storage: storage(daemon),
    health: await health(daemon),
    memories: (await store.tables.memories.countAlive()) - (await store.tables.memories.countChunks()),
    bypassedSessions: await store.tables.sessions.countBypassed(liveSessionCutoff(clock())),
    settingsProblems: problems.map(formatProblem),
  }
}

function storage({ room, integrity }: Daemon): Reply<'GET /api/status'>['storage'] {
  const problem = room.problem()
  return { writable: problem === undefined, ...(problem && { problem }), damage: [...integrity.problems()] }
}

/**
 * Share of successful checks. Without an embedder recall still works with keywords, so the worst status is
 * `degraded`.
 */
export async function health(daemon: Daemon): Promise<Reply<'GET /api/status'>['health']> {
  const { ready, checks } = await readiness(daemon, daemon.room.problem())
  const all = Object.values(embeddingMissed(daemon) ? checks : { ...checks, embedding: { ok: true } })
  const score = all.filter(({ ok }) => ok).length / all.length
  if (!ready) return { score, status: 'unhealthy' }
  return { score, status: score === 1 ? 'healthy' : 'degraded' }
}

/**
 * An embedder that is off, downloading or not requested is not a fault; `memory doctor` uses the same rule.
 */
function embeddingMissed({ embedder, configuration }: Daemon): boolean {
  const { state, available } = embedder().status()
  if (state === 'missing') return namesModel(configuration().settings.embedding)
  return !available && state !== 'off' && state !== 'downloading'
}
