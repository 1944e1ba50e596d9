import test from 'ava'
import { ApiFault, systemWait, withRetries } from '../../../../../src/daemon/ground/fetch/api-faults.js'

function attempts(faults: readonly unknown[]) {
  const waits: number[] = []
  const left = [...faults]
  const stop = new AbortController()
  const work = withRetries(
    async () => {
      if (left.length > 0) throw left.shift()
      return 'done'
    },
    { signal: stop.signal, random: () => 0, wait: async ms => void waits.push(ms) },
  )
  return { work, waits }
}

const unreachable = new ApiFault('unreachable', 'no answer')

test('a passing fault is retried after doubling waits', async t => {
  const { work, waits } = attempts(Array(4).fill(unreachable))
  t.is(await work, 'done')
  t.deepEqual(waits, [500, 1000, 2000, 4000])
})

test('the fifth fault in a row is final', async t => {
  const { work, waits } = attempts(Array(5).fill(unreachable))
  await t.throwsAsync(work, { message: 'no answer' })
  t.is(waits.length, 4)
})

test('a permanent fault is not retried', async t => {
  const { work, waits } = attempts([new ApiFault('forbidden', 'no')])
  await t.throwsAsync(work, { message: 'no' })
  t.deepEqual(waits, [])
})

test('a wait ends with its signal', async t => {
  const stop = new AbortController()
  const waiting = systemWait(60_000, stop.signal)
  stop.abort(new Error('removed'))
  await t.throwsAsync(waiting, { message: 'removed' })
})
