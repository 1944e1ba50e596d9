import test from 'ava'
import { answer } from '../../../../../../src/daemon/knowledge/code/read/questions.js'
import { indexOf } from '../../../../../helpers/code-index.js'

const question = { top: 10, file: undefined, debug: false }

test('exact names rank first, then other capitals, then prefixes, then words (code-index.md 5)', t => {
  const place = indexOf(t, [
    { path: 'src/a.ts', name: 'reopenStoreFile' },
    { path: 'src/b.ts', name: 'openStoreLater' },
    { path: 'src/c.ts', name: 'OpenStore' },
    { path: 'src/d.ts', name: 'openStore' },
    { path: 'src/e.ts', name: 'storeOpen' },
    { path: 'src/f.ts', name: 'other' },
  ])
  const found = answer('search', place, { ...question, query: 'openStore', debug: true })
  t.deepEqual(
    found.results.slice(0, 3).map(({ name }) => name),
    ['openStore', 'OpenStore', 'openStoreLater'],
  )
  t.true(found.results.some(({ name }) => name === 'storeOpen'))
  t.false(found.results.some(({ name }) => name === 'other'))
  t.is(found.results[0]?.why?.match, 'exact name')
  t.is(answer('search', place, { ...question, query: 'openStore' }).results[0]?.why, undefined)
})

test('words match names, documentation and paths with any separators (code-index.md 5)', t => {
  const place = indexOf(t, [
    { path: 'src/a.ts', name: 'parseIsoDate' },
    { path: 'src/b.ts', name: 'convert', doc: 'Parses a date that people write.' },
    { path: 'src/date/parse.ts', name: 'run' },
    { path: 'src/c.ts', name: 'close' },
  ])
  const named = (query: string, file?: string) =>
    answer('search', place, { ...question, query, file }).results.map(({ name }) => name)
  t.is(named('parse date')[0], 'parseIsoDate')
  t.deepEqual(named('where is the date parsed, or parse').toSorted(), ['convert', 'parseIsoDate', 'run'])
  t.deepEqual(named('parse date', 'src/date'), ['run'])
  t.deepEqual(named('"(* NEAR'), [])
})

test('among equal matches, the symbol with more uses comes first (code-index.md 5)', t => {
  const place = indexOf(
    t,
    [
      { path: 'src/a.ts', name: 'A.close', kind: 'method' },
      { path: 'src/b.ts', name: 'B.close', kind: 'method' },
      { path: 'src/c.ts', name: 'user' },
    ],
    [{ from: 'user', to: 'B.close' }],
  )
  const found = answer('search', place, { ...question, query: 'close' })
  t.deepEqual(
    found.results.map(({ qualified }) => qualified),
    ['B.close', 'A.close'],
  )
})
