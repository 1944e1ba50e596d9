// runs: in turn

import test from 'ava'
import { jsonInSlices } from '../../../../../src/daemon/ground/fetch/json-in-slices.js'

const long = {
  messages: Array.from({ length: 20_000 }, (_, id) => ({ id: `${id}`, text: 'Ä "crane" 🏗 \\'.repeat(5) })),
}

test('JSON parsed in slices equals JSON parsed at once', async t => {
  for (const value of [{ a: [1, null, 'x'] }, long, [long], 'x'.repeat(2_000_000)])
    t.deepEqual(await jsonInSlices(Buffer.from(JSON.stringify(value))), value)
})

test('invalid and truncated JSON is refused both ways', async t => {
  const bytes = Buffer.from(JSON.stringify(long))
  for (const broken of ['{"a":', '<html>', '']) await t.throwsAsync(jsonInSlices(Buffer.from(broken)))
  await t.throwsAsync(jsonInSlices(bytes.subarray(0, -1)))
  await t.throwsAsync(jsonInSlices(Buffer.concat([bytes, Buffer.from(']')])))
})

test('parsing a long text yields to the event loop', async t => {
  const turns = { count: 0, isOver: false }
  const count = (): void => {
    turns.count++
    if (!turns.isOver) setImmediate(count)
  }
  setImmediate(count)
  await jsonInSlices(Buffer.from(JSON.stringify([long, long, long])))
  turns.isOver = true
  t.true(turns.count > 5)
})
