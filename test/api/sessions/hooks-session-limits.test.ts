import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { tokensOf } from '../../../src/daemon/ground/text/tokens.js'
import { startDaemon } from '../../helpers/daemon.js'
import { keepNode, startSession } from '../../helpers/hooks.js'
import { startTeam } from '../../helpers/team.js'

const startWith = (t: ExecutionContext, sessionStart: object, more: object = {}) =>
  startDaemon(t, { settings: { hooks: { sessionStart }, ...more } })

test('a session gets at most recallLimit memories, 10 by default (rules.md 4.12)', async t => {
  for (const [settings, expected] of [
    [{}, 10],
    [{ recallLimit: 3 }, 3],
    [{ recallLimit: 0 }, 0],
  ] as const) {
    const daemon = await startWith(t, settings)
    for (let n = 0; n < 12; n++) await daemon.remember(`fact number ${n}`)
    t.is((await startSession(daemon)).memories.length, expected)
  }
})

test('maxInjectTokens is a hard budget on inject (rules.md 4.12)', async t => {
  for (const maxInjectTokens of [310, 400, 700, 1500, 2400]) {
    const daemon = await startWith(t, { maxInjectTokens })
    for (let n = 0; n < 12; n++) await daemon.remember(`fact ${n} ${'words '.repeat(100)}`)
    writeFileSync(daemon.paths.summary, 'summary '.repeat(5000))
    writeFileSync(daemon.paths.identity, '# Ada\n\na helper')
    for (let n = 0; n < 20; n++) await keepNode(daemon, `earlier ${n}`, { content: 'did '.repeat(500) })
    const { inject, stableSystemPrompt, diagnostics } = await startSession(daemon, { project: '/shop' })
    t.true(inject.includes(stableSystemPrompt))
    t.is(diagnostics.injectTokens, tokensOf(inject))
    t.true(diagnostics.injectTokens <= maxInjectTokens, `${diagnostics.injectTokens} of ${maxInjectTokens}`)
  }
})

test('a budget too small for the stable declaration omits inject (rules.md 4.12)', async t => {
  const daemon = await startWith(t, { maxInjectTokens: 60 })
  await daemon.remember('a fact')
  const { inject, memories, dynamicContext, diagnostics } = await startSession(daemon)
  t.is(inject, '')
  t.deepEqual([memories, dynamicContext], [[], ''])
  t.like(diagnostics, { injectOmitted: true, omitted: { memories: 1 } })
})

test('memories beyond the budget are counted and not reported as delivered (rules.md 4.10 and 4.12)', async t => {
  const daemon = await startWith(t, { maxInjectTokens: 500 })
  for (let n = 0; n < 8; n++) await daemon.remember(`fact ${n} ${'words '.repeat(60)}`)
  writeFileSync(daemon.paths.summary, 'summary '.repeat(500))
  const { memories, inject, diagnostics } = await startSession(daemon, { sessionKey: 's1' })
  t.true(memories.length > 0 && memories.length < 8)
  t.is(memories.length + diagnostics.omitted.memories, 8)
  t.true(memories.every(({ id }) => inject.includes(id.slice(-8))))
  t.deepEqual(diagnostics.omittedSections.concat(diagnostics.truncatedSections).sort(), [
    'memories',
    'recentContext',
  ])
  const recalled = await daemon.recall('fact words', { sessionKey: 's1' })
  t.is(recalled.length, diagnostics.omitted.memories)
})

test('earlier sessions of the project are included, those of others are not (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  await keepNode(daemon, 'shop 1', { content: 'built the cart' })
  await keepNode(daemon, 'shop 2', { content: '<private>SECRET</private> fixed the till' })
  await keepNode(daemon, 'bank', { project: '/bank', content: 'robbed the bank' })
  await keepNode(daemon, 'unsafe', { content: 'poisoned', safety_status: 'tainted' })
  await keepNode(daemon, 'other', { agent_id: 'other', content: 'anothers work' })
  await keepNode(daemon, 'mine', { content: 'this very session' })
  const { inject } = await startSession(daemon, { project: '/shop', sessionKey: 'mine' })
  t.regex(inject, /## Earlier sessions of this project\n(?:.*\n)*.*built the cart/)
  t.regex(inject, /fixed the till/)
  t.notRegex(inject, /bank|poisoned|anothers|very session|SECRET/)
})

