import test from 'ava'
import { dreamingFinding } from '../../../../../src/daemon/operations/diagnostics/domains/graph.js'
import { importRoomFindings } from '../../../../../src/daemon/operations/diagnostics/domains/storage.js'
import { updateFinding } from '../../../../../src/daemon/operations/diagnostics/domains/update.js'
import { finding, fine, scored } from '../../../../../src/daemon/operations/diagnostics/findings/finding.js'

const at = '2026-01-01T00:00:00.000Z'
const open = { mode: 'controlled-write', enabled: true, queue: { hygiene: 1, review_due: 1 } }
const dreaming = (told: object, outcomes: readonly string[] = []) => {
  const passes = outcomes.map(outcome => ({ outcome, endedAt: outcome === 'running' ? null : at }))
  return dreamingFinding({ ...open, passes, ...told } as never)
}

test('a score is 1 minus the penalties, and warnings alone leave at least half', t => {
  const warning = finding({ id: 'w', severity: 'warning', evidence: '' })
  const error = finding({ id: 'e', severity: 'error', evidence: '' })
  t.like(scored([fine('a', '')]), { score: 1, status: 'healthy' })
  t.like(scored([warning]), { score: 0.75, status: 'degraded' })
  t.like(scored([warning, warning, warning]), { score: 0.5, status: 'degraded' })
  t.like(scored([error]), { score: 0.4, status: 'unhealthy' })
  t.like(scored([error, error, warning]), { score: 0, status: 'unhealthy' })
  t.like(scored([finding({ id: 'i', severity: 'info', evidence: '', penalty: 0.1 })]), { score: 0.9 })
})

test('completed passes are fine, and so is a new store without any', t => {
  t.like(dreaming({}, ['running', 'completed']), {
    severity: 'ok',
    evidence: `on, 2 queued items, last pass ${at}`,
  })
  t.like(dreaming({ queue: {} }), { evidence: 'on, 0 queued items, last pass never' })
})

test('three consecutive failed passes are a warning, two are not', t => {
  t.like(dreaming({}, ['failed', 'failed', 'completed']), { severity: 'ok' })
  t.like(dreaming({}, ['running', 'failed', 'failed', 'failed']), {
    severity: 'warning',
    evidence: `on, 2 queued items, last pass ${at}: the last 3 passes failed`,
    fix: 'memory daemon logs, then memory dream run --wait',
  })
})

test('disabled and paused are reported, paused with how to resume', t => {
  for (const told of [{ enabled: false }, { mode: 'disabled' }])
    t.like(dreaming(told), { severity: 'info', evidence: 'off: no facts are extracted' })
  t.like(dreaming({ mode: 'paused' }), {
    severity: 'info',
    fix: 'memory pipeline resume',
  })
})

test('a pending and a failed update are warnings (operations.md 2.3)', t => {
  const state = {
    pendingRestartVersion: null,
    lastAutoUpdateError: null,
    autoInstall: true,
    channel: 'stable',
  }
  const look = (fields: object) => updateFinding({ ...state, ...fields } as never)
  t.like(look({}), { severity: 'ok' })
  t.like(look({ pendingRestartVersion: '2.0.0' }), { severity: 'warning', fix: 'memory daemon restart' })
  t.regex(look({ lastAutoUpdateError: 'no room' }).evidence, /no room/)
})

test('disk space reserved by imports is a warning with how to release it (imports.md#uploads)', t => {
  const gib = 2 ** 30
  t.deepEqual(importRoomFindings({ free: 80 * gib, reserved: gib, kept: gib, file: 26 * gib }), [])
  t.deepEqual(
    importRoomFindings({ free: gib - 1, reserved: 0, kept: gib, file: 0 }),
    [],
    'told of as a full disk',
  )
  const [found] = importRoomFindings({ free: 5 * gib, reserved: 4 * gib, kept: gib, file: 0 })
  t.like(found, { id: 'import-room', severity: 'warning' })
  t.regex(found?.evidence ?? '', /5120 MiB free, 4096 MiB reserved by imports, 1024 MiB always left free/u)
  t.regex(found?.fix ?? '', /memory imports cancel/u)
})
