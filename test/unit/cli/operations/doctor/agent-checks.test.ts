import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import test from 'ava'
import {
  checkMessages,
  checkPlugins,
  checkSkills,
  checkTasks,
} from '../../../../../src/cli/operations/doctor/agent-checks.js'
import { emptyFolder, fakeProgram } from '../../../../helpers/fake-program.js'
import { doctorContext, fakeCall, healthyHandlers } from './doctor-fakes.js'

const task = { id: 't1', name: 'nightly', harness: 'harness_b', enabled: true, lastRunStatus: 'completed' }

async function taskOutcome(
  t: ExecutionContext,
  { tasks, runs = [], path }: { tasks: object[]; runs?: object[]; path: string },
) {
  const call = fakeCall({ 'GET /api/tasks': () => ({ tasks }), 'GET /api/tasks/:id/runs': () => ({ runs }) })
  return checkTasks(await doctorContext(t, { call, platform: process.platform }), undefined, { PATH: path })
}

test('running tasks and disabled tasks need no action (tasks.md#commands)', async t => {
  const { path } = fakeProgram(t, 'codex', '')
  const off = { ...task, harness: 'harness_c', enabled: false, lastRunStatus: 'failed' }
  t.deepEqual(await taskOutcome(t, { tasks: [task, off], path }), {
    severity: 'ok',
    evidence: '2 tasks, 1 enabled',
  })
})

test('a missing agent is a warning (tasks.md#commands)', async t => {
  const outcome = await taskOutcome(t, { tasks: [task], path: emptyFolder(t) })
  t.is(outcome.severity, 'warning')
  t.is(outcome.evidence, 'codex is not on the PATH of this terminal; task "nightly" needs it')
})

test('three failed runs in a row are a warning, two are not (tasks.md#commands)', async t => {
  const { path } = fakeProgram(t, 'codex', '')
  const failed = { status: 'failed', error: 'no account' }
  const tasks = [{ ...task, lastRunStatus: 'failed' }]
  const outcome = await taskOutcome(t, { tasks, runs: [failed, { status: 'timeout' }, failed], path })
  t.deepEqual(outcome, {
    severity: 'warning',
    evidence: '"nightly" failed its last 3 runs: no account',
    fix: 'memory tasks logs t1',
  })
  t.is(
    (await taskOutcome(t, { tasks, runs: [failed, failed, { status: 'completed' }], path })).severity,
    'ok',
  )
})

test('a cancelled run does not count as failed (tasks.md#commands)', async t => {
  const { path } = fakeProgram(t, 'codex', '')
  const cancelled = { status: 'failed', error: 'cancelled' }
  const tasks = [{ ...task, lastRunStatus: 'failed' }]
  t.is((await taskOutcome(t, { tasks, runs: [cancelled, cancelled, cancelled], path })).severity, 'ok')
})

const active = {
  id: 'service.secrets',
  bundled: true,
  state: 'active',
  reason: null,
  enabled: true,
  pendingCapabilities: [] as string[],
}

async function pluginOutcome(t: ExecutionContext, ...plugins: object[]) {
  const call = fakeCall({ ...healthyHandlers(), 'GET /api/plugins': () => ({ plugins }) as never })
  return checkPlugins(await doctorContext(t, { call }))
}

test('active and disabled plugins need no action', async t => {
  const off = { ...active, id: 'service.codeindex', state: 'disabled', enabled: false }
  t.deepEqual(await pluginOutcome(t, off, active), {
    severity: 'ok',
    evidence: 'service.codeindex is disabled, service.secrets is active',
  })
})

test('a degraded plugin is a warning with its reason', async t => {
  t.deepEqual(await pluginOutcome(t, { ...active, state: 'degraded', reason: 'the store is damaged' }), {
    severity: 'warning',
    evidence: 'service.secrets is degraded: the store is damaged',
    fix: 'memory plugins show service.secrets',
  })
})

test('a plugin blocked by a broken registry is a warning that names the reason', async t => {
  const reason = 'the plugin registry was damaged and set aside as registry.json.broken-1'
  t.like(await pluginOutcome(t, { ...active, state: 'blocked', enabled: false, reason }), {
    severity: 'warning',
    fix: 'memory plugins enable service.secrets (or disable service.secrets)',
  })
})

test('a plugin that waits for a grant is reported as info', async t => {
  t.like(await pluginOutcome(t, { ...active, pendingCapabilities: ['secrets:new'] }), {
    severity: 'info',
    evidence: 'service.secrets waits for your permission: secrets:new',
  })
})

const skill = (name: string, problems: string[] = []) => ({ name, problems, path: join('/w/skills', name) })

async function skillOutcome(t: ExecutionContext, skills: object[], skipped: object[] = []) {
  const call = fakeCall({ 'GET /api/skills': () => ({ skills, count: skills.length, skipped }) })
  return checkSkills(await doctorContext(t, { call }))
}

test('no skills, or only valid skills, are fine', async t => {
  t.deepEqual(await skillOutcome(t, []), { severity: 'ok', evidence: 'none installed' })
  t.deepEqual(await skillOutcome(t, [skill('a'), skill('b')]), { severity: 'ok', evidence: '2 skills' })
})

test('a broken SKILL.md is a warning with the skill, the fault and the file', async t => {
  const outcome = await skillOutcome(t, [skill('a'), skill('b', ['its frontmatter is not valid YAML'])])
  t.deepEqual(outcome, {
    severity: 'warning',
    evidence: 'b: its frontmatter is not valid YAML',
    fix: `edit ${join('/w/skills', 'b', 'SKILL.md')}`,
  })
})

test('the first five faults are named and the rest is counted', async t => {
  const outcome = await skillOutcome(
    t,
    'abcdefg'.split('').map(name => skill(name, ['broken'])),
  )
  t.is(outcome.evidence, 'a: broken; b: broken; c: broken; d: broken; e: broken; 2 more')
})

test('a folder that is not a skill is reported as info', async t => {
  const outcome = await skillOutcome(t, [skill('a')], [{ name: 'empty', reason: 'it contains no SKILL.md' }])
  t.is(outcome.severity, 'info')
  t.regex(outcome.evidence, /^1 skill; .*empty: it contains no SKILL\.md$/)
})

async function messageOutcome(t: ExecutionContext, live: number) {
  const call = fakeCall({ 'GET /api/cross-agent/messages': () => ({ capacity: { live, limit: 10_000 } }) })
  return checkMessages(await doctorContext(t, { call }))
}

test('nearly full inboxes are a warning (messages.md 8)', async t => {
  t.deepEqual(await messageOutcome(t, 8999), {
    severity: 'ok',
    evidence: '8999 of 10000 messages stored',
  })
  const full = await messageOutcome(t, 9000)
  t.is(full.severity, 'warning')
  t.regex(full.evidence, /^9000 of 10000 messages .* refused until some are acknowledged or expire/u)
  t.regex(full.fix ?? '', /^acknowledge messages \(memory messages inbox/u)
})
