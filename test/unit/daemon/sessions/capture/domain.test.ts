import { randomUUID } from 'node:crypto'
import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { settings } from '../../../../../src/contract/settings.js'
import { captureIdle } from '../../../../../src/daemon/sessions/capture/domain.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { manualTime } from '../../../../helpers/manual-time.js'
import { openRaw, openTestStore } from '../../../../helpers/store.js'

const minute = 60_000

/** Opens a session whose prompt named a transcript, last seen now. */
async function openSession(t: ExecutionContext, { mutationsFrozen = false } = {}) {
  const { store, file } = openTestStore(t)
  const time = manualTime()
  const name = { agentId: 'default', sessionKey: 's1' }
  const transcriptPath = join(dirname(file), 'rollout-s1.jsonl')
  const write = (text: string) => {
    writeFileSync(transcriptPath, `${JSON.stringify({ role: 'user', text })}\n`)
    utimesSync(transcriptPath, time.clock(), time.clock())
  }
  const visit = async (sweeps = false) => {
    const now = time.clock()
    const expiresAt = new Date(now.getTime() + 240 * minute).toISOString()
    const known = {
      harness: 'codex',
      project: null,
      cwd: null,
      runtimePath: 'legacy',
      claims: true,
      expiresAt,
    }
    await store.tables.sessions.visit(name, { ...known, sweeps }, now.toISOString())
  }
  await visit()
  await store.tables.sessions.note(name, { transcriptPath })
  write('short')
  const deps = {
    store,
    clock: time.clock,
    newId: randomUUID,
    paths: workspacePaths(dirname(file)),
    configuration: () => ({
      settings: settings.parse({ memory: { pipelineV2: { mutationsFrozen } } }),
      problems: [],
    }),
    wake: () => undefined,
    log: pino({ level: 'silent' }),
  }
  const look = () => captureIdle(deps, new AbortController().signal)
  const receipts = () =>
    openRaw(t, file).prepare('SELECT session_key, path, captured_at FROM transcript_captures').all()
  const find = () => store.tables.sessions.find(name)
  return { store, name, time, transcriptPath, write, visit, look, receipts, find }
}

test('a session idle for five minutes is captured and continues', async t => {
  const { time, look, receipts, find, transcriptPath } = await openSession(t)
  const seenAt = time.clock().toISOString()
  time.advance(5 * minute - 1)
  await look()
  t.deepEqual(receipts(), [])
  time.advance(1)
  await look()
  t.deepEqual(receipts(), [{ session_key: 's1', path: transcriptPath, captured_at: seenAt }])
  t.like(await find(), { ended_at: null, runtime_path: 'legacy', seen_at: seenAt })
})

test('captured turns are not captured again, later ones are', async t => {
  const { time, visit, look, receipts } = await openSession(t)
  time.advance(6 * minute)
  await look()
  time.advance(6 * minute)
  await look()
  t.is(receipts().length, 1)
  await visit()
  time.advance(6 * minute)
  await look()
  t.is(receipts().length, 2)
})

test('a session whose transcript still grows is not idle', async t => {
  const { time, write, look, receipts } = await openSession(t)
  time.advance(6 * minute)
  write('a long answer')
  await look()
  t.deepEqual(receipts(), [])
  time.advance(5 * minute)
  await look()
  t.is(receipts().length, 1)
})

test('a session that ended, is bypassed or lost its transcript is not captured', async t => {
  const ended = await openSession(t)
  await ended.store.tables.sessions.end(ended.name, null, ended.time.clock().toISOString())
  const bypassed = await openSession(t)
  await bypassed.store.tables.sessions.setBypassed(bypassed.name, true)
  const lost = await openSession(t)
  rmSync(lost.transcriptPath)
  for (const { time, look, receipts } of [ended, bypassed, lost]) {
    time.advance(6 * minute)
    await look()
    t.deepEqual(receipts(), [])
  }
})

test('an abandoned session is left to the sweep', async t => {
  const { time, look, receipts } = await openSession(t)
  time.advance(240 * minute)
  await look()
  t.deepEqual(receipts(), [])
})

test('nothing is captured while writes are frozen (rules.md#kill-switch)', async t => {
  const { time, look, receipts } = await openSession(t, { mutationsFrozen: true })
  time.advance(6 * minute)
  await look()
  t.deepEqual(receipts(), [])
})
