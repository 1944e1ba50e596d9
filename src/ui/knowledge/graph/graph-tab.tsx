import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type ApiError, asApiError } from '../../api/api-error.js'
import { call } from '../../api/call.js'
import { useLoaded } from '../../api/loaded.js'
import { chosenProject } from '../../api/projects.js'
import { RunDreaming } from '../../frame/run-dreaming.js'
import { useKeys } from '../../parts/keys.js'
import { Empty, Failure, Loading } from '../../parts/placeholders.js'
import { saveAs } from '../../parts/save-as.js'
import { showFailure } from '../../parts/toast.js'
import { countText } from '../../parts/values.js'
import type { PageAddress } from '../../routing/place.js'
import { addressOf } from '../../routing/place.js'
import { replace } from '../../routing/router.js'
import type { WholeGraph } from './draw-graph.js'
import { type GraphData, type GraphEntity, kindsOf } from './graph-data.js'
import { Beside, HoverCard } from './side.js'
import './graph.css'
import { Select } from '../../parts/fields.js'

const spans: Readonly<Record<string, string>> = {
  '': 'Any time',
  day: 'Last day',
  week: 'Last 7 days',
  month: 'Last 30 days',
  year: 'Last year',
}

const daysOf: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 }

const dayMs = 86_400_000

const loadDrawing = () => import('./draw-graph.js')

/** The whole graph with filters; the address has that of time, and the chosen entity. */
export function GraphTab({ place: { query } }: { place: PageAddress }) {
  const { since, focus } = query
  const project = chosenProject.value
  // The code comes while the data do.
  useEffect(() => void loadDrawing().catch(() => undefined), [])
  const loaded = useLoaded(
    signal => call('GET /api/ontology/graph', { query: { project } }, { signal }),
    [project],
  )
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const choose = (changed: Readonly<Record<string, string | undefined>>) =>
    replace(addressOf('knowledge', ['graph'], { ...query, ...changed }))
  const graph = loaded.value
  const kinds = useMemo(() => kindsOf(graph?.nodes ?? []), [graph])
  const shown = useMemo(
    () => (graph?.nodes ?? []).filter(one => !hidden.has(one.type) && isSince(one, since)),
    [graph, hidden, since],
  )
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  if (!graph) return <Loading />
  return (
    <div class="graph-page">
      <Filters {...{ since, kinds, hidden, setHidden, choose }} />
      {graph.nodes.length === 0 ? (
        <Empty title={project === undefined ? 'Nothing to draw yet' : 'Nothing about this project'}>
          <p>Dreaming finds entities in memories and conversations.</p>
          <p>
            <RunDreaming />
          </p>
        </Empty>
      ) : (
        <div class="graph-sides">
          <Drawing {...{ graph, kinds, shown, focus }} onFocus={id => choose({ focus: id })} />
          <Beside {...{ graph, kinds, shown, focus }} onFocus={id => choose({ focus: id })} />
        </div>
      )}
    </div>
  )
}

interface DrawingProps {
  graph: GraphData
  kinds: ReadonlyMap<string, number>
  shown: readonly GraphEntity[]
  focus: string | undefined
  onFocus: (id: string | undefined) => void
}

function Drawing({ graph, kinds, shown, focus, onFocus }: DrawingProps) {
  const { box, drawn, pointed, error, isSettled } = useDrawing({ graph, kinds, onFocus })
  useEffect(() => {
    drawn?.show({ ids: new Set(shown.map(({ id }) => id)), focus })
  }, [drawn, shown, focus])
  useKeys([
    { key: '+', does: 'Zoom in', run: () => drawn?.zoom('in') },
    { key: '-', does: 'Zoom out', run: () => drawn?.zoom('out') },
    { key: '0', does: 'Show the whole graph', run: () => drawn?.zoom('all') },
    ...(focus === undefined
      ? []
      : [{ key: 'Escape', does: 'Show all relations', run: () => onFocus(undefined) }]),
  ])
  const ids = useMemo(() => new Set(shown.map(({ id }) => id)), [shown])
  const relations = graph.links.filter(({ from, to }) => ids.has(from) && ids.has(to)).length
  const size = `${countText(shown.length, 'entity', 'entities')}, ${countText(relations, 'relation')}`
  const over = pointed && graph.nodes.find(({ id }) => id === pointed.id)
  return (
    <section class="graph-drawing" aria-label="Graph">
      {error && <Failure error={error} />}
      <div class="graph-frame">
        <div ref={box} class="graph whole" role="img" aria-label={`Graph of ${size}`} />
        {pointed && over && <HoverCard key={over.id} entity={over} at={pointed} kinds={kinds} />}
        <Tools drawn={drawn} />
      </div>
      <p class="dim" role="status">
        {size}. {graph.truncated && 'The most mentioned are drawn. '}
        {isSettled ? 'Click an entity for its relations.' : 'Arranging…'}
      </p>
    </section>
  )
}

