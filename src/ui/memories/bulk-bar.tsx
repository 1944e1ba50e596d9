import { useState } from 'preact/hooks'
import { may } from '../api/session.js'
import { sayFailure } from '../parts/toast.js'
import { Forget } from './forget.js'
import { patchAll } from './patch-all.js'
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
