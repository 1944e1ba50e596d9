import { useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { may } from '../api/session.js'
import { showFailure, showMessage } from '../parts/toast.js'
import { Forget } from './forget.js'
import type { MemoryLine } from './row.js'

interface BulkBarProps {
  lines: readonly MemoryLine[]
  clear: () => void
  /** Called after the memories were forgotten. */
  onForgotten: () => void
}

/** Actions on all selected memories. */
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
    patchAll(changed, `Tagged ${name}:`).then(() => setTag(''), showFailure)
  }
  return (
    <section class="bulk line" aria-label="Selected memories">
      <strong>{lines.length} selected</strong>
      {may('modify') && (
        <>
          <button type="button" class="plain" onClick={() => pin(true).catch(showFailure)}>
            Pin
          </button>
          <button type="button" class="plain" onClick={() => pin(false).catch(showFailure)}>
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
  /** Previous values, for undo. */
  from: Fields
}

/** Maximum number of memories per API batch. */
const batch = 200

/** Changes several memories, reports their number, and offers an undo. @throws ApiError */
async function patchAll(wanted: readonly Change[], deed: string): Promise<void> {
  const done = await patchEach(wanted, ({ to }) => to, 'changed on the web page')
  const undo = done.length > 0 ? () => undoChanges(done) : undefined
  const left = wanted.length - done.length
  showMessage(`${deed} ${done.length}${left > 0 ? `, ${left} failed` : ''}`, undo)
}

async function undoChanges(done: readonly Change[]): Promise<void> {
  await patchEach(done, ({ from }) => from, 'undone on the web page')
}

/** @returns the changed ones */
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
