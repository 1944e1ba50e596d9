import { readFileSync, writeFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { tokensOf } from '../../../src/daemon/ground/text/tokens.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { keepNode, startSession } from '../../helpers/hooks.js'

const dayMs = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString()
const textsOf = ({ memories }: { memories: { content: string }[] }) => memories.map(({ content }) => content)

/** Saves twenty facts of today. */
async function saveTrivia({ remember }: TestDaemon, project = '/shop'): Promise<void> {
  for (let n = 0; n < 20; n++) await remember(`trivia number ${n}`, { project })
}

test('rules, preferences and decisions have up to half of the places, however old they are (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  const old = { project: '/shop', createdAt: daysAgo(200) }
  for (let n = 0; n < 4; n++) await daemon.remember(`never do thing ${n}`, { ...old, type: 'rule' })
  await daemon.remember('answers in English', { type: 'preference', createdAt: daysAgo(300) })
  await daemon.remember('we use Postgres', { ...old, type: 'decision', importance: 0.1 })
  await saveTrivia(daemon)
  const { memories, inject } = await startSession(daemon, { project: '/shop' })
  const types = memories.map(({ type }) => type)
  t.deepEqual(types.slice(0, 5).sort(), ['preference', 'rule', 'rule', 'rule', 'rule'])
  t.deepEqual(new Set(types.slice(6)), new Set(['fact']))
  t.true(types.includes('decision'), 'no issue needs its places')
  t.regex(inject, /^- rule, 6 mo ago: never do thing 0 \([0-9a-f]{8}\)$/m)
})

test('the age of a rule does not count, and what was said again comes earlier (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  const project = '/shop'
  for (let n = 0; n < 12; n++)
    await daemon.remember(`the variable is called x${n}`, { project, type: 'decision', importance: 0.3 })
  await daemon.remember('never push to main', { project, type: 'rule', createdAt: daysAgo(200) })
  await daemon.remember('all prices are in cents', { project, type: 'rule', createdAt: daysAgo(199) })
  const again = { project, type: 'rule', createdAt: daysAgo(201) } as const
  await daemon.remember('Please remember: never push to main!', again)
  const texts = textsOf(await startSession(daemon, { project }))
  t.deepEqual(texts.slice(0, 2), ['never push to main', 'all prices are in cents'])
  t.false(texts.some(text => text.startsWith('Please')))
})

test('a pinned memory comes before rules, and open issues before what is newest (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  const old = { project: '/shop', createdAt: daysAgo(90) }
  await daemon.remember('the till is broken', { ...old, type: 'issue' })
  await daemon.remember('never push to main', { ...old, type: 'rule', importance: 1 })
  await daemon.remember('the shop closes at six', { ...old, pinned: true, importance: 0.1 })
  await saveTrivia(daemon)
  const texts = textsOf(await startSession(daemon, { project: '/shop' }))
  t.deepEqual(texts.slice(0, 3), ['the shop closes at six', 'never push to main', 'the till is broken'])
  t.is(texts.length, 10)
})

test('places that no rule and no issue needs go to the rest, and the other way round (rules.md 4.12)', async t => {
  const rules = await startDaemon(t)
  for (let n = 0; n < 12; n++) await rules.remember(`never do thing ${n}`, { type: 'rule' })
  t.is((await startSession(rules)).memories.length, 10)
  const facts = await startDaemon(t)
  await saveTrivia(facts)
  t.is((await startSession(facts, { project: '/shop' })).memories.length, 10)
})

test('the rest has its place before a waiting rule only if it proved its worth (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  const project = '/shop'
  for (let n = 0; n < 12; n++) await daemon.remember(`never do thing ${n}`, { project, type: 'rule' })
  await daemon.remember('src/till.ts has 40 lines now', { project })
  const facts = async () => {
    const { memories } = await startSession(daemon, { project })
    return memories.filter(({ type }) => type === 'fact').map(({ content }) => content)
  }
  t.deepEqual(await facts(), [])
  await daemon.remember('the till closes at six', { project, importance: 1 })
  t.deepEqual(await facts(), ['the till closes at six'])
})

