import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import pico from 'picocolors'
import {
  isFirstToday,
  nearestRows,
  noHitsHelp,
  type RecallReply,
  type RecallRow,
  recallFooter,
  recallResults,
  strongRows,
  weakLine,
} from '../../../../src/cli/memory/recall.js'
import { colorsFor } from '../../../../src/cli/terminal/output.js'
import { displayWidth } from '../../../../src/cli/terminal/text.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'

const plain = colorsFor({ isTTY: false })
const now = Date.parse('2026-03-31T12:00:00Z')

const row = (fields: Partial<RecallRow> = {}): RecallRow => ({
  id: '0198c0de-0000-7000-8000-000000000001',
  content: 'We decided to keep billing in PostgreSQL',
  type: 'decision',
  tags: 'billing,database',
  who: 'maya',
  project: null,
  scope: null,
  importance: 0.8,
  pinned: 0,
  score: 0.873,
  source: 'memory',
  created_at: '2026-03-28T11:00:00Z',
  session_id: null,
  source_type: null,
  source_id: null,
  source_path: null,
  superseded_by: null,
  currentness: 'current',
  ...fields,
})

const reply = (fields: Partial<RecallReply> = {}): RecallReply => ({
  results: [],
  count: 0,
  query: 'billing',
  method: 'hybrid',
  meta: {
    totalReturned: 0,
    hasSupplementary: false,
    noHits: true,
    confidence: 0,
    timings: { total: 4.2 },
    vectorCompleteness: 'complete',
    searchedWindow: 0,
  },
  message: '',
  ...fields,
})

test('a result shows score, type, age, text, id, tags and author', t => {
  const text = recallResults([row()], 'billing', { colors: plain, width: 80, now })
  t.deepEqual(text.split('\n'), [
    ' 1  0.87  decision  3 d ago',
    '    We decided to keep billing in PostgreSQL',
    '    00000001 · #billing #database · by maya',
  ])
})

test('an author that is a product has its name', t => {
  const text = recallResults([row({ who: 'gemini' })], 'billing', { colors: plain, width: 80, now })
  t.true(text.endsWith(' · by Gemini'), text)
})

test('query words are marked and no other text is coloured', t => {
  const colors = { ...plain, bold: (text: unknown) => `<${text}>` } as typeof plain
  const text = recallResults([row()], 'bill', { colors, width: 80, now })
  t.true(text.includes('We decided to keep <billing> in PostgreSQL'))
})

test('pinned, superseded and supplementary rows are labelled', t => {
  const text = recallResults([row({ pinned: 1, superseded_by: 'x', supplementary: true })], 'q', {
    colors: plain,
    width: 80,
    now,
  })
  t.regex(text, /pinned {2}superseded {2}from your notes/)
})

test('a chunk shows its position in its document', t => {
  const document = { id: 'd', title: 'Runbook', heading: 'Deploying > Rollback', page: null }
  const text = recallResults([row({ document, source_path: '/docs/run.md' })], 'q', {
    colors: plain,
    width: 200,
    now,
  })
  t.regex(text, / · Runbook > Deploying > Rollback · \/docs\/run\.md/)
})

test('a long text is cut around the first match, and the cuts are marked', t => {
  const content = `${'filler words here '.repeat(40)}the needle is here ${'and more '.repeat(60)}`.trim()
  const view = { colors: plain, width: 60, now, maxLines: 4 }
  const lines = recallResults([row({ content })], 'needle', view)
    .split('\n')
    .slice(1, 5)
  t.true(lines.some(line => line.includes('needle')))
  t.true(lines[0]!.startsWith('    …'))
  t.true(lines[3]!.endsWith('…'))
  t.true(lines.every(line => displayWidth(line) <= 60))
})

test('a pipe receives full texts on one line', t => {
  const content = 'word '.repeat(100).trim()
  const lines = recallResults([row({ content })], 'x', { colors: plain, width: undefined, now }).split('\n')
  t.is(lines[1], `    ${content}`)
})

test('explain says in a sentence why a row was found, and the numbers on request', t => {
  const explain = {
    score: 0.87,
    evidence: 2.5,
    contributions: [
      { step: 'keyword', effect: 'add' as const, value: 2 },
      { step: 'recency', effect: 'multiply' as const, value: 1.25 },
    ],
    formula: 'a / (a + 1)',
  }
  const lines = (withNumbers: boolean) =>
    recallResults([row({ explain, pinned: 1 })], 'where did we decide on billing', {
      ...{ colors: plain, width: 80, now, withNumbers },
    })
      .split('\n')
      .slice(3)
      .map(line => line.trim())
  const sentence = 'Why: matches decided and billing; raised by recency; pinned'
  t.deepEqual(lines(false), [sentence])
  t.deepEqual(lines(true), [
    sentence,
    '+ 2.000  keywords',
    'x 1.250  recency',
    '= a / (a + 1), evidence 2.500',
  ])
})

