import test from 'ava'
import { cosine, ExactVectors } from '../../../../src/store/index/exact-vectors.js'
import { RowIds } from '../../../../src/store/index/row-ids.js'

/** Vectors of rows 1 to `count`, and the ids that were read, one list a call. */
function vectorsOf(count: number, make: (id: string) => Float32Array) {
  const ids = new RowIds()
  const rows = Array.from({ length: count }, (_, i) => ids.assign(`id-${i}`, { reuse: false }))
  const reads: string[][] = []
  const exact = new ExactVectors(ids, async wanted => {
    reads.push([...wanted])
    return new Map(wanted.map(id => [id, make(id)]))
  })
  return { exact, rows, reads }
}

const small = () => Float32Array.of(3, 4)

test('a vector is read once, and again when it changed', async t => {
  const { exact, rows, reads } = vectorsOf(3, small)
  const [first, second, third] = rows as [number, number, number]
  t.deepEqual((await exact.of([first, second])).get(first), { vector: small(), squares: 25 })
  await exact.of([second, third])
  exact.forget(second)
  t.is((await exact.of(rows)).size, 3)
  t.deepEqual(reads, [['id-0', 'id-1'], ['id-2'], ['id-1']])
  t.is(exact.bytes, 3 * 2 * 4)
})

test('a vector that changes while others are read is not kept', async t => {
  const ids = new RowIds()
  const row = ids.assign('id', { reuse: false })
  const stored = { vector: Float32Array.of(1) }
  const exact: ExactVectors = new ExactVectors(ids, async () => {
    const read = new Map([['id', stored.vector]])
    stored.vector = Float32Array.of(2)
    exact.forget(row)
    return read
  })
  await exact.of([row])
  t.is((await exact.of([row])).get(row)?.vector[0], 2)
})

test('what was used longest ago makes room', async t => {
  const { exact, rows, reads } = vectorsOf(4, () => new Float32Array(500_000))
  const [first, second, third, fourth] = rows as [number, number, number, number]
  for (const row of [first, second, third, first, fourth, first, second]) await exact.of([row])
  t.deepEqual(reads.flat(), ['id-0', 'id-1', 'id-2', 'id-3', 'id-1'])
  t.is(exact.bytes, 3 * 500_000 * 4)
})

test('a vector of zeros has no direction', t => {
  const zeros = { vector: Float32Array.of(0, 0), squares: 0 }
  t.is(cosine(zeros, { vector: small(), squares: 25 }), 0)
})
