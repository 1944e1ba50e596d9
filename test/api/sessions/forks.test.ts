import test from 'ava'
import { capture, transcriptOf, turns, written } from '../../helpers/captures.js'
import { startDaemon } from '../../helpers/daemon.js'

test('a fork keeps only what is new in it, also of a fork of a fork (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const timed = (list: { role: string; text: string }[], hour: number) =>
    list.map((one, n) => ({ ...one, timestamp: `2026-03-01T${hour}:00:${String(n).padStart(2, '0')}.000Z` }))
  const parent = timed(turns(0, 6), 10)
  const end = (sessionKey: string, transcript: typeof parent) => capture(daemon, { sessionKey, transcript })
  await end('parent', parent)
  const fork = [...parent.slice(0, 4), ...timed(turns(20, 22), 11)]
  await end('fork', parent.slice(0, 4))
  t.is(await transcriptOf(daemon, 'fork'), undefined, 'nothing is new yet')
  await end('fork', fork)
  await end('fork', fork)
  t.is(await transcriptOf(daemon, 'fork'), written(turns(20, 22)))
  await end('fork', [...fork, ...timed(turns(30, 32), 12)])
  t.is(await transcriptOf(daemon, 'fork'), written([...turns(20, 22), ...turns(30, 32)]))
  await end('second', [...fork, ...timed(turns(40, 42), 13)])
  t.is(await transcriptOf(daemon, 'second'), written(turns(40, 42)))
  await end('parent', [...parent, ...timed(turns(50, 52), 14)])
  t.is(await transcriptOf(daemon, 'parent'), written([...turns(0, 6), ...turns(50, 52)]))
  // The same words at another time are another conversation.
  await end('other', timed(turns(0, 6), 15))
  t.is(await transcriptOf(daemon, 'other'), written(turns(0, 6)))
})

test('turns are read in pages with title and fork, and a search names the turn it found (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
  const all = turns(0, 8).map((one, second) => ({ ...one, timestamp: at(second) }))
  await capture(daemon, { sessionKey: 'parent', transcript: all })
  const fork = [...all, { role: 'user', text: 'the zeppelin lands', timestamp: at(20) }]
  await capture(daemon, { sessionKey: 'fork', transcript: fork })
  const page = async (key: string, query: { from?: number; limit?: number } = {}) =>
    (await daemon.call('GET /api/sessions/:key/turns', { params: { key }, query })).body
  const first = await page('parent', { limit: 3 })
  t.like(first, { title: 'turn 0 of the harbour', forkOf: null, total: 8, memories: 0 })
  t.deepEqual(
    first.turns.map(({ position, role, text }) => `${position} ${role} ${text}`),
    all.slice(0, 3).map(({ role, text }, position) => `${position} ${role} ${text}`),
  )
  t.deepEqual(
    (await page('parent', { from: 6 })).turns.map(({ position }) => position),
    [6, 7],
  )
  t.deepEqual((await page('parent', { from: 8 })).turns, [])
  t.like(await page('fork'), { forkOf: 'parent', total: 1, title: 'the zeppelin lands' })
  const { hits } = (await daemon.call('POST /api/sessions/search', { body: { query: 'turn 5' } })).body
  t.is(hits[0]?.position, 5)
  await daemon.call('POST /api/hooks/session-start', { body: { harness: 'codex', sessionKey: 'live' } })
  t.like(await page('live'), { harness: 'codex', total: 0, turns: [], capturedAt: null })
  t.is((await daemon.call('GET /api/sessions/:key/turns', { params: { key: 'nobody' } })).status, 404)
})
