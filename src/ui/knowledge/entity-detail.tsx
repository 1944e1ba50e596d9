import { useEffect, useRef, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import type { DescribedFact } from '../../contract/knowledge/ontology.js'
import { labelOf, lastDay, sinceWord } from '../../lib/text/labels.js'
import { type ApiError, asApiError } from '../api/api-error.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { useProjectNames } from '../api/projects.js'
import { RunDreaming } from '../frame/run-dreaming.js'
import { Select } from '../parts/fields.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { countText, ShortId, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import type { DrawnGraph, Graph } from './graph.js'

type EntityReply = Reply<'GET /api/ontology/entities/:id'>

const firstFacts = 60
const mostFacts = 200

/** One entity with its facts, their evidence, and its relations. */
export function EntityDetail({ id }: { id: string }) {
  const loaded = useLoaded(
    signal => call('GET /api/ontology/entities/:id', { params: { id } }, { signal }),
    [id],
  )
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  if (!loaded.value) return <Loading />
  const { entity, claims, links, truncated } = loaded.value
  return (
    <>
      <section class="stack" aria-label="Entity">
        <h2 class="words">
          {entity.name} <span class="dim">{entity.type}</span>
        </h2>
        <p class="dim">
          {entity.aliases.length > 0 && `Also known as ${entity.aliases.join(', ')}. `}
          {entity.mentions !== null && (
            <>
              Mentioned in{' '}
              <a href={addressOf('memories', [], { q: entity.name })}>
                {countText(entity.mentions, 'memory', 'memories')}
              </a>
              .{' '}
            </>
          )}
          Changed <Time at={entity.updatedAt} /> <ShortId id={entity.id} />
        </p>
        {truncated && <p class="warn">Only the first facts and relations are shown.</p>}
      </section>
      <Facts id={entity.id} claims={claims} />
      <Links links={links} />
      <Neighbourhood key={entity.id} id={entity.id} />
    </>
  )
}

/** Facts by aspect, each aspect with a share of the first ones, and the rest of it on request. */
function Facts({ id, claims }: { id: string; claims: EntityReply['claims'] }) {
  const [isWhole, setWhole] = useState(false)
  const nameOf = useProjectNames()
  const query = { limit: isWhole ? mostFacts : firstFacts }
  const loaded = useLoaded(
    signal => call('GET /api/ontology/entities/:id/about', { params: { id }, query }, { signal }),
    [id, isWhole],
  )
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  if (!loaded.value) return <Loading />
  const { entity, groups } = loaded.value
  const facts = groups.filter(({ aspect }) => aspect !== 'relations')
  const more = facts.reduce((sum, group) => sum + group.more, 0)
  const isOfSeveral = new Set(facts.flatMap(group => group.facts.map(({ project }) => project))).size > 1
  return (
    <section class="stack" aria-label="Facts">
      <h2>Facts</h2>
      {facts.length === 0 && (
        <p class="line dim">
          No facts yet. Dreaming finds them in memories and conversations. <RunDreaming />
        </p>
      )}
      {facts.map(group => (
        <section key={group.aspect} class="stack" aria-label={group.aspect}>
          <h3>{group.aspect}</h3>
          <ul class="plain-list lined">
            {group.facts.map(fact => (
              <Fact
                key={fact.id}
                entity={entity.name}
                fact={fact}
                place={isOfSeveral ? nameOf(fact.project) : ''}
                slot={claims.find(({ id: version }) => version === fact.id)}
              />
            ))}
          </ul>
        </section>
      ))}
      {more > 0 && !isWhole && (
        <p>
          <button type="button" class="plain" onClick={() => setWhole(true)}>
            {countText(more, 'more fact')}
          </button>
        </p>
      )}
    </section>
  )
}

interface FactProps {
  entity: string
  fact: DescribedFact
  /** Its project, if those of the entity are of several. */
  place: string
  slot: EntityReply['claims'][number] | undefined
}

function Fact({ entity, fact, place, slot }: FactProps) {
  const [isOpen, setOpen] = useState(false)
  const { text, status, since, until, notedAt, former, confidence } = fact
  return (
    <li class="stack">
      <span class="line">
        <strong class="words">{text}</strong>
        {status !== 'current' && <span class="tag warn">{status}</span>}
        <span class="dim">
          {(until === null || since !== null) && (
            <>
              {sinceWord(since ?? notedAt)} <Time at={since ?? notedAt} />
            </>
          )}
          {until !== null && <> until {lastDay(until)}</>}
          {former[0] && `, was ${former[0].value}`}, {Math.round(100 * confidence)} % confidence
          {place !== '' && `, in ${place}`}
        </span>
        {slot && (
          <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Why
          </button>
        )}
      </span>
      {isOpen && slot && <Explanation entity={entity} {...slot} />}
    </li>
  )
}

function Links({ links }: { links: EntityReply['links'] }) {
  if (links.length === 0) return null
  return (
    <section class="stack" aria-label="Relations">
      <h2>Relations</h2>
      <ul class="plain-list">
        {links.map(({ id, direction, relation, entity }) => (
          <li key={id}>
            {direction === 'to' ? `${relation} ` : ''}
            <a href={addressOf('knowledge', ['entity', entity.id])}>{entity.name}</a>
            {direction === 'from' ? ` ${relation} it` : ''} <span class="dim">{entity.type}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

type Version = Reply<'GET /api/ontology/claims/explain'>['versions'][number]

interface Slot {
  entity: string
  aspect: string
  group: string
  claim: string
  kind: 'attribute' | 'constraint'
}

/** The evidence of a fact: its versions with quotes. */
function Explanation({ entity, aspect, group, claim, kind }: Slot) {
  const query = { entity, aspect, group, claim, kind }
  const loaded = useLoaded(
    signal => call('GET /api/ontology/claims/explain', { query }, { signal }),
    [entity, aspect, group, claim, kind],
  )
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  if (!loaded.value) return <Loading />
  const { versions, contradictions, integrity } = loaded.value
  return (
    <div class="card">
      <p class="dim">Evidence: {labelOf('integrity', integrity.status)}</p>
      {contradictions.length > 0 && (
        <p class="warn">
          Contradicted by: {contradictions.map(({ value }) => value ?? '(hidden)').join(', ')}
        </p>
      )}
      <ol class="plain-list lined">
        {versions.map(version => (
          <VersionItem key={version.id} version={version} />
        ))}
      </ol>
    </div>
  )
}

function VersionItem({ version }: { version: Version }) {
  return (
    <li>
      <span class="line">
        <strong class="words">{version.value ?? '(hidden)'}</strong>
        <span class="tag">{version.status}</span>
        <Time at={version.recordedAt} />
      </span>
      <ul class="plain-list">
        {version.evidence.map(({ sourceKind, sourceId, quote, state }) => (
          <li key={`${sourceId} ${quote}`}>
            <q class="words">{quote ?? '(hidden)'}</q>{' '}
            <span class={state === 'stands' ? 'dim' : 'warn'}>{labelOf('evidenceState', state)}</span>{' '}
            {sourceId !== null && sourceKind === 'memory' ? (
              <a href={addressOf('memories', [sourceId])}>memory</a>
            ) : (
              <span class="dim">
                {labelOf('evidenceSource', sourceKind)} {sourceId !== null && <ShortId id={sourceId} />}
              </span>
            )}
          </li>
        ))}
      </ul>
    </li>
  )
}

/** The neighbours of an entity as a graph; its code is loaded on demand. */
function Neighbourhood({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <section class="stack" aria-label="Graph">
      <h2>Graph</h2>
      {isOpen ? (
        <Picture id={id} />
      ) : (
        <p class="line">
          <button type="button" class="plain" onClick={() => setOpen(true)}>
            Show graph
          </button>
          <a class="as-button" href={addressOf('knowledge', ['graph'], { focus: id })}>
            In the whole graph
          </a>
        </p>
      )}
    </section>
  )
}

function Picture({ id }: { id: string }) {
  const box = useRef<HTMLDivElement>(null)
  const drawing = useRef<Graph | null>(null)
  const [drawn, setDrawn] = useState<DrawnGraph>()
  const [error, setError] = useState<ApiError>()
  useEffect(() => {
    const left = new AbortController()
    const onFailure = (thrown: unknown): void => {
      if (!left.signal.aborted) setError(asApiError(thrown))
    }
    const onDrawn = (now: DrawnGraph): void => {
      setError(undefined)
      setDrawn(now)
    }
    import('./graph.js')
      .then(({ drawGraph }) => {
        if (!box.current || left.signal.aborted) return
        drawing.current = drawGraph(box.current, id, { onDrawn, onFailure, signal: left.signal })
        return drawing.current.expand(id)
      })
      .catch(onFailure)
    return () => {
      left.abort()
      drawing.current?.destroy()
    }
  }, [id])
  const size = drawn
    ? `${countText(drawn.entities.length, 'entity', 'entities')}, ${countText(drawn.relations, 'relation')}.`
    : ''
  return (
    <>
      {error && <Failure error={error} />}
      <div ref={box} class="graph" role="img" aria-label={`Graph of relations. ${size}`} />
      <p class="dim" role="status">
        {size} {drawn?.isCut && 'Some neighbours are not drawn. '}Click an entity to expand it. Relations are
        also listed above.
      </p>
      {drawn && drawn.entities.length > 1 && (
        <ExpandField
          drawn={drawn}
          expand={one => drawing.current?.expand(one).catch(thrown => setError(asApiError(thrown)))}
        />
      )}
      {drawn && drawn.last.id !== id && (
        <p>
          <a href={addressOf('knowledge', ['entity', drawn.last.id])}>{drawn.last.name}</a>{' '}
          <span class="dim">{drawn.last.type}</span>
        </p>
      )}
    </>
  )
}

/** Keyboard alternative to a click: expands one of the drawn entities. */
function ExpandField({ drawn, expand }: { drawn: DrawnGraph; expand: (id: string) => void }) {
  const [chosen, setChosen] = useState(drawn.last.id)
  const options = Object.fromEntries(drawn.entities.map(({ id, name }) => [id, name]))
  return (
    <form
      class="line"
      onSubmit={event => {
        event.preventDefault()
        expand(chosen)
      }}
    >
      <Select label="Entity" value={chosen} options={options} onChoose={setChosen} />
      <button type="submit" class="plain">
        Expand
      </button>
    </form>
  )
}
