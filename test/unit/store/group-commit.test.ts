import test from 'ava'
import { groupCommit } from '../../../src/store/group-commit.js'
import type { Tables } from '../../../src/store/tables/tables.js'

const tables = {} as Tables

/** Transactions as they were made, each with the works that committed in it. */
function recorded() {
  const committed: string[][] = []
  const state = { open: [] as string[] }
  const shared = groupCommit(async work => {
    state.open = []
    const result = await work(tables)
    committed.push(state.open)
    return result
  })
  const write = (name: string, failure?: Error) =>
    shared(async () => {
      state.open.push(name)
      if (failure) throw failure
      return name
    })
  return { committed, write }
}

test('what comes at the same moment shares a transaction, and each caller gets its own result', async t => {
  const { committed, write } = recorded()
  t.deepEqual(await Promise.all(['a', 'b', 'c'].map(name => write(name))), ['a', 'b', 'c'])
  t.deepEqual(committed, [['a', 'b', 'c']])
  t.is(await write('d'), 'd')
  t.deepEqual(committed.at(-1), ['d'])
})

test('a failure is that of its own caller; the others are done again', async t => {
  const { committed, write } = recorded()
  const failure = new Error('b is not written')
  const ends = await Promise.allSettled([write('a'), write('b', failure), write('c')])
  t.deepEqual(ends, [
    { status: 'fulfilled', value: 'a' },
    { status: 'rejected', reason: failure },
    { status: 'fulfilled', value: 'c' },
  ])
  t.deepEqual(committed, [['a'], ['c']])
})

test('a transaction takes a bounded number, and what comes meanwhile goes into the next', async t => {
  const { committed, write } = recorded()
  await Promise.all(Array.from({ length: 70 }, (_, n) => write(String(n))))
  t.deepEqual(
    committed.map(works => works.length),
    [32, 32, 6],
  )
})