/** Draws once per graph; the code is loaded with the first one. */
function useDrawing({ graph, kinds, onFocus }: Pick<DrawingProps, 'graph' | 'kinds' | 'onFocus'>) {
  const box = useRef<HTMLDivElement>(null)
  const chosen = useRef(onFocus)
  chosen.current = onFocus
  const [drawn, setDrawn] = useState<{ drawing: WholeGraph; of: GraphData }>()
  const [pointed, setPointed] = useState<{ id: string; x: number; y: number }>()
  const [error, setError] = useState<ApiError>()
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    const left = new AbortController()
    let drawing: WholeGraph | undefined
    loadDrawing()
      .then(({ drawGraph }) => {
        if (!box.current || left.signal.aborted) return
        const entities = graph.nodes.map(one => ({ ...one, kind: kinds.get(one.type) ?? 0 }))
        drawing = drawGraph(
          box.current,
          { entities, links: graph.links },
          {
            onPoint: setPointed,
            onChoose: id => chosen.current(id),
            onSettled: () => setSettled(true),
            signal: left.signal,
          },
        )
        setDrawn({ drawing, of: graph })
        setSettled(false)
      })
      .catch(thrown => setError(asApiError(thrown)))
    return () => {
      left.abort()
      drawing?.destroy()
    }
  }, [graph, kinds])
  // After a change the old drawing is gone before the new one is there.
  return { box, drawn: drawn?.of === graph ? drawn.drawing : undefined, pointed, error, isSettled }
}

/** Zoom and files, over a corner of the graph. */
function Tools({ drawn }: { drawn: WholeGraph | undefined }) {
  const save = (kind: 'png' | 'svg') => {
    if (!drawn) return
    import('./picture.js')
      .then(({ pngOf, svgOf }) => (kind === 'png' ? pngOf : svgOf)(drawn.picture()))
      .then(file => saveAs(`knowledge.${kind}`, file))
      .catch(showFailure)
  }
  return (
    <div class="graph-tools">
      <button type="button" class="plain" aria-label="Zoom in" onClick={() => drawn?.zoom('in')}>
        +
      </button>
      <button type="button" class="plain" aria-label="Zoom out" onClick={() => drawn?.zoom('out')}>
        −
      </button>
      <button type="button" class="plain" onClick={() => drawn?.zoom('all')}>
        Fit
      </button>
      <button type="button" class="plain" onClick={() => save('png')}>
        PNG
      </button>
      <button type="button" class="plain" onClick={() => save('svg')}>
        SVG
      </button>
    </div>
  )
}

interface FiltersProps {
  since: string | undefined
  kinds: ReadonlyMap<string, number>
  hidden: ReadonlySet<string>
  setHidden: (hidden: ReadonlySet<string>) => void
  choose: (changed: Readonly<Record<string, string | undefined>>) => void
}

/** Returns whether an entity changed in a span of time. @param since one of `spans`; others are any time */
function isSince({ updatedAt }: GraphEntity, since = ''): boolean {
  const days = daysOf[since]
  return days === undefined || Date.parse(updatedAt) > Date.now() - days * dayMs
}

/** Time and types; the types are the legend too. The project is chosen for the whole page. */
function Filters({ since = '', kinds, hidden, setHidden, choose }: FiltersProps) {
  const toggle = (type: string) => {
    const next = new Set(hidden)
    if (!next.delete(type)) next.add(type)
    setHidden(next)
  }
  return (
    <div class="graph-filters">
      <Select label="Changed" value={since} options={spans} onChoose={days => choose({ since: days })} />
      <fieldset class="graph-legend">
        <legend>Types</legend>
        {[...kinds].map(([type, kind]) => (
          <button
            key={type}
            type="button"
            class={`kind kind-${kind}`}
            aria-pressed={!hidden.has(type)}
            onClick={() => toggle(type)}
          >
            <span class="clip">{type}</span>
          </button>
        ))}
        {hidden.size > 0 && (
          <button type="button" class="plain" onClick={() => setHidden(new Set())}>
            Show all
          </button>
        )}
      </fieldset>
    </div>
  )
}
