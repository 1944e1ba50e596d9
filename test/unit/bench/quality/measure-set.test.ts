import test from 'ava'
import { foreignQuestions } from '../../../../bench/quality/foreign.js'
import { measureSet } from '../../../../bench/quality/measure-set.js'
import type { QualitySet } from '../../../../bench/quality/quality-set.js'

function setOf(name: string, texts: readonly string[], questions: Record<string, number>): QualitySet {
  const row = { hints: [], who: null, project: name, createdAt: Date.UTC(2026, 0, 1), session: null }
  return {
    name,
    family: name,
    rows: texts.map((content, i) => ({ ...row, id: `${name}/${i}`, content })),
    questions: Object.entries(questions).map(([query, answer]) => ({
      query,
      project: name,
      category: 'direct',
      evidence: [`${name}/${answer}`],
    })),
    unanswerable: [],
    askedAt: Date.UTC(2026, 0, 2),
  }
}

const ferries = setOf(
  'ferries',
  ['The ferry to the island leaves at noon', 'Tickets are sold on board', 'Dogs travel free'],
  { 'when does the ferry leave for the island': 0, 'where are tickets sold': 1 },
)
const servers = setOf('servers', ['nginx listens on port 8080', 'Backups run every Sunday'], {
  'which port does nginx listen on': 0,
})

test('a set is measured with every system, and the lead of the product over the others', async t => {
  const { quality, details } = await measureSet(ferries, [ferries, servers], { ablation: false })
  t.deepEqual(
    quality.systems.map(({ system }) => system),
    [
      'memory-service',
      'the same, no cut-off',
      'keyword channel',
      'BM25, Porter stems',
      'SQLite FTS5 porter',
      'stock Orama',
    ],
  )
  for (const { system, overall } of quality.systems) t.is(overall['R@10'], 100, system)
  t.is(quality.systems[0]?.ahead, undefined)
  t.is(quality.systems[4]?.ahead?.['R@10'].mean, 0)
  t.deepEqual(details[1]?.ranks['BM25, Porter stems'], [1])
  t.is(quality.ablation, undefined)
})

test('foreign questions are measured too, and every top row enters the calibration table', async t => {
  const { quality, cases } = await measureSet(ferries, [ferries, servers], { ablation: false })
  t.is(quality.noAnswer.foreign, 1)
  t.is(cases.filter(({ own }) => !own).length, 1)
  t.is(cases.filter(({ own, right }) => own && right).length, 2)
  t.is(
    quality.calibration.reduce((sum, { right }) => sum + right, 0),
    2,
  )
})

test('an ablation covers each optional step, all of them and weak words, and leaves the ranking unchanged', async t => {
  const before = await measureSet(ferries, [ferries], { ablation: false })
  const { ablation } = (await measureSet(ferries, [ferries], { ablation: true })).quality
  const parts = ablation?.map(({ part }) => part)
  for (const part of ['neighbours', 'expansion', 'all optional steps', 'weak words']) {
    t.true(parts?.includes(part), part)
  }
  t.false(parts?.includes('fuse'))
  const after = await measureSet(ferries, [ferries], { ablation: false })
  t.deepEqual(after.details, before.details)
})

test('a set with units is also scored by unit', async t => {
  const units = new Map(ferries.rows.map(({ id }) => [id, 'one']))
  const { quality } = await measureSet({ ...ferries, units }, [ferries], { ablation: false })
  t.is(quality.systems[0]?.byUnit?.MRR, 100)
  t.is(quality.systems[3]?.aheadByUnit?.MRR.mean, 0)
})

test('foreign questions come from other families only, are stable, and use the projects of the set', t => {
  const kin = { ...servers, family: ferries.family }
  t.deepEqual(foreignQuestions(ferries, [ferries, kin]), [])
  const many = setOf('many', ['x'], Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`q${i}`, 0])))
  const asked = foreignQuestions(ferries, [ferries, many])
  t.is(asked.length, 200)
  t.is(new Set(asked.map(({ query }) => query)).size, 200)
  t.deepEqual(asked, foreignQuestions(ferries, [ferries, many]))
  t.is(asked[0]?.project, 'ferries')
})

test('foreign questions that belong to the set come first', t => {
  const own = { query: 'how tall is the Eiffel tower', project: null }
  const asked = foreignQuestions({ ...ferries, foreign: [own] }, [ferries, servers])
  t.deepEqual(asked, [own, { query: 'which port does nginx listen on', project: 'ferries' }])
})
