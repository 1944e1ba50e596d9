import type { Reply } from '../../../contract/api.js'
import { dayMs } from '../../../lib/time/time.js'
import type { OntologyChangeRow, RowImage } from '../../../store/tables/knowledge/ontology-changes.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { assertPerson } from './decide-proposal.js'
import { type NamedPlace, readerOf } from './model/reader.js'
import { undoDays } from './note-change.js'

type Deps = Pick<Daemon, 'store' | 'clock'>

const mostListed = 200

/**
 * Undoes the last decisions, merge, split or alias of a person, or those of a batch: every row that they
 * changed is as before. Refused once one of these rows has changed again.
 * @throws AppError `forbidden` for callers that are not a person, `scope_violation`
 */
export async function undoOntology(
  { store, clock }: Deps,
  caller: Caller,
  { batch, ...named }: NamedPlace & { batch?: string | null | undefined },
): Promise<Reply<'POST /api/ontology/undo'>> {
  assertPerson(caller)
  const { agentId, boundary } = readerOf(caller, named)
  const since = new Date(clock().getTime() - undoDays * dayMs).toISOString()
  return store
    .transaction(async tables => {
      const changes = await changesOf(tables, agentId, { batch, since })
      const [first] = changes
      if (!first || boundary.only) return { status: 'nothing_to_undo' as const }
      for (const change of changes) {
        const images = JSON.parse(change.details) as RowImage[]
        if (!(await tables.ontologyChanges.isUnchanged(images))) throw new ChangedSince()
        if (!(await tables.ontologyChanges.restore(images))) throw new ChangedSince()
        await recount(tables, images)
        await tables.ontologyChanges.markUndone(change.id, clock().toISOString())
      }
      const undone = [...new Set(changes.map(({ title }) => title))]
      return { status: 'undone' as const, batch: first.batch, undone }
    })
    .catch(error => {
      if (error instanceof ChangedSince) return { status: 'changed_since' as const }
      throw error
    })
}

/** Rolls the transaction back, so that a batch is undone as a whole or not at all. */
class ChangedSince extends Error {}

/** Returns the changes to undo, newest first. */
async function changesOf(
  { ontologyChanges }: Tables,
  agentId: string,
  { batch, since }: { batch: string | null | undefined; since: string },
): Promise<OntologyChangeRow[]> {
  const isOpen = ({ undone_at }: OntologyChangeRow) => undone_at === null
  const last = batch ?? (await ontologyChanges.since(agentId, since, mostListed)).find(isOpen)?.batch
  return last === undefined ? [] : (await ontologyChanges.ofBatch(agentId, last)).filter(isOpen)
}

async function recount({ entities }: Tables, images: readonly RowImage[]): Promise<void> {
  const ids = images.flatMap(({ table, before, after }) =>
    table === 'entities' ? [String((before ?? after)?.id)] : [],
  )
  for (const id of new Set(ids)) await entities.recount(id)
}
