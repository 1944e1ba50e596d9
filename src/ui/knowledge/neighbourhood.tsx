import { useEffect, useRef, useState } from 'preact/hooks'
import { countOf } from '../../lib/text/count-of.js'
import { type ApiError, asApiError } from '../api/api-error.js'
import { Failure } from '../parts/failure.js'
import { Select } from '../parts/fields/field.js'
import { addressOf } from '../routing/place.js'
import type { Drawn, Graph } from './graph.js'

/** What is around an entity as a picture; its code is loaded when it is asked for. */
export function Neighbourhood({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <section class="stack" aria-label="Graph">
      <h2>Graph</h2>
      {isOpen ? (
        <Picture id={id} />
      ) : (
        <p>
          <button type="button" class="plain" onClick={() => setOpen(true)}>
            Draw what is around it
          </button>
        </p>
      )}
    </section>
  )
}

function Picture({ id }: { id: string }) {
  const box = useRef<HTMLDivElement>(null)
  const drawing = useRef<Graph | null>(null)
  const [drawn, setDrawn] = useState<Drawn>()
  const [error, setError] = useState<ApiError>()
  useEffect(() => {
    const left = new AbortController()
    const onFailure = (thrown: unknown): void => {
      if (!left.signal.aborted) setError(asApiError(thrown))
    }
    const onDrawn = (now: Drawn): void => {
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
  const told = drawn
    ? `${countOf(drawn.entities.length, 'entity', 'entities')}, ${countOf(drawn.relations, 'relation')}.`
    : ''
  return (
    <>
      {error && <Failure error={error} />}
      <div ref={box} class="graph" role="img" aria-label={`Graph of relations. ${told}`} />
      <p class="dim" role="status">
        {told} {drawn?.isCut && 'Not all of what is around it is drawn. '}A click on an entity brings what is
        around it; the relations stand in the list above too.
      </p>
      {drawn && drawn.entities.length > 1 && (
        <Further
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

/** The click for the keyboard: what is around one of those that are drawn. */
function Further({ drawn, expand }: { drawn: Drawn; expand: (id: string) => void }) {
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
        Bring what is around it
      </button>
    </form>
  )
}
