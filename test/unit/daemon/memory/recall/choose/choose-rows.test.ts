import test from 'ava'
import {
  dropOutranked,
  mergeRankings,
} from '../../../../../../src/daemon/memory/recall/choose/choose-rows.js'

const rows = (name: string, scores: readonly number[]) =>
  scores.map((score, place) => ({ id: `${name}${place}`, score }))

test('chunks take at most three of ten places from memories, whatever their scores (ranking.md#memories-beside-documents)', t => {
  const memories = rows('memory', Array<number>(12).fill(0.4))
  const chunks = rows('chunk', Array<number>(12).fill(0.9))
  const ids = mergeRankings(memories, chunks, 10).map(({ id }) => id)
  t.deepEqual(ids.slice(0, 4), ['chunk0', 'chunk1', 'chunk2', 'memory0'])
  t.is(ids.length, 10)
})

test('chunks fill the places memories leave free, and weaker ones displace nothing', t => {
  t.is(mergeRankings(rows('memory', [0.4]), rows('chunk', Array<number>(12).fill(0.1)), 10).length, 10)
  const memories = rows('memory', Array<number>(12).fill(0.4))
  t.deepEqual(mergeRankings(memories, rows('chunk', [0.1, 0.1]), 10), memories.slice(0, 10))
})

test('artifacts take free places first, then those of weaker rows (recall.md 1.3.10)', t => {
  const kept = (scores: number[], artifacts: number[], places: number) =>
    dropOutranked(rows('memory', scores), rows('artifact', artifacts), places).length
  t.is(kept([0.9, 0.5, 0.1], [0.96], 3), 2)
  t.is(kept([0.9, 0.5, 0.1], [0.96], 4), 3)
  t.is(kept([0.9, 0.5, 0.1], [0.96, 0.7, 0.2], 3), 1)
  t.is(kept([0.9, 0.5, 0.1], [0.15], 3), 3)
  t.is(kept([0.9, 0.5, 0.1], [], 3), 3)
  t.is(kept([0.1], [0.9, 0.8, 0.7], 1), 0)
})
