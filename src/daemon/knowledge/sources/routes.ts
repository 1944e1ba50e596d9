import * as importContract from '../../../contract/knowledge/sources/source-import.js'
import * as kindContract from '../../../contract/knowledge/sources/source-kinds.js'
import * as snapshotContract from '../../../contract/knowledge/sources/source-snapshot.js'
import * as contract from '../../../contract/knowledge/sources/sources.js'
import { route } from '../../platform/http/bind.js'
import { pauseSource, removeSource, resumeSource, syncSource } from './core/control-source.js'
import { findSource, listSources } from './core/find-source.js'
import { artifactRecordOf, sourceRecordOf, sourceRecordsOf } from './core/source-record.js'
import { addGuild } from './discord/discord.js'
import { importFiles } from './file-import/import-files.js'
import { addRepos } from './github/github.js'
import { addVault } from './obsidian/obsidian.js'
import { searchSources } from './search-sources.js'
import { exportSnapshot } from './snapshot/export-snapshot.js'
import { importSnapshot } from './snapshot/import-snapshot.js'

export const routes = [
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
]
