import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { steps } from '../../../../../../src/daemon/memory/recall/ranking/steps.js'

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
