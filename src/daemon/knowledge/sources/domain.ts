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
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { hasNodeDuty } from '../../platform/jobs/periodic-work.js'
import { chunkVectorsJob, createChunkVectors } from './core/embed-chunks.js'
import { SourceRuns } from './core/index-runs.js'
import { registerKinds } from './core/kind.js'
import { sweepSnapshots } from './core/pending-snapshot.js'
import { Purges, sourcePurge } from './core/purges.js'
import { createRejudging } from './core/rejudge-artifacts.js'
import { registerRuns, runsOf } from './core/runs.js'
import { recoverImports } from './file-import/import.js'
import { kinds } from './kinds.js'

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
