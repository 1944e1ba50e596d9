// runs: in turn

import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { inTurns } from '../../../src/mcp/call-over.js'
import type { Call } from '../../../src/mcp/tool/tool.js'

/** Records the begin and end of each call. */
function traced() {
  const trace: string[] = []
  const call = (async (address: string) => {
    trace.push(`${address} begins`)
    await Promise.resolve()
    trace.push(`${address} ends`)
    if (address === 'two') throw new Error('two fails')
    return address
  }) as unknown as Call
  return { trace, call }
}

test('calls run one after the other in own turns, and a failure does not stop later ones (mcp.md 4.9)', async t => {
  const { trace, call } = traced()
  const run = inTurns(call, new AbortController().signal)
  const other = (async () => {
    await nextTurn()
    await nextTurn()
    trace.push('another')
  })()
  const ends = await Promise.allSettled(['one', 'two', 'three'].map(address => run(address as never)))
  await other
  t.deepEqual(
    ends.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  const calls = trace.filter(line => line !== 'another')
  t.deepEqual(
    calls,
    ['one', 'two', 'three'].flatMap(name => [`${name} begins`, `${name} ends`]),
  )
  t.true(trace.indexOf('another') < trace.indexOf('three ends'))
})

test('a reply is processed in its own turn (mcp.md 4.9)', async t => {
  const trace: string[] = []
  const call = (async () => {
    setImmediate(() => trace.push('another'))
  }) as unknown as Call
  await inTurns(call, new AbortController().signal)('one' as never)
  t.deepEqual(trace, ['another'])
})

test('a call that has not started is dropped when the client disconnects (mcp.md 4.9)', async t => {
  const { trace, call } = traced()
  const gone = new AbortController()
  const run = inTurns(call, gone.signal)
  const first = run('one' as never).then(() => gone.abort())
  const second = run('three' as never)
  await first
  t.like(await t.throwsAsync(second), { code: 'connection_lost' })
  t.deepEqual(trace, ['one begins', 'one ends'])
})

test('a batch that used up its time starts no more calls (mcp.md 8)', async t => {
  const { trace, call } = traced()
  let clockMs = 0
  const slow = ((address: string) => {
    clockMs += 40_000
    return call(address as never)
  }) as unknown as Call
  const run = inTurns(slow, new AbortController().signal, () => clockMs)
  const ends = await Promise.allSettled(['one', 'three', 'four'].map(address => run(address as never)))
  t.like(ends, [{ status: 'fulfilled' }, { status: 'fulfilled' }, { reason: { code: 'timeout' } }])
  t.is(trace.at(-1), 'three ends')
})
