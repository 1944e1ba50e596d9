import { PageHead, type Tab } from '../parts/tabs.js'
import { EntityDetail } from './entity-detail.js'
import { GraphTab } from './graph/graph-tab.js'
import { Proposals } from './proposals.js'
import { Review } from './review.js'
import './knowledge.css'
import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { RunDreaming } from '../frame/run-dreaming.js'
import { SearchField } from '../parts/fields.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { useDebounced } from '../parts/use-interval.js'
import { Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate, type PageProps, replace } from '../routing/router.js'

const tabs: readonly Tab[] = [
  { title: 'Entities' },
  { part: 'graph', title: 'Graph' },
  { part: 'review', title: 'Review' },
  { part: 'proposals', title: 'Proposals' },
]

type Entity = Reply<'GET /api/ontology/entities'>['entities'][number]

const columns: readonly Column<Entity>[] = [
  { title: 'Name', width: 'minmax(0, 1fr)', cell: ({ name }) => name },
  { title: 'Type', width: '9rem', cell: ({ type }) => <span class="dim">{type}</span> },
  { title: 'Aliases', width: '14rem', wide: true, cell: ({ aliases }) => aliases.join(', ') },
  { title: 'Memories', width: '6rem', wide: true, cell: ({ mentions }) => mentions ?? '' },
  { title: 'Changed', width: '9.5rem', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
]

const step = 200

/** Entities with their facts and evidence, and suggestions that wait for a decision. */
export default function Knowledge({ place }: PageProps) {
  const [part, id] = place.rest
  return (
    <>
      <PageHead
        page="knowledge"
        title="Knowledge"
        tabs={tabs}
        open={part === 'entity' ? undefined : part}
        isDeep={id !== undefined}
      />
      {part === 'graph' && <GraphTab place={place} />}
      {part === 'review' && <Review />}
      {part === 'proposals' && <Proposals />}
      {part === 'entity' && id !== undefined && <EntityDetail key={id} id={id} />}
      {part === undefined && <Entities q={place.query.q ?? ''} />}
    </>
  )
}

/** Entities by name, most recently changed first. */
function Entities({ q }: { q: string }) {
  const asked = useDebounced(q.trim())
  const [wanted, setWanted] = useState(step)
  const loaded = useLoaded(signal => firstEntities(asked, wanted, signal), [asked, wanted, changes.value])
  const { value, error } = loaded
  return (
    <>
      <SearchField
        label="Search entities"
        value={q}
        onInput={text => replace(addressOf('knowledge', [], { q: text }))}
      />
      {error && <Failure error={error} retry={loaded.reload} />}
      {!value && !error && <Loading />}
      {value?.entities.length === 0 && (
        <Empty title={asked === '' ? 'No entities yet' : 'No matching entities'}>
          {asked === '' ? (
            <>
              <p>Dreaming finds entities in memories and conversations.</p>
              <p>
                <RunDreaming />
              </p>
            </>
          ) : (
            <p>Names and aliases are searched.</p>
          )}
        </Empty>
      )}
      {value && value.entities.length > 0 && (
        <VirtualTable
          label="Entities"
          columns={columns}
          count={value.entities.length}
          rowAt={position => value.entities[position]}
          keyOf={({ id }) => id}
          onOpen={({ id }) => navigate(addressOf('knowledge', ['entity', id]))}
        />
      )}
      {value?.hasMore && (
        <p>
          <button type="button" class="plain" onClick={() => setWanted(wanted + step)}>
            Show more
          </button>
        </p>
      )}
    </>
  )
}

/** Loads a number of entities in pages. */
async function firstEntities(q: string, wanted: number, signal: AbortSignal) {
  const entities: Entity[] = []
  for (;;) {
    const query = { limit: step, offset: entities.length, q: q === '' ? undefined : q }
    const page = await call('GET /api/ontology/entities', { query }, { signal })
    entities.push(...page.entities)
    if (!page.hasMore || entities.length >= wanted) return { entities, hasMore: page.hasMore }
  }
}
