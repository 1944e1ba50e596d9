import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { settings as schema } from '../../../../../src/contract/settings.js'
import { createBackgroundWork } from '../../../../../src/daemon/ground/jobs/background-work.js'
import { Projects } from '../../../../../src/daemon/ground/projects/projects.js'
import { createSynthesisWorker } from '../../../../../src/daemon/sessions/synthesis/synthesis-worker.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { until } from '../../../../helpers/daemon-process.js'
import { manualTime } from '../../../../helpers/manual-time.js'
import { noGit } from '../../../../helpers/no-git.js'
import { openRaw, openTestStore } from '../../../../helpers/store.js'

const hourMs = 3_600_000

function startWorker(t: ExecutionContext, memory: object = {}, withSession = true) {
  const { store, file } = openTestStore(t)
  const time = manualTime()
  let nextId = 0
  const pipeline = { paused: false, asked: 0 }
  const deps = {
    store,
    clock: time.clock,
    newId: () => `id-${nextId++}`,
    log: pino({ level: 'silent' }),
    paths: workspacePaths(dirname(file)),
    configuration: () => ({ settings: schema.parse({ memory }), problems: [] }),
    projects: new Projects({
      store,
      log: pino({ level: 'silent' }),
      clock: time.clock,
      newId: () => `project-${nextId++}`,
      configuration: () => ({ settings: schema.parse({ memory }), problems: [] }),
      environment: {},
      gitOf: noGit,
    }),
    telemetry: { count: () => undefined },
    background: createBackgroundWork(() => {
      pipeline.asked++
      return pipeline.paused
    }),
  }
  const raw = openRaw(t, file)
  const jobs = raw
    .prepare("SELECT count(*) FROM jobs WHERE kind = 'synthesis' AND status = 'completed'")
    .pluck()
  const begin = async () => {
    if (withSession) await keepHead(deps)
    const worker = createSynthesisWorker(deps, time.timers)
    t.teardown(() => worker.close())
    worker.start()
    return worker
  }
  const done = (count: number) => until(() => jobs.get() === count || undefined)
  return { ...deps, raw, pipeline, time, jobs, begin, done }
}

async function keepHead({
  store,
  clock,
}: Pick<Parameters<typeof createSynthesisWorker>[0], 'store' | 'clock'>) {
  const at = clock().toISOString()
  await store.tables.summaryNodes.keep({
    id: 'head',
    agent_id: 'default',
    kind: 'session',
    source_type: 'transcript',
    source_ref: 's',
    session_key: 's',
    content: 'a talk',
    meta: '{}',
    safety_status: 'clean',
    safety_policy: '1',
    starts_at: at,
    ends_at: at,
    created_at: at,
  })
}

test('MEMORY.md is written after the first session, then daily', async t => {
  const { begin, done, time, jobs, paths } = startWorker(t)
  await begin()
  await done(1)
  t.true(existsSync(paths.summary))
  time.advance(23 * hourMs)
  t.is(jobs.get(), 1)
  time.advance(hourMs)
  // A check still running absorbs the next one, so the clock advances until another check ran.
  await until(() => {
    time.advance(60_000)
    return jobs.get() === 2 || undefined
  })
})

test('the schedule continues across restarts', async t => {
  const { begin, done, time, store } = startWorker(t)
  const first = await begin()
  await done(1)
  await first.close()
  time.advance(20 * hourMs)
  const second = await begin()
  await second.close()
  t.is(await store.tables.jobs.openJob('synthesis', 'default'), undefined)
  time.advance(5 * hourMs)
  await begin()
  await done(2)
})

test('weekly is every seven days', async t => {
  const { begin, done, time, store } = startWorker(t, { synthesis: { schedule: 'weekly' } })
  const worker = await begin()
  await done(1)
  await worker.close()
  time.advance(6 * 24 * hourMs)
  await (await begin()).close()
  t.is(await store.tables.jobs.openJob('synthesis', 'default'), undefined)
  time.advance(25 * hourMs)
  await begin()
  await done(2)
})

for (const [what, memory, withSession] of [
  ['on demand', { synthesis: { schedule: 'on-demand' } }, true],
  ['while writes are frozen', { pipelineV2: { mutationsFrozen: true } }, true],
  ['without any session', {}, false],
] as const)
  test(`nothing is written on schedule ${what}`, async t => {
    const { begin, time, store, paths } = startWorker(t, memory, withSession)
    const worker = await begin()
    time.advance(48 * hourMs)
    await worker.close()
    t.is(await store.tables.jobs.openJob('synthesis', 'default'), undefined)
    t.false(existsSync(paths.summary))
  })

test('a pause cancels the writing of MEMORY.md without a failed attempt (operations.md 6.2)', async t => {
  const { begin, done, raw, pipeline, time, paths } = startWorker(t)
  pipeline.paused = true
  await begin()
  const job = raw.prepare("SELECT status, attempts FROM jobs WHERE kind = 'synthesis'")
  const given = await until(() => {
    const row = job.get() as { status: string; attempts: number } | undefined
    return pipeline.asked > 0 && row?.status === 'pending' ? row : undefined
  })
  t.is(given.attempts, 0)
  t.false(existsSync(paths.summary))
  pipeline.paused = false
  time.advance(60_000)
  await done(1)
  t.true(existsSync(paths.summary))
})