test('an issue that nobody spoke of for a month waits behind the rules (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  const project = '/shop'
  for (let n = 0; n < 12; n++) await daemon.remember(`never do thing ${n}`, { project, type: 'rule' })
  const report = (text: string, days: number, importance = 0.8) =>
    daemon.remember(text, { project, type: 'issue', createdAt: daysAgo(days), importance })
  await report('the lamp of the till flickers', 40)
  await report('the drawer sticks', 5)
  await report('the tax is rounded down', 90, 1)
  await report('receipts have no date', 70)
  await report('Note: receipts have no date', 6)
  const { memories } = await startSession(daemon, { project })
  const issues = memories.filter(({ type }) => type === 'issue').map(({ content }) => content)
  t.deepEqual(issues.sort(), ['Note: receipts have no date', 'the drawer sticks', 'the tax is rounded down'])
  // Without a rule that waits, the place is free.
  const { memories: others } = await startSession(await withOldIssue(t), { project })
  t.true(others.some(({ type }) => type === 'issue'))
})

async function withOldIssue(t: ExecutionContext): Promise<TestDaemon> {
  const daemon = await startDaemon(t)
  const old = { project: '/shop', type: 'issue', createdAt: daysAgo(40) } as const
  await daemon.remember('the lamp of the till flickers', old)
  await saveTrivia(daemon)
  return daemon
}

test('what was said again comes earlier, but not before all (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  const project = '/shop'
  const rule = (text: string, days: number) =>
    daemon.remember(text, { project, type: 'rule', createdAt: daysAgo(days) })
  // From the newest on, as a start tells them.
  for (let n = 1; n <= 5; n++) await rule(`never do thing ${n}`, n)
  await rule('prices are in cents', 6)
  await rule('Please remember: prices are in cents!', 9)
  const order = textsOf(await startSession(daemon, { project })).map(text =>
    text.replace('never do thing ', ''),
  )
  t.deepEqual(order, ['1', '2', '3', '4', 'prices are in cents', '5'])
})

test('a decision about one file comes after those about the project (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  const project = '/shop'
  const old = { project, type: 'decision', createdAt: daysAgo(50) } as const
  for (let n = 0; n < 10; n++) await daemon.remember(`we chose the tool ${n}`, old)
  await daemon.remember('the helper is below line 12 of src/till.ts', { project, type: 'decision' })
  const texts = textsOf(await startSession(daemon, { project }))
  t.false(texts.some(text => text.includes('till.ts')))
})

test('memories that say the same appear once (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('Releases of the shop are made on Thursday', { type: 'rule' })
  await daemon.remember('releases of the shop are made on thursday.', { type: 'rule', project: '/shop' })
  await daemon.remember('the port is 4000')
  await daemon.remember('the port is 4001')
  const texts = textsOf(await startSession(daemon, { project: '/shop' }))
  t.is(texts.filter(text => /thursday/iu.test(text)).length, 1)
  t.is(texts.filter(text => /port/u.test(text)).length, 2)
})

test('a list that is not complete says how many memories there are (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  await saveTrivia(daemon)
  await saveTrivia(daemon, '/bank')
  // No session gets what a person marked as wrong, and no search should look for it.
  const id = await daemon.remember('the office has nine floors', { project: '/shop' })
  await daemon.call('POST /api/memory/:id/judgement', { params: { id }, body: { judgement: 'wrong' } })
  const { inject } = await startSession(daemon, { project: '/shop' })
  t.regex(inject, /\n10 of 20 shown: memory_search finds the rest\.\n/)
  const few = await startDaemon(t)
  await few.remember('the only one')
  t.notRegex((await startSession(few)).inject, /shown: memory_search/)
})

test('a memory of a project and of none counts once among all (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  for (const project of ['/shop', null, '/bank']) await daemon.remember('ships on Thursday', { project })
  await saveTrivia(daemon)
  const { inject } = await startSession(daemon, { project: '/shop' })
  t.regex(inject, /\n10 of 21 shown: memory_search finds the rest\.\n/)
})

/** Starts a session and waits until its black box knows what it was given. */
async function startNoted(daemon: TestDaemon, sessionKey: string) {
  const reply = await startSession(daemon, { sessionKey, project: '/shop' })
  await until(async () => {
    const { body } = await daemon.call('GET /api/sessions/blackbox')
    return body.sessions.some(session => session.sessionKey === sessionKey) || undefined
  })
  return textsOf(reply)
}

