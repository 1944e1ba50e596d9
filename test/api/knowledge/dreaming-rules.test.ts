import test from 'ava'
import { capture } from '../../helpers/captures.js'
import type { TestDaemon } from '../../helpers/daemon.js'
import { startDaemon } from '../../helpers/daemon.js'
import { factsOf, runDreamPass } from '../../helpers/dreaming.js'
import { openRaw } from '../../helpers/store.js'

/** Reads everything once more, as after a release with other rules. */
async function readWithOtherRules(t: Parameters<typeof openRaw>[0], daemon: TestDaemon) {
  openRaw(t, daemon.paths.database).prepare("UPDATE meta SET value = '0' WHERE key = 'dream_rules'").run()
  return runDreamPass(daemon)
}

/** Rules do not read a question: this is a text that the rules of before misread. */
function makeMisread(t: Parameters<typeof openRaw>[0], daemon: TestDaemon, id: string, text: string): void {
  openRaw(t, daemon.paths.database)
    .prepare('UPDATE memories SET content = ? WHERE id = ?')
    .run(`Is it so that ${text}?`, id)
}

test('a fact that changed rules do not read any more ends, with its history (knowledge.md#dreaming)', async t => {
  const daemon = await startDaemon(t)
  const text = 'The default branch is develop'
  const id = await daemon.remember(text, { project: 'shop' })
  await daemon.remember('We use Redis for sessions', { project: 'shop' })
  await runDreamPass(daemon)
  makeMisread(t, daemon, id, text)
  t.is((await readWithOtherRules(t, daemon)).counts.factsEnded, 1)
  t.deepEqual(await factsOf(daemon, 'shop'), ['tools sessions = Redis'])
  const { body } = await daemon.call('GET /api/ontology/claims/explain', {
    query: { entity: 'shop', aspect: 'facts', group: 'general', claim: 'default branch' },
  })
  t.deepEqual(
    body.versions.map(({ value, status }) => `${value} ${status}`),
    ['develop retracted'],
  )
  const { body: history } = await daemon.call('GET /api/memory/:id/history', { params: { id } })
  t.true(JSON.stringify(history).includes('end_fact'))
  t.is((await readWithOtherRules(t, daemon)).counts.factsEnded, undefined, 'it ends once')
  openRaw(t, daemon.paths.database).prepare('UPDATE memories SET content = ? WHERE id = ?').run(text, id)
  await readWithOtherRules(t, daemon)
  t.deepEqual(await factsOf(daemon, 'shop'), ['facts default branch = develop', 'tools sessions = Redis'])
})

test('a misread value that ends brings back the value that it replaced (knowledge.md#dreaming)', async t => {
  const daemon = await startDaemon(t)
  const said = (content: string, occurredAt: string) =>
    daemon.remember(content, { project: 'shop', occurredAt })
  await said('The default branch is main', '2026-03-01T08:00:00Z')
  const id = await said('The default branch is develop', '2026-05-01T08:00:00Z')
  await runDreamPass(daemon)
  t.deepEqual(await factsOf(daemon, 'shop'), ['facts default branch = develop'])
  makeMisread(t, daemon, id, 'The default branch is develop')
  await readWithOtherRules(t, daemon)
  t.deepEqual(await factsOf(daemon, 'shop'), ['facts default branch = main'])
})

test('what other memories say too stays (knowledge.md#dreaming)', async t => {
  const daemon = await startDaemon(t)
  const text = 'The default branch is develop'
  const id = await daemon.remember(text, { project: 'shop' })
  await daemon.remember('Our default branch is develop', { project: 'shop' })
  await runDreamPass(daemon)
  makeMisread(t, daemon, id, text)
  await readWithOtherRules(t, daemon)
  t.deepEqual(await factsOf(daemon, 'shop'), ['facts default branch = develop'])
})