test('scores are coloured by strength, and rows far below the best one are left out', t => {
  const colors = pico.createColors(true)
  const painted = (score: number) =>
    recallResults([row({ score })], 'x', { colors, width: 80, now }).split('\n')[0]!
  t.true(painted(0.9).includes(colors.bold(colors.green('0.90'))))
  t.true(painted(0.4).includes(colors.yellow('0.40')))
  t.true(painted(0.05).includes(colors.dim('0.05')))
  const rows = [0.86, 0.11, 0.08, 0.01].map(score => row({ score }))
  t.deepEqual(
    strongRows(rows).map(({ score }) => score),
    [0.86, 0.11],
  )
  t.is(weakLine(0), '')
  t.is(weakLine(2), '2 weak matches left out: add --min-score 0')
})

test('a project without a name is not shown on a terminal', t => {
  const project = `git:${'a1'.repeat(20)}`
  t.notRegex(recallResults([row({ project })], 'x', { colors: plain, width: 80, now }), /git:/)
  t.regex(recallResults([row({ project })], 'x', { colors: plain, width: undefined, now }), /git:a1/)
})

test('the footer shows the count, the time and the method', t => {
  const summary = (one: RecallReply) => recallFooter(one, 99, () => true)
  t.is(summary(reply({ count: 3 })), '3 memories in 4.2 ms, keyword and semantic')
  const passage = row({ type: 'source_chunk', supplementary: true })
  t.regex(summary(reply({ count: 1, results: [passage] })), /^1 passage from sources in/)
  t.regex(summary(reply({ count: 2, results: [row(), passage] })), /^1 memory and 1 passage from sources in/)
  const keyword = reply({ count: 1, method: 'keyword' })
  keyword.meta.embedding = 'the model is not downloaded'
  t.is(summary(keyword), '1 memory in 4.2 ms, keyword only: the model is not downloaded')
  const windowed = reply()
  windowed.meta.vectorCompleteness = 'recent-window'
  windowed.meta.searchedWindow = 10_000
  t.true(summary(windowed).endsWith('keyword and semantic (newest 10000 vectors)'))
  windowed.meta.rebuilding = true
  t.true(summary(windowed).endsWith('; the index is being rebuilt, so older memories may be missing'))
})

test('the footer explains a missing semantic search only if there is a reason, and once', t => {
  const asked: string[] = []
  const summary = (one: RecallReply) =>
    recallFooter(one, 99, () => {
      asked.push(one.method)
      return false
    })
  summary(reply())
  summary(reply({ method: 'none' }))
  t.is(summary(reply({ method: 'keyword' })), '0 memories in 4.2 ms, keyword only')
  t.deepEqual(asked, [])
  const missing = reply({ method: 'keyword' })
  missing.meta.embedding = 'the model is not downloaded'
  t.is(summary(missing), '0 memories in 4.2 ms, keyword only')
  t.deepEqual(asked, ['keyword'])
})

test('without hits the next step is shown, another one if filters were set', t => {
  t.regex(noHitsHelp(reply(), { narrowed: false }), /No memory matches "billing".*memory remember/)
  t.regex(noHitsHelp(reply(), { narrowed: true }), /Remove a filter/)
  t.regex(noHitsHelp(reply(), { narrowed: true, nearest: true }), /No good match for "billing"\. Closest/)
})

const morning = new Date(2026, 4, 1, 8)

const evening = new Date(2026, 4, 1, 23, 59)

const nextMorning = new Date(2026, 4, 2, 0, 1)

test('a notice is shown once a day, even if its folder is missing', t => {
  const file = join(temporaryWorkspace(t), '.daemon', 'note')
  t.deepEqual(
    [morning, evening, nextMorning, nextMorning].map(now => isFirstToday(file, now)),
    [true, false, true, false],
  )
  t.is(statSync(file).mode & 0o777, 0o600)
})

test('if the notice cannot be recorded, it is shown again and nothing fails', t => {
  const folder = temporaryWorkspace(t)
  const file = join(folder, 'note')
  mkdirSync(file)
  chmodSync(folder, 0o500)
  t.teardown(() => chmodSync(folder, 0o700))
  t.true(isFirstToday(file, morning))
  t.true(isFirstToday(file, evening))
})

test('the closest rows are requested with the same filters, without threshold or record', async t => {
  const asked: object[] = []
  const row = { id: 'm' } as RecallRow
  const rows = await nearestRows(
    async body => {
      asked.push(body)
      return { results: [row] } as unknown as RecallReply
    },
    { query: 'deployment day', type: ['fact'], limit: 50 },
  )
  t.deepEqual(rows, [row])
  t.deepEqual(asked, [{ query: 'deployment day', type: ['fact'], score_min: 0, limit: 3, trial: true }])
})

test('a refused request for the closest rows yields none', async t => {
  t.deepEqual(await nearestRows(() => Promise.reject(new Error('forbidden')), { query: 'x' }), [])
})
