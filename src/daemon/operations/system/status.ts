import type { Reply } from '../../../contract/api.js'
import { formatProblem } from '../../../lib/workspace/settings-file.js'
import { secondsBehind } from '../../ground/index/follow-changes.js'
import { liveSessionCutoff } from '../../ground/sessions/session-key.js'
import { pipelineMode } from '../../ground/settings/pipeline-mode.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { namedNode } from '../../platform/nodes/held-work.js'
import { diagnosticsReport } from '../diagnostics/report.js'

/** `GET /api/status` (rules.md#health-and-status). */
export async function status(daemon: Daemon, caller: Caller): Promise<Reply<'GET /api/status'>> {
  const { version, paths, startedAt, clock, store, index, configuration } = daemon
  const { settings, problems } = configuration()
  const { mutationsFrozen } = settings.memory.pipelineV2
  await daemon.room.look()
  const embedding = daemon.embedder().status()
  const { entries: documents, ...indexed } = await index.stats()
  const behindSeconds = secondsBehind(daemon.changes)
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
    index: { documents, ...indexed, ...(behindSeconds !== undefined && { behindSeconds }) },
    storage: storage(daemon),
    ...(store.tables.nodes.own !== null && { nodes: await nodesOf(daemon, indexed.change) }),
    health: (await diagnosticsReport(daemon, caller, { refresh: false })).health,
    memories: (await store.tables.memories.countAlive()) - (await store.tables.memories.countChunks()),
    bypassedSessions: await store.tables.sessions.countBypassed(liveSessionCutoff(clock())),
    settingsProblems: problems.map(formatProblem),
  }
}

/** @param change how far the index of this daemon is */
async function nodesOf({ store }: Daemon, change: number): Promise<Reply<'GET /api/status'>['nodes']> {
  const { nodes, jobs } = store.tables
  const [rows, duties, leases] = await Promise.all([nodes.all(), nodes.duties(), jobs.leasesByNode()])
  return rows.map(({ id, version, started_at, seen_at, applied, ...named }) => ({
    // Its own row is as old as its last heartbeat.
    ...{ ...namedNode(named), version, applied: id === nodes.own ? change : applied },
    startedAt: started_at,
    seenAt: seen_at,
    jobs: leases.find(({ node }) => node === id)?.jobs ?? 0,
    // Others are works on one thing, such as each command with secrets.
    duties: duties.filter(duty => duty.node === id && !duty.name.includes(':')).map(duty => duty.name),
  }))
}

function storage({ room, integrity, store }: Daemon): Reply<'GET /api/status'>['storage'] {
  const problem = room.problem()
  return {
    writable: problem === undefined,
    ...(problem && { problem }),
    ...(store.server && { server: store.server.place }),
    damage: [...integrity.problems()],
  }
}
