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