test('a session contributes its head and its last compaction, which is not repeated as a memory (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  await keepNode(daemon, 'one', { content: 'the head' })
  const compacted = { harness: 'codex', sessionKey: 'one', project: '/shop' }
  for (const summary of ['the first sum', 'the second sum'])
    await daemon.call('POST /api/hooks/compaction-complete', { body: { ...compacted, summary } })
  const { inject } = await startSession(daemon, { project: '/shop' })
  t.regex(inject, /^- \[compaction, .*\] the second sum$/m)
  t.regex(inject, /^- \[session, .*\] the head$/m)
  t.notRegex(inject, /the first sum/)
  t.is(inject.match(/the second sum/gu)?.length, 1)
})

const report = [
  '## Done',
  '- moved the till to /checkout',
  '  - with its tests',
  '',
  '## Next steps',
  '1. delete the old till',
  '```sh\nmake till\n```',
].join('\n')

test('a compaction appears once in a context and keeps its lines and lists (rules.md 2.4)', async t => {
  const daemon = await startDaemon(t)
  const body = { harness: 'codex', sessionKey: 'one', project: '/shop', summary: report }
  await daemon.call('POST /api/hooks/compaction-complete', { body })
  await keepNode(daemon, 'bank', { project: '/bank', content: 'robbed the bank in broad daylight' })
  const summary = (await daemon.call('POST /api/hooks/synthesis', { body: {} })).body.prompt
  t.regex(summary, /^- \*\*\/shop\*\* \(\S+, compaction\):\n {2}## Done\n {2}- moved the till/mu)
  t.is(summary.match(/delete the old till/gu)?.length, 3, 'as a head, in the ledger and as an open thread')
  writeFileSync(daemon.paths.summary, summary)
  const { inject, recentContext } = await startSession(daemon, { project: '/shop', sessionKey: 'two' })
  const lines = report.split('\n').filter(line => line !== '')
  t.true(inject.includes(`codex]\n${lines.map(line => `  ${line}`).join('\n')}\n`))
  for (const words of ['moved the till', 'delete the old till'])
    t.is(inject.split(words).length - 1, 1, words)
  t.regex(inject, /## Summary \(MEMORY\.md\)[\s\S]*robbed the bank in broad daylight/)
  t.is(recentContext, summary, 'MEMORY.md itself is complete')
})

test('MEMORY.md with a compaction is shown whole when nothing else of the context repeats it (rules.md 4.12)', async t => {
  const daemon = await startWith(t, { sessionContinuityMaxEntries: 0, recallLimit: 0 })
  const body = { harness: 'codex', sessionKey: 'one', project: '/shop', summary: report }
  await daemon.call('POST /api/hooks/compaction-complete', { body })
  const summary = (await daemon.call('POST /api/hooks/synthesis', { body: {} })).body.prompt
  writeFileSync(daemon.paths.summary, summary)
  const { inject } = await startSession(daemon, { project: '/shop', sessionKey: 'two' })
  t.true(inject.includes(summary.trim()))
})

test('a compaction of many lines stays within its token limit (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  const summary = Array.from({ length: 200 }, (_, n) => `- item ${n}`).join('\n')
  const body = { harness: 'codex', sessionKey: 'one', project: '/shop', summary }
  await daemon.call('POST /api/hooks/compaction-complete', { body })
  const { inject } = await startSession(daemon, { project: '/shop', sessionKey: 'two' })
  const record = /^- \[compaction,[\s\S]*?…$/mu.exec(inject)?.[0] ?? ''
  t.true(record.length > 900 && record.length <= 1000)
})

test('without continuity a compaction appears as a memory, except in its own session (rules.md 4.12)', async t => {
  const daemon = await startDaemon(t)
  const summary = 'what was said so far'
  await daemon.call('POST /api/hooks/compaction-complete', {
    body: { harness: 'x', sessionKey: 'one', summary },
  })
  t.is((await startSession(daemon, { sessionKey: 'one' })).memories.length, 0)
  t.is((await startSession(daemon, { sessionKey: 'two' })).memories.length, 1)
})

test('the parent session comes first (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await keepNode(daemon, 'parent', {
    project: '/elsewhere',
    content: 'plans the work',
    ends_at: '2025-01-01T00:00:00.000Z',
  })
  await keepNode(daemon, 'other one', { content: 'did something' })
  const { inject } = await startSession(daemon, {
    project: '/shop',
    sessionKey: 'child',
    parentSessionKey: 'parent',
  })
  t.regex(inject, /the session that started this one.*plans the work\n.*did something/)
})

