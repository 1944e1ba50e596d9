/**
 * The knowledge area: what is read besides memories, and what is known from all of it.
 *
 * `sources/` (here) follows Obsidian vaults, GitHub repositories and Discord servers; `documents/` and
 * `connectors/` read files and pages; `transcript-import/` takes in conversations of other programs; `code/`
 * indexes projects; `ontology/` has entities and claims with their quotes; `dreaming/` extracts these in the
 * background. Files and replies of other servers come in, as jobs or uploads; passages and claims go to the
 * database and the index, where recall finds them. It never writes to a source. Memories themselves belong
 * to the memory area.
 */

import * as importContract from '../../../contract/knowledge/sources/source-import.js'
import * as kindContract from '../../../contract/knowledge/sources/source-kinds.js'
import * as snapshotContract from '../../../contract/knowledge/sources/source-snapshot.js'
import * as contract from '../../../contract/knowledge/sources/sources.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { pauseSource, removeSource, resumeSource, syncSource } from './core/control-source.js'
import { chunkVectorsJob, createChunkVectors } from './core/embed-chunks.js'
import { findSource, listSources } from './core/find-source.js'
import { IndexRuns } from './core/index-runs.js'
import { knowKinds } from './core/kind.js'
import { sweepSnapshots } from './core/pending-snapshot.js'
import { Purges, sourcePurge } from './core/purges.js'
import { createRejudging } from './core/rejudge-artifacts.js'
import { keepRuns, runsOf } from './core/runs.js'
import { artifactRecordOf, sourceRecordOf, sourceRecordsOf } from './core/source-record.js'
import { addGuild } from './discord/discord.js'
import { recoverImports } from './file-import/import.js'
import { importFiles } from './file-import/import-files.js'
import { addRepos } from './github/github.js'
import { kinds } from './kinds.js'
import { addVault } from './obsidian/obsidian.js'
import { searchSources } from './search-sources.js'
import { exportSnapshot } from './snapshot/export-snapshot.js'
import { importSnapshot } from './snapshot/import-snapshot.js'

/** What was read of others (sources.md), and the search through it without memories. */
export const sources: Domain = {
  routes: [
    route(contract.listSources, async (daemon, { caller, query }) => {
      const rows = await listSources(daemon, caller, query)
      return { version: 1 as const, sources: await sourceRecordsOf(daemon, rows) }
    }),
    route(contract.searchSources, (daemon, { caller, body }) => searchSources(daemon, caller, body)),
    route(importContract.importFiles, (daemon, { caller, body, files, untilGone }) =>
      importFiles(daemon, caller, { body, files, signal: untilGone() }),
    ),
    route(kindContract.addVault, (daemon, { caller, body }) => addVault(daemon, caller, body)),
    route(kindContract.addRepo, (daemon, { caller, body }) => addRepos(daemon, caller, body)),
    route(kindContract.addGuild, (daemon, { caller, body }) => addGuild(daemon, caller, body)),
    route(contract.getSource, async (daemon, { caller, params, query }) =>
      sourceRecordOf(daemon, await findSource(daemon, caller, { id: params.sourceId, named: query })),
    ),
    route(contract.getSourceHealth, async (daemon, { caller, params, query }) => {
      const row = await findSource(daemon, caller, { id: params.sourceId, named: query })
      const source = await sourceRecordOf(daemon, row)
      return { source, stats: source.stats, health: source.health }
    }),
    route(contract.listArtifacts, async (daemon, { caller, params, query: { limit, offset, ...named } }) => {
      const row = await findSource(daemon, caller, { id: params.sourceId, named })
      const artifacts = await daemon.store.tables.sourceArtifacts.list(row.id, { limit, offset })
      return { artifacts: artifacts.map(artifactRecordOf), total: row.artifacts, limit, offset }
    }),
    route(snapshotContract.exportSnapshot, (daemon, { caller, params, query }) =>
      exportSnapshot(daemon, caller, { id: params.sourceId, query }),
    ),
    route(snapshotContract.importSnapshot, (daemon, { caller, params, query, body, untilGone }) =>
      importSnapshot(daemon, caller, { id: params.sourceId, query, body, signal: untilGone() }),
    ),
    route(contract.syncSource, (daemon, { caller, params, query, body }) =>
      syncSource(daemon, caller, { id: params.sourceId, named: query, full: body?.full ?? false }),
    ),
    route(contract.pauseSource, (daemon, { caller, params, query }) =>
      pauseSource(daemon, caller, { id: params.sourceId, named: query }),
    ),
    route(contract.resumeSource, (daemon, { caller, params, query }) =>
      resumeSource(daemon, caller, { id: params.sourceId, named: query }),
    ),
    route(contract.removeSource, (daemon, { caller, params, query }) =>
      removeSource(daemon, caller, { id: params.sourceId, named: query }),
    ),
  ],
  jobs: [chunkVectorsJob],
  workers: [
    createChunkVectors,
    createRejudging,
    daemon => {
      knowKinds(daemon, kinds)
      const runs = new IndexRuns(daemon)
      const purges = new Purges(daemon)
      keepRuns(daemon, { runs, purges })
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
    await daemon.store.tables.sourceJobs.requeueRunning(runsOf(daemon).running(), now)
    await recoverImports(daemon)
    await sweepSnapshots(daemon)
  },
}