test('what three sessions got and never used gives way, but no rule does (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('never push to main', { type: 'rule', project: '/shop' })
  for (let n = 0; n < 12; n++)
    await daemon.remember(`trivia number ${n}`, { project: '/shop', createdAt: daysAgo(n) })
  const first = await startNoted(daemon, 's1')
  t.deepEqual(await startNoted(daemon, 's2'), first)
  await daemon.recall('trivia number 0', { limit: 1 })
  t.deepEqual(await startNoted(daemon, 's3'), first)
  const fourth = await startNoted(daemon, 's4')
  t.is(fourth.length, 10)
  t.is(fourth[0], 'never push to main')
  for (const text of ['trivia number 9', 'trivia number 10', 'trivia number 11', 'trivia number 0'])
    t.true(fourth.includes(text), text)
})

test('sessions without substance are not told, and alike ones once (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  await keepNode(daemon, 'a', { content: 'Asked: ok\n\nAnswered: Done.' })
  await keepNode(daemon, 'b', { content: 'Asked: hello\n\nAnswered: Hello! How can I help you today?' })
  await keepNode(daemon, 'c', { content: 'Asked: run the smoke tests\n\nAnswered: All of them pass.' })
  await keepNode(daemon, 'd', { content: 'Asked: run the smoke tests\n\nAnswered: All of them pass!' })
  const { inject } = await startSession(daemon, { project: '/shop' })
  t.is(inject.match(/^- \[session/gmu)?.length, 1)
  t.is(inject.match(/smoke tests/gu)?.length, 1)
  t.notRegex(inject, /hello|Asked: ok/iu)
})

test('a session gets its key once, and an empty workspace costs at most 120 tokens (rules.md 2.4)', async t => {
  const daemon = await startDaemon(t)
  const sessionKey = '0198f3a2-7c1e-7b4d-9a55-3f1f6f2b8f70'
  const { inject, diagnostics } = await startSession(daemon, { sessionKey })
  t.is(inject.match(new RegExp(sessionKey, 'gu'))?.length, 1)
  t.regex(inject, new RegExp(`^Session key: ${sessionKey}$`, 'mu'))
  t.true(diagnostics.injectTokens <= 120, String(diagnostics.injectTokens))
})

test('context.tokens is the budget of a start, 1,200 by default (rules.md 4.12)', async t => {
  for (const [context, expected] of [
    [{}, 1200],
    [{ tokens: 300 }, 300],
  ] as const) {
    const daemon = await startDaemon(t, { settings: { context } })
    for (let n = 0; n < 12; n++) await daemon.remember(`fact ${n} ${'words and 東京 '.repeat(60)}`)
    writeFileSync(daemon.paths.summary, 'summary '.repeat(5000))
    const { inject, diagnostics } = await startSession(daemon)
    t.is(diagnostics.maxInjectTokens, expected)
    t.true(tokensOf(inject) <= expected && tokensOf(inject) > 0.6 * expected, String(tokensOf(inject)))
  }
})

/** Writes MEMORY.md with our worker. */
async function synthesize(t: ExecutionContext, { call, paths }: TestDaemon): Promise<void> {
  t.is((await call('POST /api/synthesis/trigger')).status, 202)
  const { existsSync } = await import('node:fs')
  await until(() => existsSync(paths.summary) || undefined)
}

test('a start tells nothing of other projects and nothing twice out of MEMORY.md (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('never push to main', { type: 'rule', project: '/shop' })
  await daemon.remember('the bank needs two keys', { type: 'rule', project: '/bank' })
  await daemon.remember('the vault is stuck', { type: 'issue', project: '/bank' })
  await keepNode(daemon, 'a', { content: 'Asked: move the till\n\nAnswered: Moved it.' })
  await synthesize(t, daemon)
  const { inject } = await startSession(daemon, { project: '/shop' })
  t.notRegex(inject, /bank|vault|Tier|Temporal Index|Nothing yet/u)
  t.is(inject.match(/never push to main/gu)?.length, 1)
  t.is(inject.match(/move the till/gu)?.length, 1)
})

test('a fork has the context of its parent, and a resumed session gets only what is new (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('known from the start')
  const start = async (sessionKey: string, source: string) =>
    (await startSession(daemon, { sessionKey, source })).inject
  t.regex(await start('s1', 'startup'), /known from the start/)
  t.is(await start('s1', 'resume'), '')
  t.is(await start('fork of s1', 'fork'), '')
  await daemon.remember('learned since')
  const resumed = await start('s1', 'resume')
  t.regex(resumed, /learned since/)
  t.notRegex(resumed, /known from|Memory across sessions|Session key/)
  t.regex(await start('s2', 'resume'), /Memory across sessions[\s\S]*known from the start/)
})

