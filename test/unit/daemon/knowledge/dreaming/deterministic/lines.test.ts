import test from 'ava'
import { linesOf } from '../../../../../../src/daemon/knowledge/dreaming/deterministic/lines.js'
import { readText } from '../../../../../helpers/rule-reading.js'

test('lines are copied word for word, without list marks and polite openings (knowledge.md#what-is-read)', t => {
  t.deepEqual(linesOf('- The branch is main. We use Bun!\n2. port: 80'), [
    'The branch is main. We use Bun!',
    'port: 80',
  ])
  t.deepEqual(linesOf('Hi, we use Bun, please.'), ['we use Bun'])
  t.deepEqual(linesOf('2026-03-01: we use Bun'), ['2026-03-01: we use Bun'])
})

for (const text of [
  'const branch = "main"',
  '2026-03-01 ERROR database is sqlite',
  '[12:04:55.120] WARN: region is eu-central-1',
  'INFO port: 4010',
  '```\nbranch: main\n```',
  Array.from({ length: 60 }, () => 'branch: main').join('\n'),
])
  test(`code, logs and documents have no lines: ${text.slice(0, 40).replaceAll('\n', ' ')}`, t => {
    t.deepEqual(linesOf(text), [])
  })

for (const text of [
  'Is the branch main?',
  'If the branch is main, stop',
  'Maybe we use Bun',
  'We used to use Bun',
  'We no longer use Bun',
  'Someone said we use Bun',
  'We could use Bun',
])
  test(`questions, conditions, doubts and hearsay state no fact: ${text}`, async t => {
    t.deepEqual(
      (await readText(text)).filter(fact => /uses|branch =/u.test(fact)),
      [],
    )
  })
