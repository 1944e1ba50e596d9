import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { labelOf } from '../../lib/text/labels.js'
import { type ApiError, asApiError } from '../api/api-error.js'
import { useLoaded } from '../api/loaded.js'
import { tagsOf } from '../memories/row.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { Time } from '../parts/values.js'
import { callTool } from './host.js'

export interface ShownMemory {
  id: string
  content: string
  type: string
  tags: string
  pinned: boolean
  project: string | null
  who: string | null
  created_at: string
}

/** One memory of the list: opens in place, and keeps its place with an undo after it was forgotten. */
export function MemoryItem({ memory }: { memory: ShownMemory }) {
  const { content, type, who, created_at } = memory
  const [isOpen, setOpen] = useState(false)
  const [isPinned, setPinned] = useState(memory.pinned)
  const [isForgotten, setForgotten] = useState(false)
  const detail = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const onUndone = () => {
    setForgotten(false)
    opener.current?.focus()
  }
  return (
    <li class="memory">
      <button
        ref={opener}
        type="button"
        class="open"
        aria-expanded={isOpen}
        aria-controls={detail}
        onClick={() => setOpen(!isOpen)}
      >
        <span class={isOpen && !isForgotten ? 'unseen' : 'clip'}>
          {isPinned && '★ '}
          {isForgotten ? <del>{content}</del> : content}
        </span>
        <span class="meta">
          <span>{labelOf('memoryType', type)}</span>
          <Time at={created_at} />
          {who && <span>{who}</span>}
        </span>
      </button>
      <div id={detail} hidden={!isOpen}>
        {isOpen && !isForgotten && <Opened memory={memory} />}
      </div>
      {isForgotten && <Undo id={memory.id} onDone={onUndone} />}
      {isOpen && !isForgotten && (
        <Deeds
          id={memory.id}
          isPinned={isPinned}
          onPinned={() => setPinned(!isPinned)}
          onForgotten={() => setForgotten(true)}
        />
      )}
    </li>
  )
}

/** Takes the focus of the button that it replaces. */
function Undo({ id, onDone }: { id: string; onDone: () => void }) {
  const { run, isBusy, error } = useDeed()
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus(), [])
  const recover = () => callTool('memory_recover', { id, reason: 'forgotten by mistake' })
  return (
    <>
      <p class="deeds">
        <span role="status">Forgotten. It can be recovered for 30 days.</span>
        <button ref={button} type="button" disabled={isBusy} onClick={() => run(recover, onDone)}>
          Undo
        </button>
      </p>
      {error && <Failure error={error} />}
    </>
  )
}

interface DeedsProps {
  id: string
  isPinned: boolean
  onPinned: () => void
  onForgotten: () => void
}

function Deeds({ id, isPinned, onPinned, onForgotten }: DeedsProps) {
  const { run, isBusy, error } = useDeed()
  const pin = () => callTool('memory_pin', { id, pinned: !isPinned })
  const forget = () => callTool('memory_forget', { id, reason: 'forgotten in the browser of memories' })
  return (
    <>
      <p class="deeds">
        <button type="button" class="plain" disabled={isBusy} onClick={() => run(pin, onPinned)}>
          {isPinned ? 'Unpin' : 'Pin'}
        </button>
        <button
          type="button"
          class="plain"
          disabled={isBusy || isPinned}
          onClick={() => run(forget, onForgotten)}
        >
          Forget
        </button>
        {isPinned && <span class="dim">Unpin it before you forget it.</span>}
      </p>
      {error && <Failure error={error} />}
    </>
  )
}

interface Full {
  content: string
  safety: string
}

/** The whole text, which a list cuts or withholds. */
function Opened({ memory: { id, tags, project } }: { memory: ShownMemory }) {
  const full = useLoaded(() => callTool<Full>('memory_get', { id }), [id])
  if (full.error) return <Failure error={full.error} retry={full.reload} />
  if (!full.value) return <Loading />
  return (
    <>
      {full.value.safety !== 'clean' && (
        <p class="banner">This text looks unsafe and is withheld from agents.</p>
      )}
      <p class="words">{full.value.content}</p>
      <p class="line">
        {tagsOf(tags).map(tag => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
        {project && <span class="dim">{project}</span>}
        <code class="dim">{id}</code>
      </p>
    </>
  )
}

/** Runs one change at a time, and keeps its failure until the next. */
function useDeed() {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const run = async (act: () => Promise<unknown>, done: () => void) => {
    setBusy(true)
    setError(undefined)
    await act().then(done, (thrown: unknown) => setError(asApiError(thrown)))
    setBusy(false)
  }
  return { run, isBusy, error }
}
