import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { crowdingFactors, steps } from '../../../../../../src/daemon/memory/recall/ranking/steps.js'

const page = join(import.meta.dirname, '../../../../../../docs/ranking.md')

test('the table of steps in docs/ranking.md matches the code', t => {
  const shown = steps.map(({ name, sees, effect, optional }) => [name, sees, effect, optional ? 'yes' : 'no'])
  t.deepEqual(stepsIn(readFileSync(page, 'utf8')), shown)
})

test('a missing or renamed step in the table is detected', t => {
  const table = '| step | sees | effect | optional | gives |\n|---|---|---|---|---|\n'
  t.deepEqual(stepsIn(`text\n\n${table}| \`a\` | ids | add | yes | x |\n\ntext`), [
    ['a', 'ids', 'add', 'yes'],
  ])
  t.deepEqual(stepsIn('no table'), [])
})

test('all steps on ids run before all steps on content (recall.md 1.3.6)', t => {
  const firstWithContent = steps.findIndex(({ sees }) => sees === 'content')
  t.true(steps.slice(firstWithContent).every(({ sees }) => sees === 'content'))
})

/** Returns the first four cells of each row of the table that begins with `| step |`. */
function stepsIn(markdown: string): string[][] {
  const table = markdown.split(/\n\n+/u).find(block => block.startsWith('| step |')) ?? ''
  return table
    .split('\n')
    .slice(2)
    .map(row => row.split('|').slice(1, 5))
    .map(cells => cells.map(cell => cell.trim().replaceAll('`', '')))
}

const row = (type: string, source_id: string | null) => ({
  type,
  source_id,
  superseded_by: null,
  valid_from: null,
  valid_until: null,
})

test('the best three chunks of a document keep their evidence, the others are damped (documents.md#finding)', t => {
  const ids = ['a', 'b', 'c', 'd', 'e']
  const rows = new Map(ids.map(id => [id, row('document_chunk', 'one')]))
  const evidence = new Map(ids.map((id, place) => [id, place]))
  t.deepEqual(
    [...crowdingFactors(rows, id => evidence.get(id))],
    [
      ['b', 0],
      ['a', 0],
    ],
  )
})

test('memories and chunks of other documents are not damped', t => {
  const rows = new Map([
    ...['a', 'b', 'c', 'd'].map(id => [id, row('fact', 'one')] as const),
    ...['e', 'f', 'g', 'h'].map(id => [id, row('document_chunk', id)] as const),
  ])
  t.is(crowdingFactors(rows, () => undefined).size, 0)
})
