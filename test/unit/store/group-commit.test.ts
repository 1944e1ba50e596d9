// runs: in turn

import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { deferred } from '../../../src/lib/concurrency/deferred.js'
import { type GroupCommitOptions, groupCommit } from '../../../src/store/group-commit.js'
import type { Tables } from '../../../src/store/tables/tables.js'

const tables = {} as Tables

/** Records the works committed in each transaction. */
function recordTransactions(options?: GroupCommitOptions) {
  const committed: string[][] = []
  let openNow: string[] = []
  const shared = groupCommit(async work => {
    openNow = []
    const result = await work(tables)
    committed.push(openNow)
    return result
  }, options)
  const write = (name: string, failure?: Error, options?: { rows?: number; alone?: boolean }) =>
    shared.write(async () => {
      openNow.push(name)
      if (failure) throw failure
      return name
    }, options)
  return { committed, write }
}

test('simultaneous writes share a transaction, and each caller gets its own result', async t => {
  const { committed, write } = recordTransactions()
  t.deepEqual(await Promise.all(['a', 'b', 'c'].map(name => write(name))), ['a', 'b', 'c'])
  t.deepEqual(committed, [['a', 'b', 'c']])
  t.is(await write('d'), 'd')
  t.deepEqual(committed.at(-1), ['d'])
})

test('writes that arrive turn by turn join the transaction being gathered', async t => {
  const { committed, write } = recordTransactions({ atMost: 4 })
  const asked = [write('a'), write('b')]
  for (const name of ['c', 'd', 'e']) {
    await nextTurn()
    asked.push(write(name))
  }
  await Promise.all(asked)
  t.deepEqual(committed, [['a', 'b', 'c', 'd'], ['e']])
})

test('inputs that wait for the same work are one call of it, and each caller gets its own result', async t => {
  const calls: (readonly number[])[] = []
  const twice = async (_tables: Tables, numbers: readonly number[]) => {
    calls.push(numbers)
    if (numbers.includes(0)) throw new Error('no zero')
    return numbers.map(number => number * 2)
  }
  const shared = groupCommit(work => work(tables))
  const together = [shared.together(twice, 1), shared.together(twice, 2), shared.write(async () => 'between')]
  t.deepEqual(await Promise.all([...together, shared.together(twice, 3)]), [2, 4, 'between', 6])
  t.deepEqual(calls.splice(0), [[1, 2], [3]])
  const ends = await Promise.allSettled([shared.together(twice, 0), shared.together(twice, 5)])
  t.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  )
  t.deepEqual(calls, [[0, 5], [0], [5]], 'each is written again by itself')
})

test('works that need no answers are sent ahead, and the plain work runs when that changed nothing', async t => {
  const runs: string[] = []
  const plain = async (_tables: Tables, names: readonly string[]) => {
    runs.push(`plain ${names}`)
    return names.map(name => `${name} plain`)
  }
  const ahead = async (_tables: Tables, names: readonly string[]) => {
    runs.push(`ahead ${names}`)
    if (names.includes('refused')) throw new Error('a statement failed')
    if (names.includes('gone')) throw gone
    return names.includes('unsure') ? undefined : () => names.map(name => `${name} ahead`)
  }
  const gone = new Error('nobody knows')
  const shared = groupCommit(work => work(tables), {
    ahead: async work => (await work(tables))?.(number => number),
    endsAll: error => error === gone,
  })
  const asked = [shared.together(plain, 'a', ahead), shared.together(plain, 'b', ahead)]
  t.deepEqual(await Promise.all([...asked, shared.together(plain, 'named')]), [
    'a ahead',
    'b ahead',
    'named plain',
  ])
  t.is(await shared.together(plain, 'refused', ahead), 'refused plain')
  t.is(await shared.together(plain, 'unsure', ahead), 'unsure plain')
  await t.throwsAsync(shared.together(plain, 'gone', ahead), { is: gone })
  t.deepEqual(runs, [
    ...['ahead a,b', 'plain named', 'ahead refused', 'plain refused', 'ahead unsure', 'plain unsure'],
    'ahead gone',
  ])
})

