import test from 'ava'
import { packPostings, unpackPostings } from '../../../../../src/store/index/segments/seal.js'

test('postings are unpacked as they were packed', t => {
  const places = [0, 1, 2, 130, 131, 20_000, 65_535]
  const frequencies = [1, 2, 255, 1, 127, 128, 1]
  const postings = Uint32Array.from(places, (place, at) => (place << 8) | frequencies[at]!)
  const into = new Uint32Array(places.length)
  const bytes = packPostings(postings)
  t.is(unpackPostings(bytes, into), places.length)
  t.deepEqual(into, postings)
  t.true(bytes.length < postings.byteLength, 'they are smaller than numbers')
})

test('empty postings take no bytes', t => {
  t.is(packPostings(new Uint32Array(0)).length, 0)
  t.is(unpackPostings(new Uint8Array(0), new Uint32Array(0)), 0)
})
