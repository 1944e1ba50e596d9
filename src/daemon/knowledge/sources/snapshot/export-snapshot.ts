import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SnapshotQuery } from '../../../../contract/knowledge/sources/source-snapshot.js'
import type { ArtifactRow } from '../../../../store/tables/knowledge/source-artifacts.js'
import type { SourceRow } from '../../../../store/tables/knowledge/sources.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { findSource } from '../core/find-source.js'
import type { SourceDeps } from '../core/runs.js'
import { sourceRecordOf } from '../core/source-record.js'

/** Artifacts that are read together; their texts, which may have megabytes, come one by one. */
const batchSize = 100
/** Characters that are written as JSON in one go. */
const sliceLength = 256 * 1024

/** All artifacts of a source as one JSON, written as it is read (sources.md#snapshots). */
export async function exportSnapshot(
  deps: SourceDeps,
  caller: Caller,
  { id, query }: { id: string; query: SnapshotQuery },
): Promise<Readable> {
  const row = await findSource(deps, caller, { id, named: query })
  const head = {
    version: 1,
    exportedAt: deps.clock().toISOString(),
    source: await sourceRecordOf(deps, row),
    agentId: row.agent_id,
  }
  return Readable.from(pieces(deps, row, { head, withLocal: query.includeLocalChatCache }))
}

async function* pieces(
  { store, budget }: Pick<SourceDeps, 'store' | 'budget'>,
  { id }: Pick<SourceRow, 'id'>,
  { head, withLocal }: { head: object; withLocal: boolean },
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"artifacts":[`
  const counts = { written: 0, skipped: 0 }
  for (let after: string | undefined = ''; after !== undefined; ) {
    const batch = await store.tables.sourceArtifacts.livingAfter(id, { after, limit: batchSize })
    for (const artifact of batch) {
      if (artifact.is_local_only === 1 && !withLocal) {
        counts.skipped++
        continue
      }
      const text = await store.tables.sourceArtifacts.textOf(artifact.id)
      // It went meanwhile.
      if (text === undefined) continue
      yield counts.written++ === 0 ? '\n' : ',\n'
      yield* artifactJson(artifact, text)
      await budget.breathe()
    }
    after = batch.length === batchSize ? batch.at(-1)?.path : undefined
  }
  yield `\n],"skipped":{"localChatArtifacts":${counts.skipped}}}\n`
}

/** Long texts are written in slices, with turns for others between. */
async function* artifactJson(artifact: ArtifactRow, text: string): AsyncGenerator<string> {
  const { path, kind, source_id, title, names, url, author, source_updated_at, is_local_only } = artifact
  const fields = {
    sourcePath: path,
    sourceKind: kind,
    sourceId: source_id,
    title,
    names: JSON.parse(names) as string[],
    url,
    author,
    updatedAt: source_updated_at,
    ...(is_local_only === 1 && { localOnly: true }),
  }
  yield `${JSON.stringify(fields).slice(0, -1)},"content":"`
  for (let from = 0; from < text.length; from += sliceLength) {
    // A pair that is cut is written as two escapes, which are read as one character.
    yield JSON.stringify(text.slice(from, from + sliceLength)).slice(1, -1)
    if (from > 0) await nextTurn()
  }
  yield '"}'
}