test('a failure reaches only its caller, and the other writes are repeated', async t => {
  const { committed, write } = recordTransactions()
  const failure = new Error('b is not written')
  const ends = await Promise.allSettled([write('a'), write('b', failure), write('c')])
  t.deepEqual(ends, [
    { status: 'fulfilled', value: 'a' },
    { status: 'rejected', reason: failure },
    { status: 'fulfilled', value: 'c' },
  ])
  t.deepEqual(committed, [['a'], ['c']])
})

test('a transaction takes a limited number of writes, and later ones go into the next', async t => {
  const { committed, write } = recordTransactions()
  await Promise.all(Array.from({ length: 70 }, (_, n) => write(String(n))))
  t.deepEqual(
    committed.map(works => works.length),
    [32, 32, 6],
  )
})

test('transactions are filled by size, and a large write has its own', async t => {
  const { committed, write } = recordTransactions({ atMost: 64 })
  await Promise.all([
    write('a', undefined, { rows: 30 }),
    write('b', undefined, { rows: 30 }),
    write('c', undefined, { rows: 30 }),
    write('large', undefined, { rows: 100 }),
    write('d', undefined, { rows: 1 }),
    write('alone', undefined, { alone: true }),
  ])
  t.deepEqual(committed, [['a', 'b'], ['c'], ['large'], ['d'], ['alone']])
})

test('a lingering transaction waits for others until there are enough', async t => {
  // With this delay only further works can end the wait.
  const { committed, write } = recordTransactions({ atMost: 3, lingerMs: 2 ** 31 - 1 })
  const first = write('a')
  await nextTurn()
  const second = write('b')
  await nextTurn()
  t.deepEqual(committed, [])
  t.deepEqual(await Promise.all([first, second, write('c')]), ['a', 'b', 'c'])
  t.deepEqual(committed, [['a', 'b', 'c']])
  const short = recordTransactions({ lingerMs: 1 })
  t.is(await short.write('alone'), 'alone')
})

test('a transaction waits for as many as the last one had, and a lone writer for nobody', async t => {
  // With this delay only further works can end the wait.
  const { committed, write } = recordTransactions({ lingerMs: 2 ** 31 - 1, asLast: true })
  t.is(await write('alone'), 'alone')
  await Promise.all([write('a'), write('b')])
  const third = write('c')
  await nextTurn()
  await nextTurn()
  t.deepEqual(committed, [['alone'], ['a', 'b']])
  await Promise.all([third, write('d')])
  t.deepEqual(committed.at(-1), ['c', 'd'])
  const left = recordTransactions({ lingerMs: 1, asLast: true })
  await Promise.all([left.write('a'), left.write('b')])
  t.is(await left.write('who stays'), 'who stays')
})

test('a write is confirmed only once on disk, and later ones share the next transaction', async t => {
  const settled = [deferred<void>(), deferred<void>(), deferred<void>()]
  const waits = settled.map(({ promise }) => promise)
  const { committed, write } = recordTransactions({ settle: () => waits.shift() ?? Promise.resolve() })
  const told: string[] = []
  const ask = (name: string) => write(name).then(() => told.push(name))
  const first = ask('a')
  await nextTurn()
  await nextTurn()
  const later = [ask('b'), ask('c')]
  await nextTurn()
  t.deepEqual([committed, told], [[['a']], []])
  settled[0]!.resolve()
  await first
  settled[1]!.resolve()
  await Promise.all(later)
  t.deepEqual(committed, [['a'], ['b', 'c']])
  settled[2]!.reject(new Error('refused'))
  const refused = await Promise.allSettled([write('d'), write('e')])
  t.deepEqual(
    refused.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  t.deepEqual(committed, [['a'], ['b', 'c'], ['d', 'e']], 'it is not written again')
})
