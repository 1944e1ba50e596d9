import test from 'ava'
import { sentencesOf } from '../../../../../../src/daemon/knowledge/dreaming/deterministic/sentences.js'

const quotes = (text: string) => sentencesOf(text).map(({ quote }) => quote)

test('statements are clauses copied word for word from the text (knowledge.md#what-is-read)', t => {
  t.deepEqual(quotes('- The branch is main. We use Bun; Ana owns it!\n2. port: 80'), [
    'The branch is main',
    'We use Bun',
    'Ana owns it',
    'port: 80',
  ])
  t.deepEqual(quotes('Hi, we use Bun, please.'), ['we use Bun'])
  t.deepEqual(quotes('2026-03-01: we use Bun'), ['2026-03-01: we use Bun'])
})

for (const text of [
  'Is the branch main?',
  'If the branch is main, stop',
  'Maybe we use Bun',
  'We used to use Bun',
  'We no longer use Bun',
  'Someone said we use Bun',
  'We could use Bun',
  'const branch = "main"',
  '2026-03-01 ERROR database is sqlite',
  '[12:04:55.120] WARN: region is eu-central-1',
  'INFO port: 4010',
  '```\nbranch: main\n```',
  Array.from({ length: 60 }, () => 'branch: main').join('\n'),
])
  test(`a text without statements yields none: ${text.slice(0, 40).replaceAll('\n', ' ')}`, t => {
    t.deepEqual(quotes(text), [])
  })
