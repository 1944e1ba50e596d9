import test from 'ava'
import { memoryTable } from '../../../../src/cli/memory/list.js'
import { colorsFor } from '../../../../src/cli/terminal/output.js'
import { displayWidth } from '../../../../src/cli/terminal/text.js'

const colors = colorsFor({ isTTY: false })
const now = Date.parse('2026-03-31T12:00:00Z')
const rows = [
  {
    id: '0198c0de-0000-7000-8000-000000000001',
    content: 'A text that is much longer than a terminal of eighty columns has room for in its last column',
    type: 'rule',
    tags: 'a,b',
    pinned: 1,
    created_at: '2026-03-28T11:00:00Z',
  },
]

test('a table fits the terminal and marks pinned memories', t => {
  const lines = memoryTable(rows, { colors, width: 80, now }).split('\n')
  t.is(lines.length, 2)
  t.regex(lines[0]!, /^ID +AGE +TYPE +MEMORY$/)
  t.regex(lines[1]!, /^00000001 {2}3 d {2}rule\* {2}A text .*…$/)
  t.true(lines.every(line => displayWidth(line) <= 80))
})

test('a pipe receives tab-separated fields with the full text', t => {
  t.deepEqual(memoryTable(rows, { colors, width: undefined, now }).split('\t'), [
    rows[0]!.id,
    rows[0]!.created_at,
    'rule',
    '1',
    'a,b',
    rows[0]!.content,
  ])
})

test('memories of several projects have a column with their names', t => {
  const [row] = rows
  const table = (...projects: (string | null)[]) =>
    memoryTable(
      projects.map(project => ({ ...row!, project })),
      { colors, width: 80, now },
    ).split('\n')
  const lines = table('github.com/acme/shop', 'shop (ann)', null)
  t.regex(lines[0]!, /^ID +AGE +TYPE +PROJECT +MEMORY$/)
  t.deepEqual(
    lines.slice(1).map(line => line.split(/ {2,}/u)[3]),
    ['shop', 'shop (ann)', '-'],
  )
  t.true(lines.every(line => displayWidth(line) <= 80))
  t.regex(table('shop', 'shop')[0]!, /^ID +AGE +TYPE +MEMORY$/)
})
