import test from 'ava'
import type { Embedder, EmbedderStatus } from '../../../../src/store/embedding/embedder.js'
import { pullableEmbedder } from '../../../../src/store/embedding/pullable.js'

/** An embedder whose status a test sets, and which records its calls. */
function fakeEmbedder(first: Partial<EmbedderStatus>) {
  const state = { status: { checkedAt: '', ...first } as EmbedderStatus, pulls: 0, warmed: 0, closed: false }
  const listeners: ((status: EmbedderStatus) => void)[] = []
  const embedder: Embedder = {
    status: () => state.status,
    embed: async texts => texts.map(() => new Float32Array(1)),
    warm: () => void state.warmed++,
    pull: () => void state.pulls++,
    onChange: listener => {
      listeners.push(listener)
      return () => undefined
    },
    close: async () => {
      state.closed = true
    },
  }
  const become = (status: Partial<EmbedderStatus>) => {
    state.status = { ...state.status, ...status }
    for (const listener of listeners) listener(state.status)
  }
  return { embedder, state, become }
}

function openPullable({ isWanted = false } = {}) {
  const present = fakeEmbedder({ provider: 'static', model: 'static-en-1', state: 'ready', available: true })
  const next = fakeEmbedder({ provider: 'local', model: 'mini', state: 'missing', available: false })
  const pulled = { times: 0, opened: 0 }
  const embedder = pullableEmbedder(present.embedder, {
    openNext: () => {
      pulled.opened++
      return next.embedder
    },
    isWanted,
    onPulled: () => void pulled.times++,
  })
  return { embedder, present, next, pulled }
}

test('a pull opens the next model once and reports progress while the current one serves', async t => {
  const { embedder, next, pulled } = openPullable()
  t.like(embedder.status(), { provider: 'static', state: 'ready' })
  embedder.pull()
  embedder.pull()
  t.deepEqual([pulled.opened, next.state.pulls], [1, 2])
  const progress = { loadedBytes: 1, totalBytes: 2, file: 'config.json' }
  next.become({ state: 'downloading', progress })
  t.like(embedder.status(), { provider: 'static', state: 'downloading', available: true, progress })
  t.is((await embedder.embed(['a'], { kind: 'query' })).length, 1)
  t.is(pulled.times, 0)
  next.become({ state: 'ready', available: true })
  t.is(pulled.times, 1)
})

test('a failed pull reports the reason, and the current model continues', t => {
  const { embedder, next, pulled } = openPullable()
  embedder.pull()
  next.become({ state: 'missing', error: 'the hub can not be reached' })
  t.like(embedder.status(), { provider: 'static', state: 'ready', error: 'the hub can not be reached' })
  t.is(pulled.times, 0)
})

test('only a configured model is warmed with the first text', async t => {
  for (const isWanted of [true, false]) {
    const { embedder, next, pulled } = openPullable({ isWanted })
    for (const text of ['a', 'b']) await embedder.embed([text], { kind: 'document' })
    t.deepEqual([pulled.opened, next.state.warmed], isWanted ? [1, 1] : [0, 0])
  }
})

test('closing also closes the model being downloaded', async t => {
  const { embedder, present, next } = openPullable()
  embedder.pull()
  await embedder.close()
  t.true(present.state.closed && next.state.closed)
})
