import { useEffect } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes, type Loaded, useLoaded } from '../api/loaded.js'
import { chosenProject, useProjectNames } from '../api/projects.js'
import { Facet, type FacetValue, SearchField } from '../parts/fields.js'
import { useKeys } from '../parts/keys.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { useDebounced } from '../parts/use-interval.js'
import { countText, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate, type PageProps, replace } from '../routing/router.js'
import { ItemDetail } from './item-detail.js'
import { Marked, wordsOf } from './marked.js'
import '../memories/memories.css'

type SearchReply = Reply<'POST /api/search'>
type Kind = SearchReply['items'][number]['kind']

/** Filters in the address; times are days. */
type SearchQuery = Partial<Record<'q' | 'kind' | 'project' | 'who' | 'since' | 'until', string>>

const most = 100
const dayMs = 24 * 60 * 60 * 1000

/** One search over all kinds, with the opened item beside its results. */
export default function Search({ place }: PageProps) {
  const { project = chosenProject.value, ...rest } = place.query as SearchQuery
  const query: SearchQuery = { ...rest, ...(project && { project }) }
  const [id] = place.rest
  const close = () => navigate(addressOf('search', [], { ...query }))
  useKeys(id === undefined ? [] : [{ key: 'Escape', does: 'Close the item', run: close }])
  useEffect(() => {
    if (id === undefined) document.querySelector<HTMLElement>('#main input.search')?.focus()
  }, [id])
  return (
    <>
      <h1>Search</h1>
      <div class={id === undefined ? 'memories' : 'memories with-detail'}>
        <Results query={query} open={id} />
        {id !== undefined && (
          <section class="detail" aria-label="Item">
            <ItemDetail key={id} id={id} onClose={close} />
          </section>
        )}
      </div>
    </>
  )
}

function Results({ query, open }: { query: SearchQuery; open: string | undefined }) {
  const found = useFound(query)
  const show = (next: SearchQuery) =>
    replace(addressOf('search', open === undefined ? [] : [open], { ...next }))
  return (
    <div class="with-facets">
      <Filters query={query} found={found.value} show={show} />
      <div class="stack list">
        <SearchField label="Search everything" value={query.q ?? ''} onInput={q => show({ ...query, q })} />
        <p class="line dim" role="status">
          {found.value && summaryOf(found.value)}
        </p>
        {found.error && <Failure error={found.error} retry={found.reload} />}
        {!found.value && found.isLoading && <Loading />}
        {!found.value && !found.isLoading && !found.error && (
          <p class="dim">Searches memories, sessions, notes, documents, code and entities together.</p>
        )}
        {found.value?.total === 0 && (
          <Empty title="Nothing matches">
            <p>Try other words, or remove a filter.</p>
          </Empty>
        )}
        {found.value && <Hits found={found.value} query={query} />}
      </div>
    </div>
  )
}

function useFound(query: SearchQuery): Loaded<SearchReply> {
  const { kind, project, who, since, until } = query
  const q = useDebounced((query.q ?? '').trim())
  return useLoaded(
    signal => {
      if (q === '') return undefined
      const kinds = kind ? [kind as Kind] : undefined
      const range = { since: dayAt(since), until: dayAt(until, dayMs - 1) }
      const body = { query: q, kinds, project, who, ...range, limit: most }
      return call('POST /api/search', { body }, { signal })
    },
    [q, kind, project, who, since, until, changes.value],
  )
}

/** The beginning of a day in local time, or some time later. */
function dayAt(day: string | undefined, laterMs = 0): string | undefined {
  const time = Date.parse(`${day}T00:00`)
  return Number.isNaN(time) ? undefined : new Date(time + laterMs).toISOString()
}

function summaryOf({ total, items, failed }: SearchReply): string {
  const left = failed.length > 0 ? `. Not searched: ${failed.join(', ')}` : ''
  const all = `${countText(total, 'result')}, best first`
  return `${items.length < total ? `First ${items.length} of ` : ''}${all}${left}`
}

interface FiltersProps {
  query: SearchQuery
  found: SearchReply | undefined
  show: (next: SearchQuery) => void
}

function Filters({ query, found, show }: FiltersProps) {
  const nameOf = useProjectNames()
  const projects = valuesOf(found, ({ project }) => project)
  const keys = [...projects.map(({ value }) => value), ...(query.project ? [query.project] : [])]
  const people = valuesOf(found, ({ who }) => who)
  const day = (name: 'since' | 'until', title: string) => (
    <label>
      {title}
      <input
        type="date"
        value={query[name] ?? ''}
        onInput={event => show({ ...query, [name]: event.currentTarget.value })}
      />
    </label>
  )
  return (
    <section class="facets" aria-label="Filters">
      <Facet
        title="Kind"
        values={valuesOf(found, ({ kind }) => kind)}
        chosen={query.kind}
        onChoose={kind => show({ ...query, kind })}
      />
      <Facet
        title="Project"
        values={projects}
        labels={Object.fromEntries(keys.map(key => [key, nameOf(key)]))}
        chosen={query.project}
        onChoose={project => show({ ...query, project })}
      />
      <Facet
        title="Who"
        values={people}
        labels={Object.fromEntries(people.map(({ value }) => [value, labelOf('harness', value)]))}
        chosen={query.who}
        onChoose={who => show({ ...query, who })}
      />
      {day('since', 'Since')}
      {day('until', 'Until')}
    </section>
  )
}

/** Counts the values of a field among the results, most frequent first. */
function valuesOf(
  found: SearchReply | undefined,
  fieldOf: (item: SearchReply['items'][number]) => string | null,
): FacetValue[] {
  const counts = new Map<string, number>()
  for (const item of found?.items ?? []) {
    const value = fieldOf(item)
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count)
}

function Hits({ found, query }: { found: SearchReply; query: SearchQuery }) {
  const nameOf = useProjectNames()
  const words = wordsOf(query.q ?? '')
  return (
    <ol class="plain-list lined hits reading" aria-label="Results">
      {found.items.map(({ kind, id, title, text, project, who, at }) => (
        <li key={`${kind} ${id}`} class="hit">
          <span class={`tag kind-${kind}`}>{kind}</span>
          <div>
            <a class="words" href={addressOf('search', [id], { ...query })}>
              <Marked text={title} words={words} />
            </a>
            {text !== title && (
              <p class="words two-lines">
                <Marked text={plainText(text, title)} words={words} />
              </p>
            )}
            <p class="meta">
              <span>{nameOf(project)}</span>
              <span>{who && labelOf('harness', who)}</span>
              {at && <Time at={at} />}
            </p>
          </div>
        </li>
      ))}
    </ol>
  )
}

/** An excerpt without the signs of Markdown and without the title at its beginning. */
function plainText(text: string, title: string): string {
  const plain = text.replaceAll(/\[\[|\]\]|\*\*|(?<=^|\s)[#-]+\s/gu, '')
  const rest = plain.startsWith(title) ? plain.slice(title.length).trimStart() : plain
  return rest.endsWith(':') ? rest.slice(0, -1) : rest
}
