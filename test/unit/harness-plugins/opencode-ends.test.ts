import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { spooledHook } from '../../../src/contract/sessions/harness-hook.js'
import { until } from '../../helpers/daemon-process.js'
import { conversation, everyAnswer, linesOf, type Message, plugin, prompt, recorded, said } from './plugin.js'

test('an idle session is checkpointed, and a deleted one ends with its earlier text', async t => {
  const messages: Record<string, Message[]> = {
    s1: [said('m1', 'user', 'deploy?'), said('m2', 'assistant', 'on Tuesdays'), said('m3', 'assistant', ' ')],
  }
  const { hooks, sent } = await plugin(t, { answers: everyAnswer, messages })
  await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 's1' } } })
  await until(() => sent('session-checkpoint-extract').length > 0)
  const transcript = sent('session-checkpoint-extract')[0]!.transcript as string
  t.deepEqual(
    transcript.split('\n').map(line => JSON.parse(line)),
    [
      { role: 'user', text: 'deploy?', at: '1970-01-01T00:00:01.000Z' },
      { role: 'assistant', text: 'on Tuesdays', at: '1970-01-01T00:00:01.000Z' },
    ],
  )
  delete messages.s1
  await hooks.event({ event: { type: 'session.deleted', properties: { info: { id: 's1' } } } })
  await until(() => sent('session-end').length > 0)
  t.like(sent('session-end')[0], { sessionKey: 's1', reason: 'session.deleted', transcript })
})

test('a session at rest is captured once and continues', async t => {
  const messages = { s1: recorded.slice(0, 2) }
  const { hooks, happened, sent, calls } = await plugin(t, { answers: everyAnswer, messages, restMs: 1 })
  const claims = () => sent('session-start').filter(({ claimOnly }) => claimOnly === true)
  await happened('session.idle', { sessionID: 's1' })
  await until(() => claims().length === 1)
  t.deepEqual(linesOf(sent('session-end')[0]), conversation.slice(0, 2))
  t.false('reason' in sent('session-end')[0]!)
  t.is(calls.at(-1)?.hook, 'session-start')

  messages.s1 = recorded.slice(0, 4)
  await happened('session.idle', { sessionID: 's1' })
  await until(() => claims().length === 2)
  t.deepEqual(linesOf(sent('session-end')[1]), conversation.slice(0, 4))
  await happened('session.idle', { sessionID: 's1' })
  await until(() => sent('session-checkpoint-extract').length === 3)
  await hooks.dispose()
  t.deepEqual(
    sent('session-end').map(body => linesOf(body).length),
    [2, 4, 0],
  )
})

test('the end of OpenCode ends its sessions with all text, even after the last checkpoint', async t => {
  const messages: Record<string, Message[]> = { s1: recorded.slice(0, 2), s2: recorded.slice(0, 4) }
  const { hooks, happened, sent } = await plugin(t, { answers: everyAnswer, messages })
  await happened('session.idle', { sessionID: 's1' })
  await until(() => sent('session-checkpoint-extract').length === 1)
  const { info, parts } = recorded[2]!
  await hooks['chat.message']!({ sessionID: 's1' }, { message: info, parts })
  // With `opencode run` the end follows the idle event at once.
  await happened('session.idle', { sessionID: 's2' })
  await hooks.dispose()
  const ends = sent('session-end').sort((a, b) => String(a.sessionKey).localeCompare(String(b.sessionKey)))
  t.deepEqual(
    ends.map(({ sessionKey }) => sessionKey),
    ['s1', 's2'],
  )
  t.deepEqual(linesOf(ends[0]), conversation.slice(0, 3))
  t.deepEqual(linesOf(ends[1]), conversation.slice(0, 4))
  t.false(ends.some(end => 'reason' in end))
})

test('a captured session ends once, without repeating its text', async t => {
  const { hooks, happened, sent } = await plugin(t, {
    answers: everyAnswer,
    messages: { s1: recorded },
    restMs: 1,
  })
  await happened('session.idle', { sessionID: 's1' })
  await until(() => sent('session-start').some(({ claimOnly }) => claimOnly === true))
  await hooks.dispose()
  await hooks.dispose()
  t.deepEqual(
    sent('session-end').map(body => linesOf(body).length),
    [conversation.length, 0],
  )
})

test('events after the end of OpenCode start nothing', async t => {
  const { hooks, happened, calls } = await plugin(t, { answers: everyAnswer, messages: { s1: recorded } })
  await hooks.dispose()
  await prompt(hooks, said('m1', 'user', 'too late'))
  await happened('session.idle', { sessionID: 's1' })
  t.deepEqual(calls, [])
})

test('a prompt undone in OpenCode is not captured', async t => {
  const messages = { s1: recorded.slice(0, 2) }
  const { hooks, happened, sent } = await plugin(t, { answers: everyAnswer, messages })
  await prompt(hooks, said('undone', 'user', 'never mind'))
  await happened('session.idle', { sessionID: 's1' })
  await until(() => sent('session-checkpoint-extract').length === 1)
  await hooks.dispose()
  t.deepEqual(linesOf(sent('session-end')[0]), conversation.slice(0, 2))
})

test('hooks wait in a private spool if no daemon accepts them', async t => {
  const refusing = (status: number) => ({
    ...everyAnswer,
    'session-end': status,
    'compaction-complete': status,
  })
  for (const answers of [undefined, refusing(503), refusing(507)]) {
    const { hooks, happened, workspace } = await plugin(t, { answers, messages: { s1: recorded } })
    const spool = join(workspace, '.daemon', 'hook-spool')
    const kept = () => readdirSync(spool).sort()
    await happened('session.compacted', { sessionID: 's1' })
    await until(() => {
      try {
        return kept().length === 1
      } catch {
        return false
      }
    })
    await happened('session.idle', { sessionID: 's1' })
    await hooks.dispose()
    const entries = kept().map(name => spooledHook.parse(JSON.parse(readFileSync(join(spool, name), 'utf8'))))
    t.deepEqual(
      entries.map(({ harness, hook }) => `${harness} ${hook}`),
      ['opencode compaction-complete', 'opencode session-end'],
    )
    t.like(JSON.parse(entries[1]!.input), { sessionKey: 's1', runtimePath: 'plugin', project: '/shop' })
    t.deepEqual(linesOf(JSON.parse(entries[1]!.input)), conversation)
    t.is(statSync(join(spool, kept()[0]!)).mode & 0o777, 0o600)
  }
})
