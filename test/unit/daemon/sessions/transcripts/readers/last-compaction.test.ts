// runs: in turn

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { lastCompaction } from '../../../../../../src/daemon/sessions/transcripts/readers/last-compaction.js'
import { temporaryWorkspace } from '../../../../../helpers/daemon.js'

const fixtures = join(import.meta.dirname, '..', '..', '..', '..', '..', 'fixtures', 'transcripts')
const line = (message: string) =>
  `${JSON.stringify({ timestamp: '2026-11-20T10:00:10.000Z', type: 'compacted', payload: { message } })}\n`
const other = (length: number) =>
  `${JSON.stringify({ type: 'event_msg', payload: { text: 'x'.repeat(length) } })}\n`

test('the summary of the last compaction is found in a rollout', async t => {
  t.deepEqual(await lastCompaction(join(fixtures, 'codex-rollout.jsonl')), {
    summary: 'We found the port of the queue.',
    at: '2026-11-20T10:00:10.000Z',
  })
  t.is(await lastCompaction(join(fixtures, 'codex-events-only.jsonl')), undefined)
})

test('the newest of several compactions is found for any block size', async t => {
  const file = join(temporaryWorkspace(t), 'rollout.jsonl')
  for (const length of [0, 1000, 262_000, 262_144, 300_000, 900_000]) {
    writeFileSync(
      file,
      line('old') + other(5000) + line(`new ${'é'.repeat(400_000)}`) + other(length) + other(length),
    )
    t.true((await lastCompaction(file))?.summary?.startsWith('new é'), `${length}`)
  }
})

const preamble =
  'Another language model started to solve this problem and produced a summary of its thinking process. Here is the ' +
  'summary produced by the other language model, use it to assist with your own analysis:\n'
const history = (...texts: string[]) => [
  ...texts.map(text => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })),
  { type: 'compaction', encrypted_content: 'hidden' },
]

test('the preamble by Codex is removed from a summary', async t => {
  const file = join(temporaryWorkspace(t), 'rollout.jsonl')
  writeFileSync(file, line(`${preamble}The pond: two metres.\nNext: the pump.`))
  t.is((await lastCompaction(file))?.summary, 'The pond: two metres.\nNext: the pump.')
})

test('a summary in the history only is found there, and a torn line is ignored', async t => {
  const file = join(temporaryWorkspace(t), 'rollout.jsonl')
  const replacement = history('what came of it', `${preamble}It was built.`)
  writeFileSync(
    file,
    `${JSON.stringify({ type: 'compacted', payload: { message: '', replacement_history: replacement } })}\n{"type":"compacted","payl`,
  )
  t.deepEqual(await lastCompaction(file), { summary: 'It was built.', at: null })
})

test('an encrypted compaction has no summary, and user text is not mistaken for one', async t => {
  const file = join(temporaryWorkspace(t), 'rollout.jsonl')
  const payload = { message: '', replacement_history: history('second question') }
  writeFileSync(file, line('an older one') + JSON.stringify({ type: 'compacted', payload }))
  t.deepEqual(await lastCompaction(file), { summary: undefined, at: null })
})

test('at most the last 16 MiB are searched', async t => {
  const file = join(temporaryWorkspace(t), 'rollout.jsonl')
  copyFileSync(join(fixtures, 'codex-rollout.jsonl'), file)
  writeFileSync(file, other(17 * 1024 * 1024), { flag: 'a' })
  t.is(await lastCompaction(file), undefined)
})

test('Grok Build’s log names the file that has the summary', async t => {
  const folder = temporaryWorkspace(t)
  const log = join(folder, 'updates.jsonl')
  const checkpoint = (checkpoint_file: string) =>
    `${JSON.stringify({
      timestamp: 1795994731,
      method: '_x.ai/session/update',
      params: {
        update: {
          sessionUpdate: 'compaction_checkpoint',
          checkpoint_file,
          created_at: '2026-11-29T23:25:31.632597573+00:00',
        },
      },
    })}\n`
  const at = '2026-11-29T23:25:31.632Z'
  writeFileSync(log, checkpoint('compaction_checkpoints/4ec59393.json') + other(10))
  t.deepEqual(await lastCompaction(log), { summary: undefined, at })
  const user = (text: string) => ({ type: 'user', content: [{ type: 'text', text }] })
  const compacted_history = [
    { type: 'system', content: 'You are Grok.' },
    user('<user_query>\nwhy\n</user_query>'),
    user(
      'This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion.\n\nWe chose SQLite.\nIt is small.\n\nFull verbatim rollouts of previous segments are available at /home/u/.grok/segment_*.md.',
    ),
    user('<system-reminder>later</system-reminder>'),
  ]
  mkdirSync(join(folder, 'compaction_checkpoints'))
  writeFileSync(
    join(folder, 'compaction_checkpoints', '4ec59393.json'),
    JSON.stringify({ compacted_history }),
  )
  t.deepEqual(await lastCompaction(log), { summary: 'We chose SQLite.\nIt is small.', at })
  writeFileSync(log, checkpoint('../../secret.json'))
  t.is(await lastCompaction(log), undefined)
})

test('Kimi Code’s log has the summary as a text, or as a message', async t => {
  const log = join(temporaryWorkspace(t), 'wire.jsonl')
  const compacted = (fields: object) =>
    `${JSON.stringify({ type: 'context.apply_compaction', agentId: 'main', time: 1795970671128, ...fields })}\n`
  const at = '2026-11-29T16:44:31.128Z'
  for (const fields of [
    { summary: 'We chose SQLite.', compactedCount: 4 },
    { contextSummary: 'We chose SQLite.', compactedCount: 4 },
    { summary: { role: 'user', content: [{ type: 'text', text: 'We chose SQLite.' }] }, count: 4 },
  ]) {
    writeFileSync(log, compacted(fields) + other(10))
    t.deepEqual(await lastCompaction(log), { summary: 'We chose SQLite.', at })
  }
})
