import test from 'ava'
import { choosePassages } from '../../../../../../src/daemon/memory/recall/choose/choose-rows.js'

const rows = (name: string, scores: readonly number[]) =>
  scores.map((score, place) => ({ id: `${name}${place}`, score }))

/** Ids of the passages chosen among chunks and artifacts with these scores. */
function chosen(chunks: number[], artifacts: number[], room: { isAlone: boolean; places: number }) {
  const best = choosePassages({ chunks: rows('chunk', chunks), artifacts: rows('artifact', artifacts) }, room)
  return [...best.chunks, ...best.artifacts].map(({ id }) => id)
}

test('at most the three best passages come beside memories, in the free places (recall.md 1.3.10)', t => {
  const beside = (places: number) => ({ isAlone: false, places })
  t.deepEqual(chosen([0.9, 0.8, 0.2], [0.85, 0.7], beside(9)), ['chunk0', 'chunk1', 'artifact0'])
  t.deepEqual(chosen([0.9, 0.8], [0.85], beside(1)), ['chunk0'])
  t.deepEqual(chosen([0.9, 0.8], [0.95], beside(0)), [])
})

test('passages fill every place if no memory answers', t => {
  t.is(chosen(Array<number>(12).fill(0.1), [0.5, 0.4], { isAlone: true, places: 10 }).length, 10)
})