test('changed rules leave what a person decided (knowledge.md#dreaming)', async t => {
  const daemon = await startDaemon(t)
  const review = async () =>
    (await daemon.call('GET /api/ontology/review', { query: { all: 'true' } })).body.cards
  const decide = async (decision: 'replace' | 'not_a_fact', value: string) => {
    const card = (await review()).find(one => JSON.stringify(one).includes(value))
    await daemon.call('POST /api/ontology/review', {
      body: { decisions: [{ id: card?.id ?? '', decision }] },
    })
  }
  await daemon.remember('The default branch is develop', { project: 'shop' })
  await runDreamPass(daemon)
  const text = 'The default branch is main'
  const id = await daemon.remember(text, { project: 'shop' })
  await daemon.remember('Tom wants dark mode on every screen', { project: 'shop' })
  await daemon.remember('Do not update Expo before September', { project: 'shop' })
  await runDreamPass(daemon)
  await decide('replace', 'main')
  await decide('not_a_fact', 'dark mode')
  makeMisread(t, daemon, id, text)
  // Other rules name the slots of the same statements differently.
  const raw = openRaw(t, daemon.paths.database)
  raw
    .prepare('UPDATE ontology_operations SET payload = replace(payload, \'"claim":"\', \'"claim":"old \')')
    .run()
  const before = (await review()).map(({ id }) => id)
  await readWithOtherRules(t, daemon)
  t.deepEqual(await factsOf(daemon, 'shop'), ['facts default branch = main'], 'a confirmed fact stays')
  const after = JSON.stringify(await review())
  t.false(after.includes('dark mode'), 'a rejected fact is not suggested again')
  t.false(after.includes('develop'), 'a decided slot is not asked about again')
  t.true(before.length > 0)
})

test('a suggestion that changed rules do not make any more is taken back (knowledge.md#dreaming)', async t => {
  const daemon = await startDaemon(t)
  const text = 'Tom wants dark mode on every screen'
  const id = await daemon.remember(text, { project: 'shop' })
  await runDreamPass(daemon)
  t.is((await daemon.call('GET /api/ontology/proposals')).body.count, 1)
  makeMisread(t, daemon, id, text)
  t.is((await readWithOtherRules(t, daemon)).counts.suggestionsWithdrawn, 1)
  t.is((await daemon.call('GET /api/ontology/proposals')).body.count, 0)
})

test('changed rules read conversations once more, and end what they do not read any more (knowledge.md#dreaming)', async t => {
  const daemon = await startDaemon(t)
  const transcript = [
    'User: The default branch is develop.',
    'Assistant: Noted.',
    'User: We use Vault for secrets.',
    'User: Tom wants dark mode on every screen.',
  ].join('\n')
  await capture(daemon, { sessionKey: 's1', transcript, project: '/work/shop', cwd: '/work/shop' })
  await runDreamPass(daemon)
  t.deepEqual(await factsOf(daemon, 'shop'), ['facts default branch = develop', 'tools secrets = Vault'])
  const raw = openRaw(t, daemon.paths.database)
  const ask = raw.prepare("UPDATE transcript_messages SET text = 'Is it so that ' || text WHERE text LIKE ?")
  const replace = raw.prepare(
    "UPDATE transcript_messages SET text = replace(text, '.', '?') WHERE text LIKE ?",
  )
  for (const text of ['%default branch%', '%dark mode%']) for (const one of [ask, replace]) one.run(text)
  const again = await readWithOtherRules(t, daemon)
  t.true((again.counts.conversations ?? 0) >= 3, JSON.stringify(again.counts))
  t.deepEqual(await factsOf(daemon, 'shop'), ['tools secrets = Vault'])
  t.is((await daemon.call('GET /api/ontology/proposals')).body.count, 0)
})

test('rules of the same version read nothing again (knowledge.md#dreaming)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('The default branch is develop', { project: 'shop' })
  await runDreamPass(daemon)
  t.is((await runDreamPass(daemon)).counts.pieces, undefined)
})
