import test from 'ava'
import fc from 'fast-check'
import { weights } from '../../../../../../src/daemon/memory/recall/ranking/weights.js'
import type { AuthorizedRow } from '../../../../../../src/daemon/memory/recall/search/candidates.js'
import { summarize } from '../../../../../../src/daemon/memory/recall/summary/saved-summary.js'

function recallRow(id: string, content: string, { score = 0.8, day = '2026-01-01' } = {}): AuthorizedRow {
  const row = { id, content, created_at: `${day}T00:00:00.000Z` } as AuthorizedRow['row']
  return { id, score, evidence: score, own: score, contributions: [], row }
}

const linesOf = (text: string | undefined) => text?.split('\n').slice(1)

test('sentences end at a mark before a space, not inside versions and host names', async t => {
  const rows = [recallRow('a', 'Deploy v1.2.3 to api.example.com first. Then rest.')]
  t.deepEqual(linesOf((await summarize('deploy', rows, 'small'))?.text), [
    '2026-01-01: Deploy v1.2.3 to api.example.com first. Then rest.',
  ])
})

test('sentences of a long memory that answer the query come first', async t => {
  const filler = Array.from({ length: 12 }, (_, n) => `Chapter ${n} ${'tells of other things '.repeat(4)}.`)
  const rows = [
    recallRow('a', [...filler.slice(0, 6), 'The backup key is in the safe.', ...filler.slice(6)].join(' ')),
  ]
  t.regex(
    (await summarize('where is the backup key', rows, 'small'))!.text,
    /The backup key is in the safe\./,
  )
})

test('a weaker memory is quoted before the third sentence of a better one', async t => {
  const best = recallRow('a', ['One is red.', 'Two is blue.', `Three is ${'long '.repeat(160)}.`].join(' '))
  const weak = recallRow('b', `Other is ${'green '.repeat(60)}.`, { score: 0.4 })
  t.deepEqual(
    (await summarize('colours', [best, weak], 'small'))!.sources.map(({ id }) => id),
    ['a', 'b'],
  )
})

test('a summary needs usable sentences', async t => {
  t.is(await summarize('x', [], 'large'), undefined)
  t.is(await summarize('x', [recallRow('a', '?!')], 'large'), undefined)
})

test('a summary respects its budget, is deterministic and contains whole characters', async t => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3000 })
  await fc.assert(
    fc.asyncProperty(text, fc.array(text, { maxLength: 8 }), async (query, contents) => {
      const rows = contents.map((content, n) => recallRow(`m${n}`, content, { score: 1 / (n + 1) }))
      const summary = await summarize(query, rows, 'small')
      t.deepEqual(await summarize(query, rows, 'small'), summary)
      t.true((summary?.text.length ?? 0) <= weights.summary.characters.small)
      if (contents.every(content => content.isWellFormed()) && query.isWellFormed())
        t.true(summary?.text.isWellFormed() ?? true)
    }),
    { numRuns: 60 },
  )
})
