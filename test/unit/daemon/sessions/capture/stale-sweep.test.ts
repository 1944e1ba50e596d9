import { randomUUID } from 'node:crypto'
import { symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { settings } from '../../../../../src/contract/settings.js'
import { SessionCosts } from '../../../../../src/daemon/ground/inference/accounting.js'
import { Projects } from '../../../../../src/daemon/ground/projects/projects.js'
import { BlackBoxes } from '../../../../../src/daemon/ground/sessions/black-box.js'
import { ToolQueues } from '../../../../../src/daemon/ground/sessions/tool-queue.js'
import { RequestCounts } from '../../../../../src/daemon/platform/counts/request-counts.js'
import { createStaleSweep } from '../../../../../src/daemon/sessions/capture/domain.js'
import { LoopBudget } from '../../../../../src/lib/concurrency/loop-budget.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { until } from '../../../../helpers/daemon-process.js'
import { manualTime } from '../../../../helpers/manual-time.js'
import { noGit } from '../../../../helpers/no-git.js'
import { openRaw, openTestStore } from '../../../../helpers/store.js'

const minute = 60_000
const hour = 60 * minute

/** Creates a sweep and the given number of sessions, opened now. */
async function startSweep(t: ExecutionContext, count: number) {
  const configured = { memory: { pipelineV2: { mutationsFrozen: false } } }
  const freeze = (mutationsFrozen: boolean) => {
    configured.memory.pipelineV2.mutationsFrozen = mutationsFrozen
  }
  const { store, file } = openTestStore(t)
  const time = manualTime()
  const log = pino({ level: 'silent' })
  const open = async (sessionKey: string) => {
    const now = time.clock()
    const visit = {
      harness: 'x',
      project: null,
      cwd: null,
      runtimePath: 'plugin',
      claims: true,
      expiresAt: new Date(now.getTime() + 4 * hour).toISOString(),
    }
    await store.tables.sessions.visit({ agentId: 'default', sessionKey }, visit, now.toISOString())
  }
  for (let n = 0; n < count; n++) await open(`s${n}`)
  const told = { store, log, clock: time.clock, newId: randomUUID }
  const deps = {
    ...told,
    blackBoxes: new BlackBoxes(told),
    toolQueues: new ToolQueues({ paths: workspacePaths(dirname(file)), log }),
    paths: workspacePaths(dirname(file)),
    configuration: () => ({ settings: settings.parse(configured), problems: [] }),
    environment: {},
    projects: new Projects({
      ...told,
      configuration: () => ({ settings: settings.parse(configured), problems: [] }),
      environment: {},
      gitOf: noGit,
    }),
    wake: () => undefined,
    budget: new LoopBudget(),
    sessionCosts: new SessionCosts(),
    requestCounts: new RequestCounts(),
  }
  const newSweep = () => createStaleSweep(deps, time.timers)
  const ended = async () => {
    const rows = []
    for (let n = 0; n < count; n++)
      rows.push(await store.tables.sessions.find({ agentId: 'default', sessionKey: `s${n}` }))
    return rows.filter(row => row?.ended_at !== null)
  }
  const endedAre = (expected: number) => until(async () => (await ended()).length === expected)
  const find = (sessionKey: string) => store.tables.sessions.find({ agentId: 'default', sessionKey })
  /** Runs one sweep, 15 minutes after the last one. */
  const tick = async (isDone: () => Promise<boolean>) => {
    time.advance(15 * minute)
    const sweep = newSweep()
    sweep.start()
    await until(isDone)
    await sweep.close()
  }
  return { store, file, time, open, freeze, deps, newSweep, ended, endedAre, find, tick }
}

test('a tick every 15 minutes finishes at most 10 abandoned sessions (rules.md 8)', async t => {
  const { time, newSweep, ended, endedAre } = await startSweep(t, 25)
  const sweep = newSweep()
  time.advance(5 * hour)
  sweep.start()
  await endedAre(10)
  time.advance(14 * minute)
  await sweep.close()
  t.is((await ended()).length, 10)
  const next = newSweep()
  time.advance(minute)
  next.start()
  await endedAre(20)
  // A tick during the last step of a sweep is skipped, so the clock advances until all are ended.
  await until(async () => {
    time.advance(15 * minute)
    return (await ended()).length === 25 || undefined
  })
  await next.close()
  for (const row of await ended())
    t.like(row, { end_reason: 'stale-session-sweep', runtime_path: null, expires_at: null })
})

test('a session in use is not swept (rules.md 4.10)', async t => {
  const { time, open, newSweep, ended, endedAre } = await startSweep(t, 3)
  time.advance(3 * hour)
  await open('s1')
  time.advance(2 * hour)
  const sweep = newSweep()
  sweep.start()
  await endedAre(2)
  await sweep.close()
  t.deepEqual(
    (await ended()).map(row => row?.session_key),
    ['s0', 's2'],
  )
})

test('a restart does not sweep early (rules.md 8)', async t => {
  const { store, time, newSweep, ended } = await startSweep(t, 2)
  const first = newSweep()
  first.start()
  await until(async () => (await store.tables.meta.lastDone('session-sweep')) !== undefined)
  await first.close()
  time.advance(14 * minute)
  const noted = await store.tables.meta.lastDone('session-sweep')
  const second = newSweep()
  second.start()
  await second.close()
  t.is(await store.tables.meta.lastDone('session-sweep'), noted)
  t.deepEqual(await ended(), [])
})

test('an abandoned session is captured from the transcript its prompts named (rules.md 4.10)', async t => {
  const { store, file, time, newSweep, endedAre } = await startSweep(t, 2)
  const transcriptPath = join(dirname(file), 'said.jsonl')
  writeFileSync(transcriptPath, '{"role":"user","text":"hello"}\n')
  await store.tables.sessions.note({ agentId: 'default', sessionKey: 's0' }, { transcriptPath })
  const gone = { transcriptPath: join(dirname(file), 'gone.jsonl') }
  await store.tables.sessions.note({ agentId: 'default', sessionKey: 's1' }, gone)
  time.advance(5 * hour)
  const sweep = newSweep()
  sweep.start()
  await endedAre(2)
  await sweep.close()
  const receipts = openRaw(t, file).prepare('SELECT session_key, status, path FROM transcript_captures').all()
  t.deepEqual(receipts, [{ session_key: 's0', status: 'queued', path: transcriptPath }])
})

test('while writes are frozen nothing is swept or recorded as swept (rules.md#kill-switch)', async t => {
  const { store, time, freeze, newSweep, ended, endedAre } = await startSweep(t, 1)
  time.advance(5 * hour)
  freeze(true)
  const frozen = newSweep()
  frozen.start()
  await frozen.close()
  t.deepEqual(await ended(), [])
  t.is(await store.tables.meta.lastDone('session-sweep'), undefined)
  freeze(false)
  const thawed = newSweep()
  thawed.start()
  await endedAre(1)
  await thawed.close()
})

test('a session with a passing capture error is retried at the next tick (rules.md 4.10)', async t => {
  const { store, file, deps, time, newSweep, ended, endedAre, tick } = await startSweep(t, 2)
  const transcriptPath = join(dirname(file), 'said.jsonl')
  writeFileSync(transcriptPath, '{"role":"user","text":"hello"}\n')
  for (const sessionKey of ['s0', 's1'])
    await store.tables.sessions.note({ agentId: 'default', sessionKey }, { transcriptPath })
  const seenAt = time.clock().toISOString()
  time.advance(5 * hour)
  let calls = 0
  deps.newId = () => {
    if (++calls === 2) throw new Error('the disk is full')
    return randomUUID()
  }
  const sweep = newSweep()
  sweep.start()
  await endedAre(1)
  await sweep.close()
  t.is((await ended()).length, 1)
  await tick(async () => (await ended()).length === 2)
  const receipts = openRaw(t, file).prepare('SELECT captured_at FROM transcript_captures').pluck().all()
  t.deepEqual(receipts, [seenAt, seenAt], 'an attempt does not update the time of the session')
})

test('a temporarily unreadable transcript is captured at a later tick (rules.md 4.10)', async t => {
  const { store, file, time, ended, find, tick } = await startSweep(t, 1)
  const transcriptPath = join(dirname(file), 'said.jsonl')
  // A link to itself exists but cannot be opened.
  symlinkSync(transcriptPath, transcriptPath)
  await store.tables.sessions.note({ agentId: 'default', sessionKey: 's0' }, { transcriptPath })
  time.advance(5 * hour)
  await tick(async () => (await find('s0'))?.sweep_attempts === 1)
  t.deepEqual(await ended(), [])
  unlinkSync(transcriptPath)
  writeFileSync(transcriptPath, '{"role":"user","text":"hello"}\n')
  await tick(async () => (await ended()).length === 1)
  const count = openRaw(t, file).prepare('SELECT count(*) FROM transcript_captures').pluck().get()
  t.is(count, 1)
})

test('after four attempts a session is postponed, or ended without its unreadable transcript (rules.md 4.10)', async t => {
  const { store, file, deps, time, ended, find, tick } = await startSweep(t, 2)
  const loop = join(dirname(file), 'loop.jsonl')
  symlinkSync(loop, loop)
  await store.tables.sessions.note({ agentId: 'default', sessionKey: 's0' }, { transcriptPath: loop })
  time.advance(5 * hour)
  let isLocked = true
  const { transaction } = store
  deps.store = {
    ...store,
    transaction: work => {
      if (isLocked) throw new Error('the database is locked')
      return transaction(work)
    },
  }
  for (const attempts of [1, 2, 3]) await tick(async () => (await find('s1'))?.sweep_attempts === attempts)
  t.deepEqual(await ended(), [])
  await tick(async () => (await find('s1'))?.sweep_attempts === 0)
  t.deepEqual(
    (await ended()).map(row => row?.session_key),
    ['s0'],
  )
  t.like(await find('s1'), { seen_at: time.clock().toISOString(), ended_at: null })
  isLocked = false
  time.advance(4 * hour)
  await tick(async () => (await ended()).length === 2)
})

test('a session with a refused transcript is ended without it (rules.md 4.10)', async t => {
  const { store, file, time, newSweep, endedAre } = await startSweep(t, 1)
  const name = { agentId: 'default', sessionKey: 's0' }
  await store.tables.sessions.note(name, { transcriptPath: 'not/absolute.jsonl' })
  time.advance(5 * hour)
  const sweep = newSweep()
  sweep.start()
  await endedAre(1)
  await sweep.close()
  const count = openRaw(t, file).prepare('SELECT count(*) FROM transcript_captures').pluck().get()
  t.is(count, 0)
})
