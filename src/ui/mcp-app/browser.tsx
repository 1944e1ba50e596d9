import { useState } from 'preact/hooks'
import { useLoaded } from '../api/loaded.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { countText } from '../parts/values.js'
import { asked, callTool } from './host.js'
import { MemoryItem, type ShownMemory } from './memory-item.js'

/** Memories per page, so that a list within a conversation stays short. */
const step = 10

interface MemoryPage {
  memories: ShownMemory[]
  total: number
}

/** Searches the memories, or lists the newest. */
export function Browser({ connect }: { connect: () => Promise<void> }) {
  const greeting = useLoaded(connect, [])
  if (greeting.error) return <Failure error={greeting.error} />
  if (greeting.isLoading || !asked.value) return <Loading />
  return <Search project={asked.value.project} first={asked.value.query ?? ''} />
}

function Search({ first, project }: { first: string; project: string | undefined }) {
  const [words, setWords] = useState(first)
  const [query, setQuery] = useState(first)
  const [limit, setLimit] = useState(step)
  const found = useLoaded(
    () =>
      callTool<MemoryPage>('memory_browse', { ...(query && { query }), ...(project && { project }), limit }),
    [query, project, limit],
  )
  const search = () => {
    setLimit(step)
    if (words.trim() === query) found.reload()
    else setQuery(words.trim())
  }
  return (
    <>
      {/* A form sends nothing in a frame without the permission for forms. */}
      <search class="search">
        <input
          type="search"
          aria-label="Search memories"
          placeholder="Search memories"
          value={words}
          onInput={event => setWords(event.currentTarget.value)}
          onKeyDown={event => event.key === 'Enter' && search()}
        />
        <button type="button" onClick={search}>
          Search
        </button>
      </search>
      {found.error && <Failure error={found.error} retry={found.reload} />}
      {!found.value && !found.error && <Loading />}
      {found.value && <List found={found.value} query={query} isOld={found.isLoading || !!found.error} />}
      {found.value && hasMore(found.value, { query, limit }) && (
        <button type="button" class="plain" disabled={found.isLoading} onClick={() => setLimit(limit + step)}>
          Show more
        </button>
      )}
    </>
  )
}

/** A search does not count what it left out, so a full page may have more. */
function hasMore(
  { memories, total }: MemoryPage,
  { query, limit }: { query: string; limit: number },
): boolean {
  return limit < 200 && (query ? memories.length >= limit : total > memories.length)
}

function List({ found, query, isOld }: { found: MemoryPage; query: string; isOld: boolean }) {
  const { memories, total } = found
  if (memories.length === 0)
    return (
      <Empty title={query ? 'Nothing matches' : 'No memories yet'}>
        {query && <p>Try other words, or search for nothing to see the newest.</p>}
      </Empty>
    )
  const count = query ? countText(memories.length, 'result') : countText(total, 'memory', 'memories')
  return (
    <section aria-label="Memories" aria-busy={isOld}>
      <p class="dim" role="status">
        {count}
        {!query && total > memories.length && `, the newest ${memories.length} shown`}
      </p>
      <ul class="bare">
        {memories.map(memory => (
          <MemoryItem key={memory.id} memory={memory} />
        ))}
      </ul>
    </section>
  )
}