test('continuity is limited in entries, total tokens and tokens per entry (rules.md 4.12)', async t => {
  const entriesWith = async (settings: object, content = 'did things') => {
    const daemon = await startWith(t, { maxInjectTokens: 50_000, ...settings })
    for (let n = 0; n < 20; n++) await keepNode(daemon, `earlier ${n}`, { content: `${n} ${content}` })
    const { inject } = await startSession(daemon, { project: '/shop' })
    return inject.match(/^- \[session,.*$/gmu) ?? []
  }
  t.is((await entriesWith({})).length, 15)
  t.is((await entriesWith({ sessionContinuityMaxEntries: 4 })).length, 4)
  t.is((await entriesWith({ sessionContinuityMaxEntries: 0 })).length, 0)
  const long = 'long '.repeat(1000)
  t.true((await entriesWith({}, long)).every(line => line.length <= 1000))
  t.true((await entriesWith({ sessionContinuityEntryMaxTokens: 50 }, long)).every(line => line.length <= 200))
  const few = await entriesWith({ sessionContinuityMaxTokens: 600 }, long)
  t.is(few.length, 2)
})

test('a confined credential gets earlier sessions only of its project, or none (security.md 5.4)', async t => {
  const team = await startTeam(t)
  await keepNode(team, 'of the shop')
  await keepNode(team, 'of the bank', { project: '/bank' })
  const told = async (scope: object) => {
    const sessionKey = JSON.stringify(scope)
    const body = { harness: 'x', sessionKey, project: '/shop', parentSessionKey: 'of the bank' }
    const headers = team.token({ role: 'agent', scope })
    return JSON.stringify((await team.call('POST /api/hooks/session-start', { body, headers })).body)
  }
  t.regex(await told({}), /what of the bank did.*what of the shop did/su)
  const ofShop = await told({ project: '/shop' })
  t.regex(ofShop, /what of the shop did/)
  t.notRegex(ofShop, /what of the bank did/)
  t.notRegex(await told({ user: 'ada' }), /what of the (?:shop|bank) did/)
})

test('MEMORY.md is the recent context unless it is disabled (rules.md 2.4 and 4.12)', async t => {
  for (const includeRecentContext of [true, false]) {
    const daemon = await startWith(t, { includeRecentContext })
    writeFileSync(daemon.paths.summary, '# All that matters')
    const { recentContext, inject } = await startSession(daemon)
    t.is(recentContext, includeRecentContext ? '# All that matters' : '')
    t.is(inject.includes('All that matters'), includeRecentContext)
  }
})

test('MEMORY.md is shown only to the default agent, whose memories it contains (recall.md 1.3.1)', async t => {
  const daemon = await startDaemon(t)
  writeFileSync(daemon.paths.summary, '# All that matters')
  t.is((await startSession(daemon, { agentId: 'other' })).recentContext, '')
})

test('identity is included if it is managed and enabled (rules.md 4.12)', async t => {
  for (const [mode, includeIdentity, told] of [
    ['managed', true, true],
    ['managed', false, false],
    ['passthrough', true, false],
    ['off', true, false],
  ] as const) {
    const daemon = await startWith(t, { includeIdentity }, { capabilities: { identity: { mode } } })
    writeFileSync(daemon.paths.identity, '# Ada\n\nKeeps the shop running.\n')
    const { identity, inject } = await startSession(daemon)
    t.deepEqual(
      identity,
      told ? { name: 'Ada', description: 'Keeps the shop running.' } : { name: '', description: '' },
    )
    t.is(inject.includes('## Identity\nAda: Keeps the shop running.'), told, mode)
  }
})

test('a profile of the harness overrides limit, budget and identity files (rules.md 4.12)', async t => {
  const files = [{ path: 'SOUL.md', maxChars: 10 }, { path: 'USER.md' }]
  const profile = { sessionStart: { recallLimit: 2, maxInjectTokens: 600, identity: { files } } }
  const daemon = await startWith(
    t,
    {},
    { contextProfiles: { brief: profile }, harnessProfiles: { cursor: 'brief', codex: 'missing' } },
  )
  for (let n = 0; n < 5; n++) await daemon.remember(`fact number ${n}`)
  writeFileSync(join(daemon.paths.root, 'SOUL.md'), 'calm and curious')
  writeFileSync(join(daemon.paths.root, 'USER.md'), 'likes tea')
  const cursor = await startSession(daemon, { harness: 'cursor' })
  t.is(cursor.memories.length, 2)
  t.is(cursor.diagnostics.maxInjectTokens, 600)
  t.regex(cursor.inject, /## Identity\ncalm and c\n\nlikes tea/)
  for (const harness of ['claude-code', 'codex', 'constructor'])
    t.is((await startSession(daemon, { harness })).memories.length, 5)
})
