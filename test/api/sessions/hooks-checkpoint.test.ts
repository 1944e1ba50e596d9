import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { stagingRoot } from '../../../src/daemon/sessions/transcripts/transcript-file.js'
import { captured, transcriptOf } from '../../helpers/captures.js'
import { startDaemon, type TestDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { openRaw } from '../../helpers/store.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'

const path = 'POST /api/hooks/session-checkpoint-extract'
const name = { agentId: 'default', sessionKey: 's' }
const said = (length: number) => `user: ${'go on '.repeat(length).slice(0, length - 6)}`

test('a checkpoint captures the conversation so far and always answers skipped, without a job id (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const { status, body } = await send(daemon, { transcript: said(600) })
  t.is(status, 200)
  t.deepEqual(body, { skipped: true })
  await settled(t, daemon)
  t.is(await transcriptOf(daemon, 's'), said(600))
})

test('fewer than 500 new characters since the last cursor are skipped (rules.md 4.10 and 8)', async t => {
  const daemon = await startDaemon(t)
  for (const [length, jobs, cursor] of [
    [499, 0, 0],
    [500, 1, 500],
    [999, 1, 500],
    [1000, 2, 1000],
    [700, 3, 700],
  ] as const) {
    await send(daemon, { transcript: said(length) })
    t.is(receipts(t, daemon), jobs, `${length} characters`)
    t.is((await daemon.daemon.store.tables.sessions.find(name))?.checkpoint_cursor, cursor)
  }
})

test('a checkpoint does not release the claim, and the other path is refused (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await daemon.call('POST /api/hooks/session-start', {
    body: { harness: 'codex', sessionKey: 's', runtimePath: 'plugin' },
  })
  await send(daemon, { transcript: said(600), runtimePath: 'plugin' })
  t.is((await daemon.daemon.store.tables.sessions.find(name))?.runtime_path, 'plugin')
  t.is((await send(daemon, { transcript: said(1600), runtimePath: 'legacy' })).status, 409)
})

test('a checkpoint captures nothing if bypassed, without a transcript, or while frozen (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  t.deepEqual((await send(daemon, {})).body, { skipped: true })
  await daemon.daemon.store.tables.sessions.setBypassed(name, true)
  t.deepEqual((await send(daemon, { transcript: said(600) })).body, { skipped: true, bypassed: true })
  t.is(receipts(t, daemon), 0)
  const frozen = await startDaemon(t, { settings: { memory: { pipelineV2: { mutationsFrozen: true } } } })
  t.deepEqual((await send(frozen, { transcript: said(600) })).body, { skipped: true })
  t.is(receipts(t, frozen), 0)
})

test('with the pipeline disabled a checkpoint captures nothing, but the session’s end still does (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t, { settings: { memory: { pipelineV2: { enabled: false } } } })
  t.deepEqual((await send(daemon, { transcript: said(600) })).body, { skipped: true })
  t.is(receipts(t, daemon), 0)
  const end = { harness: 'codex', sessionKey: 's', transcript: said(600) }
  t.is((await daemon.call('POST /api/hooks/session-end', { body: end })).body.transcript, 'queued')
})

test('harness and sessionKey are required (rules.md 4.10)', async t => {
  const { call } = await startDaemon(t)
  t.is((await call(path, { body: { harness: 'codex' } as never })).status, 400)
  t.is((await call(path, { body: { sessionKey: 's' } as never })).status, 400)
})

test('a file is accepted only from below the staging root, with links resolved (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const staged = stagingFolder(t)
  const elsewhere = temporaryWorkspace(t)
  for (const folder of [staged, elsewhere]) writeFileSync(join(folder, 'a.jsonl'), `${said(600)}\n`)
  symlinkSync(join(elsewhere, 'a.jsonl'), join(staged, 'link.jsonl'))
  for (const refused of [
    join(elsewhere, 'a.jsonl'),
    join(staged, 'link.jsonl'),
    join(staged, '..', '..', 'a.jsonl'),
    join(staged, 'missing.jsonl'),
    staged,
    'a.jsonl',
  ]) {
    const { status, body } = await send(daemon, { transcriptPath: refused })
    t.is(status, 200)
    t.deepEqual(body, { skipped: true })
  }
  t.is(receipts(t, daemon), 0)
  await send(daemon, { transcriptPath: join(staged, 'a.jsonl') })
  await settled(t, daemon)
  t.is(await transcriptOf(daemon, 's'), said(600))
})

test('inline text takes precedence over a path (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const staged = stagingFolder(t)
  writeFileSync(join(staged, 'a.jsonl'), `user: ${'from the file '.repeat(60)}\n`)
  await send(daemon, { transcript: said(600), transcriptPath: join(staged, 'a.jsonl') })
  await settled(t, daemon)
  t.is(await transcriptOf(daemon, 's'), said(600))
})

test('session-end continues after what checkpoints captured', async t => {
  const daemon = await startDaemon(t)
  await send(daemon, { transcript: said(600) })
  const { body } = await daemon.call('POST /api/hooks/session-end', {
    body: { harness: 'codex', sessionKey: 's', transcript: `${said(600)}\nassistant: the end` },
  })
  await captured(daemon, body.transcriptCaptureJobId ?? '')
  t.is(await transcriptOf(daemon, 's'), `${said(600)}\n\nassistant: the end`)
})

function send({ call }: TestDaemon, fields: object) {
  return call(path, { body: { harness: 'codex', sessionKey: 's', ...fields } })
}

function receipts(t: ExecutionContext, { paths }: TestDaemon): number {
  return openRaw(t, paths.database)
    .prepare('SELECT count(*) FROM transcript_captures')
    .pluck()
    .get() as number
}

/** Waits until everything submitted is captured. */
async function settled(t: ExecutionContext, daemon: TestDaemon): Promise<void> {
  const ids = openRaw(t, daemon.paths.database).prepare('SELECT id FROM transcript_captures').pluck().all()
  for (const id of ids) await captured(daemon, id as string)
}

function stagingFolder(t: ExecutionContext): string {
  mkdirSync(stagingRoot, { recursive: true })
  return temporaryFolder(t, 'test', stagingRoot)
}
