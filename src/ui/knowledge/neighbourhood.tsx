import { useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, asApiError } from '../api/api-error.js'
import { Failure } from '../parts/failure.js'
import type { Graph } from './graph.js'

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
  const [told, setTold] = useState('')
  const [error, setError] = useState<ApiError>()
  useEffect(() => {
    const shown: { graph?: Graph } = {}
    const left = new AbortController()
    import('./graph.js')
      .then(({ drawGraph }) => {
        if (!box.current || left.signal.aborted) return
        shown.graph = drawGraph(box.current, id, { onChange: setTold, signal: left.signal })
        return shown.graph.expand(id)
      })
      .catch((thrown: unknown) => !left.signal.aborted && setError(asApiError(thrown)))
    return () => {
      left.abort()
      shown.graph?.destroy()
    }
  }, [id])
  return (
    <>
      {error && <Failure error={error} />}
      <div ref={box} class="graph" role="img" aria-label={`Graph of relations. ${told}`} />
      <p class="dim" role="status">
        {told} A click on an entity brings what is around it; the relations stand in the list above too.
      </p>
    </>
  )
}
