import { useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, asApiError } from '../api/api-error.js'
import { Select } from '../parts/fields.js'
import { Failure } from '../parts/placeholders.js'
import { countText } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import type { DrawnGraph, Graph } from './graph.js'

/** The neighbours of an entity as a graph; its code is loaded on demand. */
export function Neighbourhood({ id }: { id: string }) {
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
