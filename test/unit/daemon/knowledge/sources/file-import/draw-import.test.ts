import test from 'ava'
import {
  statementsOf,
  wordsOf,
} from '../../../../../../src/daemon/knowledge/sources/file-import/draw-import.js'

const told = (file: { kind: string; title?: string; text: string }) =>
  statementsOf({ title: null, ...file }).map(({ aspect, claim, value }) => `${aspect} ${claim} = ${value}`)

test('a file says its title and the lines of its beginning, with their words as they stand', t => {
  const text =
    '---\nauthor: Ada\n---\n# Cranes\n\n- **Owner**: the harbour\n\nIt lifts. See https://example.org: good.\n'
  t.deepEqual(told({ kind: 'markdown', title: 'Cranes', text }), [
    'about title = Cranes',
    'about author = Ada',
    'about owner = the harbour',
  ])
  for (const { quote } of statementsOf({ kind: 'markdown', title: 'Cranes', text }))
    t.true(text.includes(quote))
  t.deepEqual(told({ kind: 'markdown', title: 'Elsewhere', text: 'A text that says nothing of itself.' }), [])
})

test('JSON says its plain members where they stand as JSON writes them; a table its columns', t => {
  t.deepEqual(
    told({ kind: 'json', text: '{"name": "Quay", "open":true, "x": 1.50, "parts":[1], "y": null}' }),
    ['about name = Quay', 'about open = true'],
  )
  t.deepEqual(told({ kind: 'json', text: '[1]' }), [])
  t.deepEqual(told({ kind: 'table', text: '| id | a \\| b |\n| --- | --- |\n| 1 | 2 |\n' }), [
    'columns id = column 1 of 2',
    'columns a \\| b = column 2 of 2',
  ])
})

test('no file says more than thirty things, and none is shown by words that it does not have', t => {
  const text = Array.from({ length: 100 }, (_, n) => `Name${n}: value`).join('\n')
  t.true(told({ kind: 'text', text }).length <= 30)
  t.is(wordsOf({ title: 'a.md', text: '\n\n  First line \nsecond' }), 'First line ')
  t.is(wordsOf({ title: null, text: ' \n ' }), undefined)
})

test('a title that a file names goes before its heading, and each thing is said once', t => {
  const text = '---\ntitle: Nice name\nauthor: Ada\nauthor: Ben\n---\n# Other heading\n'
  const told = statementsOf({ kind: 'note', title: 'Other heading', text })
  t.deepEqual(
    told.map(({ claim, value }) => [claim, value]),
    [
      ['title', 'Nice name'],
      ['author', 'Ada'],
    ],
  )
})
