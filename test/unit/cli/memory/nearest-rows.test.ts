import test from 'ava'
import { nearestRows } from '../../../../src/cli/memory/nearest-rows.js'
import type { RecallReply, RecallRow } from '../../../../src/cli/memory/recall-results.js'

test('what comes nearest is asked for without a cut-off and leaves no trace; filters stay', async t => {
  const asked: object[] = []
  const row = { id: 'm' } as RecallRow
  const rows = await nearestRows(
    async body => {
      asked.push(body)
      return { results: [row] } as unknown as RecallReply
    },
    { query: 'deployment day', type: ['fact'], limit: 50 },
  )
  t.deepEqual(rows, [row])
  t.deepEqual(asked, [{ query: 'deployment day', type: ['fact'], score_min: 0, limit: 3, trial: true }])
})

test('nothing is nearest where trying is refused', async t => {
  t.deepEqual(await nearestRows(() => Promise.reject(new Error('forbidden')), { query: 'x' }), [])
})
