import test from 'ava'
import { answer } from '../../../../../../src/daemon/knowledge/code/read/questions.js'
import { type GivenEdge, indexOf } from '../../../../../helpers/code-index.js'

const at = (name: string) => ({ path: `src/${name.toLowerCase()}.ts`, name })
const backward = { depth: 5, direction: 'backward' } as const

const blastOf = (t: Parameters<typeof indexOf>[0], names: readonly string[], edges: readonly GivenEdge[]) => {
  const place = indexOf(t, names.map(at), edges)
  return (symbol: string, how: { depth: number; direction: 'forward' | 'backward' | 'both' } = backward) =>
    answer('blast', place, { symbol, ...how })
}

const lines = ({ nodes }: ReturnType<ReturnType<typeof blastOf>>): string[] =>
  nodes.map(
    ({ depth, symbol, way, again }) =>
      `${'  '.repeat(depth - 1)}${symbol.qualified} ${way}${again ? ' again' : ''}`,
  )

test('callers form a tree, parents first, down to the requested depth (code-index.md 7)', t => {
  const blast = blastOf(
    t,
    ['a', 'b', 'c', 'd'],
    [
      { from: 'b', to: 'a' },
      { from: 'c', to: 'b' },
      { from: 'd', to: 'c' },
    ],
  )
  t.deepEqual(lines(blast('a')), ['b certain', '  c certain', '    d certain'])
  const shallow = blast('a', { depth: 2, direction: 'backward' })
  t.deepEqual(lines(shallow), ['b certain', '  c certain'])
  t.true(shallow.truncated)
  t.deepEqual(lines(blast('d', { depth: 5, direction: 'forward' })), [
    'c certain',
    '  b certain',
    '    a certain',
  ])
  t.deepEqual(shallow.files, ['src/b.ts', 'src/c.ts'])
})

test('a cycle ends where it closes (code-index.md 7)', t => {
  const blast = blastOf(
    t,
    ['a', 'b', 'c'],
    [
      { from: 'b', to: 'a' },
      { from: 'c', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'a', to: 'c' },
    ],
  )
  t.deepEqual(lines(blast('a')), ['b certain', '  c certain', '    b certain again'])
})

test('a symbol appears on its most certain path, however long (code-index.md 7)', t => {
  const blast = blastOf(
    t,
    ['a', 'b', 'c'],
    [
      { from: 'c', to: 'a', confidence: 'likely' },
      { from: 'b', to: 'a' },
      { from: 'c', to: 'b' },
    ],
  )
  t.deepEqual(lines(blast('a')), ['b certain', '  c certain', 'c likely again'])
})

test('an ambiguous caller ends its branch and is counted separately (code-index.md 7)', t => {
  const blast = blastOf(
    t,
    ['A.run', 'B.run', 'user', 'further'],
    [
      { from: 'user', to: ['A.run', 'B.run'], confidence: 'ambiguous' },
      { from: 'further', to: 'user' },
    ],
  )
  const found = blast('A.run')
  t.deepEqual(lines(found), ['user ambiguous'])
  t.deepEqual(found.counts, { certain: 0, likely: 0, ambiguous: 1 })
})

test('callers behind a likely edge are at most likely (code-index.md 7)', t => {
  const blast = blastOf(
    t,
    ['a', 'b', 'c'],
    [
      { from: 'b', to: 'a', confidence: 'likely' },
      { from: 'c', to: 'b' },
    ],
  )
  t.deepEqual(lines(blast('a')), ['b likely', '  c likely'])
})

test('a class includes callers of its members, and a long result is cut (code-index.md 7)', t => {
  const users = Array.from({ length: 1000 }, (_, number) => `user${number}`)
  const blast = blastOf(
    t,
    ['Store', 'Store.open', ...users],
    users.map(from => ({ from, to: 'Store.open' })),
  )
  const found = blast('Store')
  t.is(found.nodes.length, 500)
  t.true(found.truncated)
})

test('a missing symbol is never replaced by a similar one (code-index.md 6)', t => {
  const blast = blastOf(t, ['openStore', 'openStores'], [])
  t.throws(() => blast('openstore'), { code: 'not_found', message: /Did you mean: openStore, openStores/u })
  t.throws(() => blast('open'), { code: 'not_found' })
})
