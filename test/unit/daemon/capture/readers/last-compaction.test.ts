import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { lastCompaction } from '../../../../../src/daemon/capture/readers/last-compaction.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

const fixtures = join(import.meta.dirname, '..', '..', '..', '..', 'fixtures', 'transcripts')
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

test('the newest of several counts, wherever the blocks of reading are cut', async t => {
  const file = join(temporaryWorkspace(t), 'rollout.jsonl')
  for (const length of [0, 1000, 262_000, 262_144, 300_000, 900_000]) {
    writeFileSync(
      file,
      line('old') + other(5000) + line(`new ${'é'.repeat(400_000)}`) + other(length) + other(length),
    )
    t.true((await lastCompaction(file))?.summary.startsWith('new é'), `${length}`)
  }
})

test('a summary that stands in the history only is taken from there, and a torn line is no summary', async t => {
  const file = join(temporaryWorkspace(t), 'rollout.jsonl')
  const history = [{ role: 'user', content: [{ type: 'input_text', text: 'what came of it' }] }]
  writeFileSync(
    file,
    `${JSON.stringify({ type: 'compacted', payload: { message: '', replacement_history: history } })}\n{"type":"compacted","payl`,
  )
  t.deepEqual(await lastCompaction(file), { summary: 'what came of it', at: null })
})

test('no more than the last 16 MiB are looked at', async t => {
  const file = join(temporaryWorkspace(t), 'rollout.jsonl')
  copyFileSync(join(fixtures, 'codex-rollout.jsonl'), file)
  writeFileSync(file, other(17 * 1024 * 1024), { flag: 'a' })
  t.is(await lastCompaction(file), undefined)
})
