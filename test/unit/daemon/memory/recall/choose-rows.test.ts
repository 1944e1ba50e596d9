import test from 'ava'
import { besideEachOther } from '../../../../../src/daemon/memory/recall/choose-rows.js'

const rows = (name: string, scores: readonly number[]) =>
  scores.map((score, place) => ({ id: `${name}${place}`, score }))

test('chunks take at most three of ten places from memories, however good they are (ranking.md#memories-beside-documents)', t => {
  const memories = rows('memory', Array<number>(12).fill(0.4))
  const chunks = rows('chunk', Array<number>(12).fill(0.9))
  const ids = besideEachOther(memories, chunks, 10).map(({ id }) => id)
  t.deepEqual(ids.slice(0, 4), ['chunk0', 'chunk1', 'chunk2', 'memory0'])
  t.is(ids.length, 10)
})

test('chunks have the places that memories leave free, and weaker ones take none', t => {
  t.is(besideEachOther(rows('memory', [0.4]), rows('chunk', Array<number>(12).fill(0.1)), 10).length, 10)
  const memories = rows('memory', Array<number>(12).fill(0.4))
  t.deepEqual(besideEachOther(memories, rows('chunk', [0.1, 0.1]), 10), memories.slice(0, 10))
})
