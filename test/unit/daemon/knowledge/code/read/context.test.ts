import test from 'ava'
import { answer } from '../../../../../../src/daemon/knowledge/code/read/questions.js'
import { indexOf } from '../../../../../helpers/code-index.js'

test('a context has definition, members, callers and callees with their certainty (code-index.md 6)', t => {
  const place = indexOf(
    t,
    [
      { path: 'src/store.ts', name: 'Store', kind: 'class', doc: 'Keeps rows.' },
      { path: 'src/store.ts', name: 'Store.open', kind: 'method' },
      { path: 'src/main.ts', name: 'main' },
      { path: 'src/base.ts', name: 'Base', kind: 'class' },
    ],
    [
      { from: 'main', to: 'Store' },
      { from: 'main', to: 'Store.open', confidence: 'likely' },
      { from: 'Store', to: 'Base', kind: 'inherit' },
      { from: 'src/main.ts', to: 'Store', kind: 'import' },
    ],
  )
  const { definitions, total } = answer('context', place, 'Store')
  t.is(total, 1)
  const [store] = definitions
  t.like(store?.symbol, {
    qualified: 'Store',
    kind: 'class',
    path: 'src/store.ts',
    line: 1,
    doc: 'Keeps rows.',
  })
  t.deepEqual(
    store?.members.map(({ qualified }) => qualified),
    ['Store.open'],
  )
  t.deepEqual(
    store?.callers.map(one => [one.symbol.qualified, one.relation, one.certainty]),
    [['main', 'call', 'certain']],
  )
  t.deepEqual(
    store?.callees.map(one => [one.symbol.qualified, one.relation]),
    [['Base', 'inherit']],
  )
  t.deepEqual(store?.importedBy, [{ path: 'src/main.ts', line: 7, certainty: 'certain' }])
  const [open] = answer('context', place, 'Store.open').definitions
  t.deepEqual(
    open?.callers.map(one => one.certainty),
    ['likely'],
  )
})

test('an unresolved use is ambiguous if exactly one symbol has its name, which has several words (code-index.md 6)', t => {
  const place = indexOf(
    t,
    [
      { path: 'src/a.ts', name: 'openStore' },
      { path: 'src/a.ts', name: 'open' },
      { path: 'src/b.ts', name: 'user' },
    ],
    [
      { from: 'user', to: 'openStore', confidence: 'unresolved' },
      { from: 'user', to: 'open', confidence: 'unresolved' },
    ],
  )
  const callers = (symbol: string) =>
    answer('context', place, symbol).definitions[0]?.callers.map(one => [one.symbol.name, one.certainty])
  t.deepEqual(callers('openStore'), [['user', 'ambiguous']])
  t.deepEqual(callers('open'), [])
})

test('a class or a path selects one of several definitions (code-index.md 6)', t => {
  const place = indexOf(t, [
    { path: 'src/a.ts', name: 'A.run', kind: 'method' },
    { path: 'src/b.ts', name: 'B.run', kind: 'method' },
    { path: 'lib/b.ts', name: 'run' },
  ])
  const named = (symbol: string) => answer('context', place, symbol).definitions.map(one => one.symbol.path)
  t.deepEqual(named('run').toSorted(), ['lib/b.ts', 'src/a.ts', 'src/b.ts'])
  t.deepEqual(named('B.run'), ['src/b.ts'])
  t.deepEqual(named('B::run'), ['src/b.ts'])
  t.deepEqual(named('lib/b.ts:run'), ['lib/b.ts'])
  t.deepEqual(named('lib/b.ts'), ['lib/b.ts'])
})

test('constants are found by name, value and path; a missing index is reported (code-index.md 8)', t => {
  const place = indexOf(t, [
    { path: 'src/a.ts', name: 'timeoutMs', kind: 'constant', value: '300' },
    { path: 'src/b.ts', name: 'url', kind: 'constant', value: "'https://example.org'" },
    { path: 'src/b.ts', name: 'late', kind: 'variable', value: '1' },
  ])
  const named = (query?: string) =>
    answer('constants', place, { query, top: 10 }).constants.map(({ name }) => name)
  t.deepEqual(named(), ['timeoutMs', 'url'])
  t.deepEqual(named('EXAMPLE'), ['url'])
  t.is(answer('constants', place, { query: undefined, top: 1 }).total, 2)
  t.throws(() => answer('status', { ...place, file: `${place.file}.none` }), { code: 'not_indexed' })
})
