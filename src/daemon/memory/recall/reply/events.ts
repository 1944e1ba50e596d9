import type { RecallBody, RecallRow } from '../../../../contract/memory/memory.js'
import type { InjectedItem } from '../../../../contract/sessions/black-box.js'
import { clip } from '../../../../lib/text/clip.js'
import { noteLifecycle } from '../../../ground/recording/source-lifecycle.js'
import { type BlackBoxEvent, givenPayload, leftOutPayload } from '../../../ground/sessions/black-box.js'
import { withoutPrivate } from '../../../ground/text/private-spans.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { Selection } from '../choose/choose-rows.js'
import { artifactType } from './row.js'

/** Maximum characters of a query in an event. */
const maxQuery = 200
/** Characters of a query searched for private spans. */
const maxRead = 4000

/** Black-box events of a recall: the request and the rows shown (rules.md 4.11). */
export function recallEvents(
  body: RecallBody,
  all: readonly RecallRow[],
  { withheld, leftOut }: Pick<Selection, 'withheld' | 'leftOut'>,
  epoch: number | undefined,
): BlackBoxEvent[] {
  const results = all.filter(({ source }) => source !== 'aggregate')
  const ids = results.map(({ id }) => id)
  const { type, tags, who, pinned, importance_min, since, until, project, scope, sessionId, time } = body
  const filters = { type, tags, who, pinned, importance_min, since, until, project, scope, sessionId, time }
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== null)
  return [
    {
      kind: 'recall.requested',
      title: 'recall requested',
      detail: clip(withoutPrivate(body.query).slice(0, maxRead), maxQuery),
      payload: {
        queryLength: body.query.length,
        limit: body.limit,
        filters: Object.fromEntries(given.map(([field, value]) => [field, shortened(value)])),
      },
    },
    {
      kind: 'recall.result',
      title: ids.length === 1 ? '1 memory shown' : `${ids.length} memories shown`,
      refs: ids,
      payload: {
        count: ids.length,
        withheld,
        ...(epoch !== undefined && { contextEpoch: epoch }),
        ...givenPayload(results.map(injectedItem)),
        ...leftOutPayload(leftOut),
      },
    },
  ]
}

/** A card is recorded with its entity's id, since its own id changes with every value. */
function injectedItem({ id, type, source, score, entity }: RecallRow): InjectedItem {
  const origin = { by: source, score }
  if (entity)
    return { id: entity.id, kind: 'entity', ...origin, values: entity.values.map(value => value.id) }
  return { id, kind: type === artifactType ? 'artifact' : 'memory', ...origin }
}

/** Callers may send filters of any length; the black box stays small. */
function shortened(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text.length <= maxQuery ? value : clip(text, maxQuery)
}

type SourceDeps = Parameters<typeof noteLifecycle>[0] & Pick<Daemon, 'store'>

/** Records the first recall of each source; the caller does not wait for it. */
export async function noteRecalledSources(deps: SourceDeps, sourceIds: Iterable<string>): Promise<void> {
  const ids = [...new Set(sourceIds)]
  if (ids.length === 0) return
  const { sources } = deps.store.tables
  const first = await sources.notRecalled(ids)
  for (const { id, kind } of first) {
    await deps.store.write({ until: 'executed' }, tables =>
      tables.sources.noteRecalled(id, deps.clock().toISOString()),
    )
    await noteLifecycle(deps, { kind, phase: 'first_recall' })
  }
}
