import { createHash } from 'node:crypto'
import { AppError } from '../../../../contract/ground/errors.js'
import type { AddedSource } from '../../../../contract/knowledge/sources/source-kinds.js'
import { noteLifecycle } from '../../../ground/recording/source-lifecycle.js'
import type { NamedAgent } from '../../../ground/visibility/boundary.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { agentOfSources } from './find-source.js'
import type { SourceKind } from './kind.js'
import { runsOf, type SourceDeps } from './runs.js'
import { sourceRecordOf } from './source-record.js'

/** A request to register a source. */
export interface SourceRegistration<Settings> {
  kind: SourceKind<Settings>
  settings: Settings
  name: string | null | undefined
  named: NamedAgent
}

/**
 * Returns the id of a source. It is derived from agent and place, so adding the same place again gives the
 * same id.
 */
export function sourceId(kind: SourceKind<unknown>['kind'], agentId: string, identity: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([agentId, identity]))
    .digest('hex')
  return `${kind}:${hash.slice(0, 24)}`
}

/**
 * Registers a source and queues its first pass. A source that is already registered keeps its id, gets the
 * new settings and is read again (sources.md#adding).
 * @throws AppError `conflict` while it is being removed
 */
export async function addSource<Settings>(
  deps: SourceDeps,
  caller: Caller,
  { kind, settings, name, named }: SourceRegistration<Settings>,
): Promise<AddedSource> {
  const { store, clock } = deps
  const agentId = agentOfSources(caller, named)
  const described = kind.describe(settings)
  const id = sourceId(kind.kind, agentId, kind.identityOf(settings))
  const now = clock().toISOString()
  const facts = {
    root: described.root,
    settings: JSON.stringify(settings),
    exclude_globs: JSON.stringify(described.excludeGlobs ?? []),
    updated_at: now,
  }
  const isNew = await store.transaction(async tables => {
    const isInserted = await tables.sources.insert({
      id,
      agent_id: agentId,
      kind: kind.kind,
      name: name ?? described.name,
      created_by: caller.actor,
      created_at: now,
      ...facts,
    })
    if (!isInserted && !(await tables.sources.change(id, { ...facts, ...(name && { name }) })))
      throw new AppError('conflict', `the source ${id} is being removed; add it again afterwards`)
    await tables.sourceJobs.request(id, { full: false, now })
    return isInserted
  })
  if (isNew) await noteLifecycle(deps, { kind: kind.kind, phase: 'connection' })
  runsOf(deps).look()
  const row = await store.tables.sources.load(id)
  if (!row) throw new AppError('conflict', `the source ${id} was removed in the meantime`)
  const source = await sourceRecordOf(deps, row)
  const status = source.indexJob?.status ?? 'queued'
  return {
    source,
    created: isNew,
    indexed: row.covered,
    queued: true,
    job: { status, sourceId: id },
  }
}
