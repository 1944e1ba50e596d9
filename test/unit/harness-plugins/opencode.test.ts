import { readFileSync } from 'node:fs'
import test from 'ava'
import { until } from '../../helpers/daemon-process.js'
import { recordedMessages, recordedSession } from '../../helpers/recorded-session.js'
import { conversation, everyAnswer, fakeDaemon, linesOf, plugin, prompt, recorded, said } from './plugin.js'

test('a session starts once, and its context is in every system prompt', async t => {
  const { hooks, happened, sent } = await plugin(t, { answers: everyAnswer })
  await happened('session.created', { info: { id: 's1' } })
  const systems = [['base'], ['base']]
  await Promise.all(
    systems.map(system => hooks['experimental.chat.system.transform']!({ sessionID: 's1' }, { system })),
  )
  for (const system of systems) t.deepEqual(system, ['base', everyAnswer['session-start'].inject])
  t.deepEqual(sent('session-start'), [
    { harness: 'opencode', sessionKey: 's1', runtimePath: 'plugin', project: '/shop', cwd: '/shop/src' },
  ])
})

test('a session continued in another process gets its lost context again', async t => {
  const { hooks, sent } = await plugin(t, { answers: everyAnswer })
  await prompt(hooks, said('m7', 'user', 'where were we?'))
  t.like(sent('session-start'), [{ sessionKey: 's1', source: 'clear' }])
})

test('a prompt is reported, and the returned context goes to the model only', async t => {
  const { hooks, sent } = await plugin(t, { answers: everyAnswer })
  const question = said('m1', 'user', 'what about ann?')
  question.parts.push({ type: 'text', text: 'a file', synthetic: true })
  await prompt(hooks, question)
  t.like(sent('user-prompt-submit')[0], { userMessage: 'what about ann?', runtimePath: 'plugin' })
  t.is(question.parts.length, 2)

  const toModel = structuredClone([question])
  await hooks['experimental.chat.messages.transform']!({}, { messages: toModel })
  t.like(toModel[0]!.parts[2], {
    type: 'text',
    text: 'It is noon.\n\n## Relevant Entity Context',
    synthetic: true,
    messageID: 'm1',
    sessionID: 's1',
  })
})

test('notifications arrive with later calls of a turn, and the prompt context is stable', async t => {
  const { hooks, sent } = await plugin(t, { answers: everyAnswer })
  const question = said('m1', 'user', 'go')
  await prompt(hooks, question)
  const turns = [structuredClone([question]), structuredClone([question, said('m2', 'assistant', 'doing')])]
  for (const messages of turns) await hooks['experimental.chat.messages.transform']!({}, { messages })
  t.deepEqual(turns[0]![0]!.parts[1]!.text, turns[1]![0]!.parts[1]!.text)
  t.is(turns[0]![0]!.parts.length, 2)
  t.is(turns[1]![0]!.parts[2]!.text, 'a word of a peer')
  t.like(sent('notifications'), [{ hook: 'experimental.chat.messages.transform', sessionKey: 's1' }])
})

test('a compaction gets guidelines, and its summary is saved', async t => {
  const messages = {
    s1: [said('m1', 'user', 'go'), said('m2', 'assistant', 'We chose SQLite.', { summary: true })],
  }
  const { hooks, sent } = await plugin(t, { answers: everyAnswer, messages })
  const output = { context: ['theirs'] }
  await hooks['experimental.session.compacting']!({ sessionID: 's1' }, output)
  t.deepEqual(output.context, ['theirs', 'Sum up. Keep decisions.'])
  await hooks.event({ event: { type: 'session.compacted', properties: { sessionID: 's1' } } })
  await until(() => sent('compaction-complete').length > 0)
  t.like(sent('compaction-complete')[0], {
    summary: 'We chose SQLite.',
    project: '/shop',
    harness: 'opencode',
  })
})

test('user and agent texts are captured as in OpenCode, without compaction summaries', async t => {
  const { happened, sent } = await plugin(t, { answers: everyAnswer, messages: { s1: recorded } })
  await happened('session.idle', { sessionID: 's1' })
  await until(() => sent('session-checkpoint-extract').length > 0)
  t.deepEqual(linesOf(sent('session-checkpoint-extract')[0]), conversation)
  await happened('session.compacted', { sessionID: 's1' })
  await until(() => sent('compaction-complete').length > 0)
  t.regex(sent('compaction-complete')[0]!.summary as string, /^## Objective/)
})

test('a recorded session is captured with each turn once', async t => {
  const { messages } = JSON.parse(readFileSync(recordedSession('opencode-1.18.33.json'), 'utf8'))
  const { happened, sent } = await plugin(t, { answers: everyAnswer, messages: { s1: messages } })
  await happened('session.idle', { sessionID: 's1' })
  await until(() => sent('session-checkpoint-extract').length > 0)
  const taken = linesOf(sent('session-checkpoint-extract')[0])
  t.deepEqual(
    taken.map(message => message.split('\n')[0]),
    recordedMessages,
  )
})

test('sessions of sub-agents are ignored', async t => {
  const { hooks, calls } = await plugin(t, {
    answers: everyAnswer,
    messages: { s1: [said('m1', 'user', 'x')] },
  })
  await hooks.event({
    event: { type: 'session.created', properties: { info: { id: 's1', parentID: 's0' } } },
  })
  await prompt(hooks, said('m1', 'user', 'x'))
  const system: string[] = []
  await hooks['experimental.chat.system.transform']!({ sessionID: 's1' }, { system })
  await hooks.event({ event: { type: 'session.deleted', properties: { info: { id: 's1' } } } })
  t.deepEqual(system, [])
  t.deepEqual(calls, [])
})

test('a hanging, refusing or missing daemon costs at most the deadline and breaks nothing', async t => {
  const hanging = await plugin(t, { isHurried: true, answers: { 'session-start': { inject: 'x' } } })
  const question = said('m1', 'user', 'go')
  // Without any answer the hook returns at its deadline.
  await prompt(hanging.hooks, question)
  t.is(question.parts.length, 1)

  const refusing = await plugin(t, {
    answers: Object.fromEntries(Object.keys(everyAnswer).map(hook => [hook, 409])),
  })
  const system: string[] = []
  await refusing.hooks['experimental.chat.system.transform']!({ sessionID: 's1' }, { system })
  t.deepEqual(system, [])

  const alone = await plugin(t)
  await prompt(alone.hooks, question)
  t.is(question.parts.length, 1)
})

test('a missing daemon is started, and the session start waits for it', async t => {
  const { hooks, workspace } = await plugin(t, {
    command: [
      process.execPath,
      '-e',
      `require('node:fs').writeFileSync(process.argv.at(-1) + '/started', '')`,
    ],
  })
  const system: string[] = []
  const start = hooks['experimental.chat.system.transform']!({ sessionID: 's1' }, { system })
  const daemon = await fakeDaemon(t, workspace, everyAnswer)
  await start
  t.deepEqual(system, [everyAnswer['session-start'].inject])
  t.is(daemon.sent('session-start').length, 1)
})