const native = (hook_event_name: string, fields: object = {}) => ({
  session_id: 's1',
  cwd: '/work/shop',
  hook_event_name,
  ...fields,
})

/** Calls a hook in the form of Claude Code or Codex. @returns the text for the model */
async function relayed(daemon: TestDaemon, harness: string, hook: string, input: object): Promise<string> {
  const reply = await fetch(`${daemon.url}/api/hooks/harness/${harness}/${hook}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  const text = await reply.text()
  return text === '' ? '' : JSON.parse(text).hookSpecificOutput.additionalContext
}

test('the first prompt brings what a missed start owes, once, with the time (rules.md 4.10)', async t => {
  for (const harness of ['claude-code', 'codex']) {
    const daemon = await startDaemon(t)
    await daemon.remember('never push to main', { type: 'rule' })
    const prompt = () =>
      relayed(daemon, harness, 'user-prompt-submit', native('UserPromptSubmit', { prompt: 'fix the till' }))
    const first = await prompt()
    t.regex(first, /^Current time: [\s\S]*never push to main/, harness)
    t.is(await prompt(), '', harness)
    const start = native('SessionStart', { session_id: 's2', source: 'startup' })
    t.regex(await relayed(daemon, harness, 'session-start', start), /never push to main/)
    const next = native('UserPromptSubmit', { session_id: 's2', prompt: 'fix the till' })
    t.notRegex(await relayed(daemon, harness, 'user-prompt-submit', next), /never push/)
  }
})

test('a sub-agent starts with rules and decisions in at most 250 tokens (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const input = native('SubagentStart', { agent_id: 'a-1', agent_type: 'Explore' })
  t.is(await relayed(daemon, 'claude-code', 'subagent-start', input), '')
  await daemon.remember('lunch is at noon')
  for (let n = 0; n < 20; n++)
    await daemon.remember(`never do thing ${n}, since it broke the shop before and nobody noticed`, {
      type: 'rule',
    })
  await daemon.remember('the shop closes at six', { pinned: true })
  for (const harness of ['claude-code', 'codex']) {
    const text = await relayed(daemon, harness, 'subagent-start', input)
    t.true(tokensOf(text) <= 250, String(tokensOf(text)))
    t.regex(text, /the shop closes at six[\s\S]*never do thing/)
    t.notRegex(text, /lunch/)
  }
})

test('MEMORY.md does not tell sessions without substance (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  await keepNode(daemon, 'a', { content: 'Asked: ok\n\nAnswered: There is nothing left to do.' })
  await keepNode(daemon, 'b', { content: 'Asked: run the smoke tests\n\nAnswered: All of them pass.' })
  await synthesize(t, daemon)
  const summary = readFileSync(daemon.paths.summary, 'utf8')
  t.regex(summary, /smoke tests/)
  t.notRegex(summary, /nothing left/)
})

test('a start and a sub-agent get no memory that a person marked as wrong, and helpful ones first (recall.md 4.9)', async t => {
  const daemon = await startDaemon(t)
  const rule = { project: '/shop', type: 'rule' } as const
  const wrong = await daemon.remember('never deploy on Monday', { ...rule, pinned: true })
  await daemon.remember('all prices are in cents', rule)
  const helpful = await daemon.remember('never push to main', { ...rule, createdAt: daysAgo(200) })
  const judge = (id: string, judgement: 'up' | 'wrong') =>
    daemon.call('POST /api/memory/:id/judgement', { params: { id }, body: { judgement } })
  await judge(wrong, 'wrong')
  await judge(helpful, 'up')
  const { memories, inject } = await startSession(daemon, { project: '/shop' })
  t.deepEqual(textsOf({ memories }), ['never push to main', 'all prices are in cents'])
  t.false(inject.includes('Monday'))
  for (const event of ['start', 'subagent'] as const) {
    const body = { harness: 'claude-code', event, project: '/shop' } as const
    const { groups, text } = (await daemon.call('POST /api/sessions/preview', { body })).body
    t.false(text.includes('Monday'), event)
    t.like(groups[0]?.first[0], { id: wrong, reason: 'wrong' }, event)
  }
})
