import test from 'ava'
import { CoarseCodes } from '../../../../../src/store/index/vectors/coarse-codes.js'
import { noise } from '../noise.js'

const stride = 384

function filledCodes(
  count: number,
  options: { simd?: boolean } = {},
): { codes: CoarseCodes; vectors: Float32Array[] } {
  const next = noise(7)
  const vectors = Array.from({ length: count }, () => Float32Array.from({ length: stride }, next))
  const codes = new CoarseCodes(stride, options)
  codes.reserve(count)
  for (const [row, vector] of vectors.entries()) codes.set(row, vector)
  return { codes, vectors }
}

function sumsOf(codes: CoarseCodes, query: Float32Array, rows: number): Uint16Array {
  const sums = new Uint16Array(rows)
  codes.scan(codes.queryOf(query), { first: 0, count: rows }, sums)
  return sums
}

test('estimated cosines are unbiased, with an error near 0.02 at 384 dimensions', t => {
  const { codes, vectors } = filledCodes(2000)
  const query = vectors[5]!.map((value, i) => value + vectors[6]![i]!)
  const asked = codes.queryOf(query)
  const sums = sumsOf(codes, query, vectors.length)
  const length = (vector: Float32Array) => Math.hypot(...vector)
  const errors = vectors.map((vector, row) => {
    const product = vector.reduce((sum, value, i) => sum + value * query[i]!, 0)
    return codes.estimate(asked, row, sums[row]!) - product / length(vector) / length(query)
  })
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length
  const deviation = Math.sqrt(errors.reduce((sum, error) => sum + (error - mean) ** 2, 0) / errors.length)
  t.true(Math.abs(mean) < 0.002, `mean ${mean}`)
  t.true(deviation > 0.01 && deviation < 0.022, `deviation ${deviation}`)
})

test('packed codes keep their meaning elsewhere, and rows without a vector leave nothing', t => {
  const rows = 70
  const { codes, vectors } = filledCodes(rows)
  const holds = Uint8Array.from({ length: rows }, (_, row) => Number(row !== 40))
  const order = Uint32Array.from({ length: rows }, (_, i) => (i * 29) % rows)
  const packed = codes.packed(order, holds)
  t.is(packed.length, rows * codes.packedBytes)
  t.true(
    packed
      .subarray(order.indexOf(40) * codes.packedBytes)
      .subarray(0, codes.packedBytes)
      .every(byte => byte === 0),
  )
  const { codes: other } = filledCodes(rows, { simd: false })
  other.unpack(
    Uint32Array.from({ length: rows }, (_, i) => (order[i] === 40 ? 0 : i)),
    packed,
  )
  const [sums, moved] = [codes, other].map(each => sumsOf(each, vectors[3]!, rows))
  for (const [i, row] of order.entries()) if (row !== 40 && i !== 0) t.is(moved![i], sums![row])
})

test('blocks of codes keep their meaning elsewhere, with rows added or left out', t => {
  for (const options of [{ simd: true }, { simd: false }]) {
    const { codes, vectors } = filledCodes(200, options)
    const holds = new Uint8Array(200).map((_, row) => Number(row % 50 !== 7))
    // First unshifted, then shifted by removed rows.
    const rows = Uint32Array.from({ length: 150 }, (_, i) => (i < 70 ? i : i + 40))
    const blocks = codes.blocksOf(rows, holds)
    const other = new CoarseCodes(stride, options)
    other.reserve(rows.length)
    other.blocksAt(0, blocks.length).set(blocks)
    const expected = sumsOf(codes, vectors[3]!, 200)
    const found = sumsOf(other, vectors[3]!, rows.length)
    for (const [i, row] of rows.entries()) if (holds[row] === 1) t.is(found[i], expected[row])
    t.true(
      blocks.equals(
        other.blocksOf(
          Uint32Array.from(rows, (_, i) => i),
          new Uint8Array(150).fill(1),
        ),
      ),
    )
  }
})
