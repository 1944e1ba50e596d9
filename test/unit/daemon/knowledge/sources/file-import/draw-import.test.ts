import test from 'ava'
import {
  statementsOf,
  wordsOf,
} from '../../../../../../src/daemon/knowledge/sources/file-import/draw-import.js'

const told = (file: { kind: string; title?: string; text: string }) =>
  statementsOf({ title: null, ...file }).map(({ aspect, claim, value }) => `${aspect} ${claim} = ${value}`)

test('a file yields its title and first lines, with original words', t => {
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

test('JSON yields its plain fields as written, a table its columns', t => {
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

test('a file yields at most 30 statements, each with a quotation that exists in it', t => {
  const text = Array.from({ length: 100 }, (_, n) => `Name${n}: value`).join('\n')
  t.true(told({ kind: 'text', text }).length <= 30)
  t.is(wordsOf({ title: 'a.md', text: '\n\n  First line \nsecond' }), 'First line ')
  t.is(wordsOf({ title: null, text: ' \n ' }), undefined)
})

test('a title in the frontmatter precedes the heading, and each statement appears once', t => {
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
