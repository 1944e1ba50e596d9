import test from 'ava'
import { createOwedStarts } from '../../../../../src/daemon/sessions/harness/owed-starts.js'

const startup = { source: 'startup' }
const told = (count: number) => createOwedStarts(async () => count)

test('a start is owed to one prompt, and each start anew', async t => {
  const owed = told(0)
  owed.owe('s-1', startup)
  t.deepEqual(await owed.take('s-1'), startup)
  t.is(await owed.take('s-1'), undefined)
  owed.owe('s-1', { source: 'resume' })
  t.deepEqual(await owed.take('s-1'), { source: 'resume' })
})

test('of prompts at the same moment one gets the start, known or not', async t => {
  const owed = told(0)
  owed.owe('s-1', startup)
  for (const key of ['s-1', 's-2']) {
    const starts = await Promise.all([owed.take(key), owed.take(key), owed.take(key)])
    t.is(starts.filter(Boolean).length, 1, key)
  }
})

test('a session that nothing is known of is owed its start until it had a prompt', async t => {
  t.deepEqual(await told(0).take('s-1'), { source: undefined })
  t.is(await told(1).take('s-1'), undefined)
})

test('a start that comes while the prompts are counted is owed', async t => {
  const owed = createOwedStarts(async key => {
    owed.owe(key, startup)
    return 3
  })
  t.deepEqual(await owed.take('s-1'), startup)
})

test('what was forgotten of very many sessions follows from their prompts', async t => {
  const owed = told(1)
  for (let n = 0; n <= 1000; n++) owed.owe(`s-${n}`, startup)
  t.is(await owed.take('s-0'), undefined)
  t.deepEqual(await owed.take('s-1'), startup)
})
