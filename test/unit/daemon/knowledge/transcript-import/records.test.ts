import test from 'ava'
import fc from 'fast-check'
import { lineRecords } from '../../../../../src/daemon/knowledge/transcript-import/adapters/own-export.js'
import type {
  Framing,
  RawRecord,
  RecordOffset,
} from '../../../../../src/daemon/knowledge/transcript-import/forms/adapter.js'
import { elementRecords } from '../../../../../src/daemon/knowledge/transcript-import/forms/elements.js'

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

async function recordsOf(
  framing: Framing,
  text: string,
  sizes: readonly number[] = [1000],
  place?: RecordOffset,
) {
  const bytes = Buffer.from(text).subarray(place?.bytes ?? 0)
  const records: RawRecord[] = []
  for await (const record of framing(cut(bytes, sizes), place ?? { bytes: 0, number: 0 }))
    records.push(record)
  return records
}

const textsOf = (records: readonly RawRecord[]) => records.map(({ bytes }) => bytes?.toString())

const lines = 'one\r\n\n  \n{"two": "\\n"}\nthree'
const list = '\ufeff [ {"a": "]}, {\\"", "b": [1, {}]} ,7, "x,y" , [ ] ,null\n,{}] '

test('lines are separated and numbered, and blank lines are skipped', async t => {
  const records = await recordsOf(lineRecords, lines)
  t.deepEqual(textsOf(records), ['one\r', '{"two": "\\n"}', 'three'])
  t.deepEqual(
    records.map(({ number }) => number),
    [1, 4, 5],
  )
  t.is(records.at(-1)?.end, lines.length)
})

test('list elements are separated, whatever their texts contain', async t => {
  const records = await recordsOf(elementRecords, list)
  t.deepEqual(
    textsOf(records).map(text => text?.trim()),
    ['{"a": "]}, {\\"", "b": [1, {}]}', '7', '"x,y"', '[ ]', 'null', '{}'],
  )
  t.deepEqual(textsOf(await recordsOf(elementRecords, ' {"one": 1} ')), ['{"one": 1}'])
  t.deepEqual(textsOf(await recordsOf(elementRecords, '[{"torn": [1')), ['{"torn": [1'])
  t.deepEqual(textsOf(await recordsOf(elementRecords, '[{"a":1}] {"b":2}')), ['{"a":1}', '{"b":2}'])
  t.deepEqual(textsOf(await recordsOf(elementRecords, ' [ ] ')), [])
})

for (const [name, framing, text] of [
  ['lines', lineRecords, lines],
  ['elements', elementRecords, list],
] as const)
  test(`records do not depend on chunk borders and resumed reads: ${name}`, async t => {
    const whole = await recordsOf(framing, text)
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(whole.length), async (cuts, from) => {
        const place =
          from === 0 ? undefined : { bytes: whole[from - 1]!.end, number: whole[from - 1]!.number }
        t.deepEqual(await recordsOf(framing, text, cuts, place), whole.slice(from))
      }),
      { numRuns: 150 },
    )
  })

test('a too large record is skipped without buffering, and later records are read', async t => {
  const large = 'x'.repeat(16 * 1024 * 1024 + 1)
  const records = await recordsOf(lineRecords, `a\n${large}\nb`, [100_000])
  t.deepEqual(textsOf(records), ['a', undefined, 'b'])
  const elements = await recordsOf(elementRecords, `[{},"${large}",{"b":1}]`, [100_000])
  t.deepEqual(textsOf(elements), ['{}', undefined, '{"b":1}'])
  const largest = large.slice(1)
  t.deepEqual(textsOf(await recordsOf(lineRecords, `a\n${largest}\nb`, [100_000])), ['a', largest, 'b'])
})
