import defaults from 'graphology-layout-forceatlas2/defaults'
import iterate from 'graphology-layout-forceatlas2/iterate'
import type { Arrangement } from './arrange.js'

/** Between two reports, so that the page has time for drawing. */
const reportMs = 150

/** Moves entities near their neighbours and reports their places; `isLast` marks the last report. */
addEventListener('message', ({ data }: MessageEvent<Arrangement>) => {
  const { nodes, edges, settings, steps } = data
  const all = { ...defaults, ...settings }
  let reported = performance.now()
  for (let step = 1; step <= steps; step++) {
    iterate(all, nodes, edges)
    const isLast = step === steps
    if (!isLast && performance.now() - reported < reportMs) continue
    // A copy, as this worker goes on with its own.
    postMessage({ nodes: nodes.slice(), isLast })
    reported = performance.now()
  }
})
