import { useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { may } from '../api/session.js'
import { say, sayFailure } from '../parts/toast.js'
import { Forget } from './forget.js'
import type { MemoryLine } from './row.js'

interface BulkBarProps {
  lines: readonly MemoryLine[]
  clear: () => void
  /** Called once they are forgotten. */
  onForgotten: () => void
}

/** What can be done with all that is selected. */
export function BulkBar({ lines, clear, onForgotten }: BulkBarProps) {
  const [tag, setTag] = useState('')
  const [isForgetting, setForgetting] = useState(false)
  const pin = (pinned: boolean) =>
    patchAll(
      lines
        .filter(line => line.pinned !== pinned)
        .map(line => ({ id: line.id, to: { pinned }, from: { pinned: !pinned } })),
      pinned ? 'Pinned' : 'Unpinned',
    )
  const addTag = (event: Event) => {
    event.preventDefault()
    const name = tag.trim()
    const changed = lines
      .filter(({ tags }) => !tags.includes(name))
      .map(({ id, tags }) => ({ id, to: { tags: [...tags, name] }, from: { tags: [...tags] } }))
    patchAll(changed, `Tagged ${name}:`).then(() => setTag(''), sayFailure)
  }
  return (
    <section class="bulk line" aria-label="Selected memories">
      <strong>{lines.length} selected</strong>
      {may('modify') && (
        <>
          <button type="button" class="plain" onClick={() => pin(true).catch(sayFailure)}>
            Pin
          </button>
          <button type="button" class="plain" onClick={() => pin(false).catch(sayFailure)}>
            Unpin
          </button>
          <form class="line" onSubmit={addTag}>
            <input
              aria-label="Tag to add"
              placeholder="Tag"
              value={tag}
              required
              pattern="[^,]+"
              onInput={event => setTag(event.currentTarget.value)}
            />
            <button type="submit" class="plain">
              Add tag
            </button>
          </form>
        </>
      )}
      {may('forget') && (
        <button type="button" class="danger" onClick={() => setForgetting(true)}>
          Forget…
        </button>
      )}
      <button type="button" class="plain" onClick={clear}>
        Clear
      </button>
      {isForgetting && <Forget lines={lines} onClose={() => setForgetting(false)} onDone={onForgotten} />}
    </section>
  )
}

interface Fields {
  pinned?: boolean
  tags?: string[]
}

interface Change {
  id: string
  to: Fields
  /** What it was, for taking it back. */
  from: Fields
}

/** Memories that one batch of the API takes. */
const batch = 200

/** Changes several memories, says how many it were, and offers to take it back. @throws ApiError */
async function patchAll(wanted: readonly Change[], deed: string): Promise<void> {
  const done = await patchEach(wanted, ({ to }) => to, 'changed on the web page')
  const undo = done.length > 0 ? () => takeBack(done) : undefined
  const left = wanted.length - done.length
  say(`${deed} ${done.length}${left > 0 ? `, ${left} could not be changed` : ''}`, undo)
}

async function takeBack(done: readonly Change[]): Promise<void> {
  await patchEach(done, ({ from }) => from, 'taken back on the web page')
}

/** @returns those that were changed */
async function patchEach(
  wanted: readonly Change[],
  fieldsOf: (change: Change) => Fields,
  reason: string,
): Promise<Change[]> {
  const done: Change[] = []
  for (let start = 0; start < wanted.length; start += batch) {
    const part = wanted.slice(start, start + batch)
    const patches = part.map(change => ({ id: change.id, ...fieldsOf(change) }))
    const { results } = await call('POST /api/memory/modify', { body: { patches, reason } })
    const updated = new Set(results.filter(({ status }) => status === 'updated').map(({ id }) => id))
    done.push(...part.filter(({ id }) => updated.has(id)))
  }
  changes.value++
  return done
}
