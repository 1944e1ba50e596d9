import test from 'ava'
import { settings as schema } from '../../../../../src/contract/settings.js'
import { createBackgroundWork } from '../../../../../src/daemon/ground/jobs/background-work.js'
import { pause, resume, type TransitionDeps } from '../../../../../src/daemon/operations/pipeline/routes.js'
import { reportedKinds } from '../../../../../src/daemon/operations/pipeline/status.js'
import { domains } from '../../../../../src/daemon/process/domains.js'
import { deferred } from '../../../../../src/lib/concurrency/deferred.js'

test('a transition is refused while another waits for cancelled work (operations.md 6.2)', async t => {
  const state = { paused: false }
  const background = createBackgroundWork(() => state.paused)
  const deps = {
    store: {},
    paths: { settings: '/w/agent.yaml' },
    configuration: () => ({ settings: schema.parse({ memory: { pipelineV2: state } }), problems: [] }),
    changeSettings: ({ 'memory.pipelineV2.paused': paused }: Record<string, unknown>) => {
      state.paused = paused as boolean
    },
    background,
  } as unknown as TransitionDeps
  const slow = deferred<void>()
  const working = background.run(() => slow.promise)
  const pausing = pause(deps)
  for (const other of [pause, resume]) await t.throwsAsync(other(deps), { code: 'conflict' })
  slow.resolve()
  await working
  t.like(await pausing, { changed: true, paused: true, quiescence: { activeAtStart: 1, remaining: 0 } })
  t.like(await resume(deps), { changed: true, paused: false, mode: 'controlled-write' })
  t.like(await resume(deps), { changed: false, paused: false })
})

test('every kind of job is reported under a worker and a queue (operations.md 6.1)', t => {
  const kinds = Object.values(domains).flatMap(({ jobs = [] }) => jobs.map(({ kind }) => kind))
  t.deepEqual(reportedKinds.map(({ kind }) => kind).sort(), kinds.sort())
})
