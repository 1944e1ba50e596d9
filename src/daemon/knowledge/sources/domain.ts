/**
 * The knowledge area: reads external texts besides memories, and extracts entities and facts from all texts.
 *
 * `sources/` (here) follows Obsidian vaults, GitHub repositories and Discord servers; `documents/` and
 * `connectors/` read files and pages; `transcript-import/` imports conversations of other programs;
 * `code/` indexes projects; `ontology/` stores entities and facts with their quotes; `dreaming/` extracts
 * these in the background. Files and replies of other servers come in, as jobs or uploads; passages and
 * facts go to the database and the index, where recall finds them. It never writes to a source. Memories
 * themselves belong to the memory area.
 */
import * as importContract from '../../../contract/knowledge/sources/source-import.js'
import * as kindContract from '../../../contract/knowledge/sources/source-kinds.js'
import * as snapshotContract from '../../../contract/knowledge/sources/source-snapshot.js'
import * as contract from '../../../contract/knowledge/sources/sources.js'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import type { ArtifactRow } from '../../../store/tables/knowledge/source-artifacts.js'
import type { SourceChunkRow } from '../../../store/tables/knowledge/source-chunks.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { hasNodeDuty } from '../../platform/jobs/periodic-work.js'
import { createOnePassWork, type Worker } from '../../platform/jobs/worker.js'
import { scanTextsInSlices } from '../../safety/late-scan.js'
import { policyVersion, verdictColumns } from '../../safety/verdict-columns.js'
import { chunkVectorsJob, createChunkVectors } from './core/embed-chunks.js'
import { SourceRuns } from './core/index-runs.js'
import { registerKinds } from './core/kind.js'
import { sweepSnapshots } from './core/pending-snapshot.js'
import { Purges, sourcePurge } from './core/purges.js'
import { registerRuns, runsOf } from './core/runs.js'
import { transactionChunks } from './core/write-artifact.js'
import { recoverImports } from './file-import/import.js'
import { kinds } from './kinds.js'

type Deps = Pick<Daemon, 'store' | 'artifactIndex' | 'clock' | 'configuration' | 'log'>

const batchSize = 20

/** Routes and workers of sources (sources.md), including the search without memories. */
export const sources: Domain = {
  routes: lateRoutes(
    [
      contract.listSources,
      contract.searchSources,
      importContract.importFiles,
      kindContract.addVault,
      kindContract.addRepo,
      kindContract.addGuild,
      contract.getSource,
      contract.getSourceHealth,
      contract.listArtifacts,
      snapshotContract.exportSnapshot,
      snapshotContract.importSnapshot,
      contract.syncSource,
      contract.pauseSource,
      contract.resumeSource,
      contract.removeSource,
    ],
    () => import('./routes.js'),
  ),
  jobs: [chunkVectorsJob],
  workers: [
    createChunkVectors,
    createRejudging,
    daemon => {
      registerKinds(daemon, kinds)
      const runs = new SourceRuns(daemon)
      const purges = new Purges(daemon)
      registerRuns(daemon, { runs, purges })
      return {
        kind: sourcePurge.kind,
        start: () => {
          runs.start()
          purges.start()
        },
        hear: event => {
          runs.hear(event)
          purges.wake()
        },
        wake: () => purges.wake(),
        busy: () => runs.busy() || purges.busy(),
        close: async () => {
          await Promise.all([runs.close(), purges.close()])
        },
      }
    },
  ],
  recover: async daemon => {
    const now = daemon.clock().toISOString()
    if (await hasNodeDuty(daemon, 'sources'))
      await daemon.store.tables.sourceJobs.requeueRunning(runsOf(daemon).running(), now)
    await sweepSnapshots(daemon)
  },
  recoverRows: recoverImports,
}

/**
 * Creates the work that rescans, after a start, artifacts scanned under another version of the safety policy.
 */
function createRejudging(deps: Deps): Worker {
  return createOnePassWork({
    run: signal => rejudgeArtifacts(deps, signal),
    onError: error => deps.log.warn({ err: error }, 'safety of artifacts not checked again'),
  })
}

async function rejudgeArtifacts(deps: Deps, signal: AbortSignal): Promise<void> {
  for (;;) {
    const rows = await deps.store.tables.sourceArtifacts.outdated(policyVersion, batchSize)
    if (rows.length === 0) return
    for (const row of rows) {
      if (signal.aborted || isFrozen(deps)) return
      await rejudge(deps, row)
    }
  }
}

/** Writes the policy version of the row last: after a stop in between, this artifact is scanned again. */
async function rejudge({ store, artifactIndex, clock }: Deps, row: ArtifactRow): Promise<void> {
  const breathe = everyFewMs()
  const names = JSON.parse(row.names) as string[]
  const text = (await store.tables.sourceArtifacts.textOf(row.id)) ?? ''
  const verdict = await scanTextsInSlices([row.title ?? '', ...names, text], breathe)
  const judged: { chunk: SourceChunkRow; status: string }[] = []
  for (let from = 0; ; from += transactionChunks) {
    const chunks = await store.tables.sourceChunks.of(row.id, from, transactionChunks)
    for (const chunk of chunks.filter(({ removed }) => removed === 0)) {
      const texts = [row.title ?? '', chunk.heading ?? '', ...(chunk.chunk === 0 ? names : []), chunk.text]
      const { status } = verdict.status === 'clean' ? verdict : await scanTextsInSlices(texts, breathe)
      judged.push({ chunk, status })
    }
    if (chunks.length < transactionChunks) break
  }
  const isAcross = verdict.status !== 'clean' && judged.every(({ status }) => status === 'clean')
  const changed = judged
    .map(({ chunk, status }) => ({ chunk, status: isAcross ? verdict.status : status }))
    .filter(({ chunk, status }) => chunk.safety_status !== status)
  const first = await store.write({ until: 'committed' }, async tables => {
    const change = changed.length > 0 ? await tables.meta.nextChanges(changed.length) : 0
    for (const [place, { chunk, status }] of changed.entries())
      await tables.sourceChunks.judge(chunk, status, change + place)
    await tables.sourceArtifacts.change(row.id, verdictColumns(verdict, clock().toISOString()))
    return change
  })
  if (changed.length > 0)
    await artifactIndex.apply(
      await store.tables.sourceChunks.changedBetween(first, first + changed.length - 1),
    )
}
