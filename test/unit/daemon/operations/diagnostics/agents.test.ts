import { join } from 'node:path'
import test from 'ava'
import {
  messageFinding,
  pluginFinding,
  skillFinding,
  taskFinding,
} from '../../../../../src/daemon/operations/diagnostics/domains/agents.js'

const task = { id: 't1', name: 'nightly', enabled: 1, last_run_status: 'completed' }

const taskOutcome = (tasks: (typeof task)[], runs: { status: string; error: string | null }[] = []) =>
  taskFinding(tasks, async () => runs)

const failed = { status: 'failed', error: 'no account' }

test('running tasks and disabled tasks need no action (tasks.md#commands)', async t => {
  const off = { ...task, enabled: 0, last_run_status: 'failed' }
  t.like(await taskOutcome([task, off], [failed, failed, failed]), {
    severity: 'ok',
    evidence: '2 tasks, 1 enabled',
  })
})

test('three failed runs in a row are a warning, two are not (tasks.md#commands)', async t => {
  const tasks = [{ ...task, last_run_status: 'failed' }]
  t.like(await taskOutcome(tasks, [failed, { status: 'timeout', error: null }, failed]), {
    severity: 'warning',
    evidence: '"nightly" failed its last 3 runs: no account',
    fix: 'memory tasks logs t1',
  })
  t.is((await taskOutcome(tasks, [failed, failed, { status: 'completed', error: null }])).severity, 'ok')
})

test('a cancelled run does not count as failed (tasks.md#commands)', async t => {
  const cancelled = { status: 'failed', error: 'cancelled' }
  const tasks = [{ ...task, last_run_status: 'failed' }]
  t.is((await taskOutcome(tasks, [cancelled, cancelled, cancelled])).severity, 'ok')
})

const active = {
  id: 'service.secrets',
  bundled: true,
  state: 'active' as const,
  reason: null as string | null,
  enabled: true,
  pendingCapabilities: [] as string[],
}

test('active and disabled plugins need no action', t => {
  const off = { ...active, id: 'service.codeindex', state: 'disabled' as const, enabled: false }
  t.like(pluginFinding([off, active]), {
    severity: 'ok',
    evidence: 'service.codeindex is disabled, service.secrets is active',
  })
})

test('a degraded plugin is a warning with its reason', t => {
  t.like(pluginFinding([{ ...active, state: 'degraded', reason: 'the store is damaged' }]), {
    severity: 'warning',
    evidence: 'service.secrets is degraded: the store is damaged',
    fix: 'memory plugins show service.secrets',
  })
})

test('a plugin blocked by a broken registry is a warning that names the reason', t => {
  const reason = 'the plugin registry was damaged and set aside as registry.json.broken-1'
  t.like(pluginFinding([{ ...active, state: 'blocked', enabled: false, reason }]), {
    severity: 'warning',
    fix: 'memory plugins enable service.secrets (or disable service.secrets)',
  })
})

test('a plugin that waits for a grant is reported as info', t => {
  t.like(pluginFinding([{ ...active, pendingCapabilities: ['secrets:new'] }]), {
    severity: 'info',
    evidence: 'service.secrets waits for your permission: secrets:new',
  })
})

const skill = (name: string, problems: string[] = []) => ({ name, problems, path: join('/w/skills', name) })

const skillOutcome = (skills: ReturnType<typeof skill>[], skipped: { name: string; reason: string }[] = []) =>
  skillFinding({ skills, skipped }, '/w/skills')

test('no skills, or only valid skills, are fine', t => {
  t.like(skillOutcome([]), { severity: 'ok', evidence: 'none installed' })
  t.like(skillOutcome([skill('a'), skill('b')]), { severity: 'ok', evidence: '2 skills' })
})

test('a broken SKILL.md is a warning with the skill, the fault and the file', t => {
  t.like(skillOutcome([skill('a'), skill('b', ['its frontmatter is not valid YAML'])]), {
    severity: 'warning',
    evidence: 'b: its frontmatter is not valid YAML',
    fix: `edit ${join('/w/skills', 'b', 'SKILL.md')}`,
  })
})

test('the first five faults are named and the rest is counted', t => {
  const outcome = skillOutcome([...'abcdefg'].map(name => skill(name, ['broken'])))
  t.is(outcome.evidence, 'a: broken; b: broken; c: broken; d: broken; e: broken; 2 more')
})

test('a folder that is not a skill is reported as info', t => {
  const outcome = skillOutcome([skill('a')], [{ name: 'empty', reason: 'it contains no SKILL.md' }])
  t.is(outcome.severity, 'info')
  t.regex(outcome.evidence, /^1 skill; .*empty: it contains no SKILL\.md$/)
})

test('nearly full inboxes are a warning (messages.md 8)', t => {
  t.like(messageFinding(8999, 10_000), { severity: 'ok', evidence: '8999 of 10000 messages stored' })
  const full = messageFinding(9000, 10_000)
  t.is(full.severity, 'warning')
  t.regex(full.evidence, /^9000 of 10000 messages .* refused until some are acknowledged or expire/u)
  t.regex(full.fix ?? '', /^acknowledge messages \(memory messages inbox/u)
})
