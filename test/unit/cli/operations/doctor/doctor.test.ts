import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import test from 'ava'
import { diagnose, diagnosisText } from '../../../../../src/cli/operations/doctor/doctor.js'
import type { Finding } from '../../../../../src/cli/operations/doctor/finding.js'
import { colorsFor } from '../../../../../src/cli/terminal/output.js'
import { ClientError } from '../../../../../src/client/http/client-error.js'
import { doctorContext, fakeCall, healthyHandlers, healthyStatus, storedReport } from './doctor-fakes.js'

const find = ({ findings }: Awaited<ReturnType<typeof diagnose>>, id: string) =>
  findings.find(finding => finding.id === id)!

test('a healthy installation has no finding that needs action', async t => {
  const diagnosis = await diagnose(await doctorContext(t), { fix: false })
  t.true(diagnosis.healthy)
  t.is(diagnosis.counts.error + diagnosis.counts.warning, 0)
  t.is(diagnosis.health?.status, 'healthy')
  t.is(new Set(diagnosis.findings.map(({ id }) => id)).size, diagnosis.findings.length)
})

test('without a daemon every later check is reported as skipped', async t => {
  const call = fakeCall({
    'GET /api/status': () => {
      throw new ClientError('no daemon answers', {
        code: 'daemon_unavailable',
        nextSteps: ['memory daemon status'],
      })
    },
  })
  const diagnosis = await diagnose(await doctorContext(t, { call }), { fix: false })
  t.false(diagnosis.healthy)
  t.like(find(diagnosis, 'daemon'), {
    severity: 'error',
    evidence: 'no daemon answers',
    fix: 'memory daemon status',
  })
  t.like(find(diagnosis, 'round-trip'), { severity: 'info', evidence: 'not checked: no daemon is running' })
})

test('another program on the port is an error with a next step', async t => {
  const findDaemon = async () => {
    throw new ClientError('port 3850 belongs to python3', {
      code: 'foreign_process',
      nextSteps: ['take another port'],
    })
  }
  const diagnosis = await diagnose(await doctorContext(t, { findDaemon }), { fix: false })
  t.like(find(diagnosis, 'port'), {
    severity: 'error',
    evidence: 'port 3850 belongs to python3',
    fix: 'take another port',
  })
})

test('a check that throws becomes a finding, and the other checks still run', async t => {
  const { 'GET /api/tasks': _, ...handlers } = healthyHandlers()
  const diagnosis = await diagnose(await doctorContext(t, { call: fakeCall(handlers) }), { fix: false })
  t.is(find(diagnosis, 'task-programs').severity, 'error')
  t.is(find(diagnosis, 'copies').severity, 'ok')
})

test('findings of the daemon are shown unchanged (operations.md 3.1)', async t => {
  const found = {
    id: 'changed-contents',
    severity: 'warning',
    evidence: '1 memory',
    penalty: 0.25,
    fix: 'look',
  }
  const here = { id: 'free-space', severity: 'warning', evidence: '1 MiB', penalty: 0.25 }
  const call = fakeCall({ ...healthyHandlers(), 'GET /api/diagnostics': () => storedReport([found, here]) })
  const diagnosis = await diagnose(await doctorContext(t, { call }), { fix: false })
  t.deepEqual(find(diagnosis, 'changed-contents'), {
    id: 'changed-contents',
    group: 'Storage',
    severity: 'warning',
    evidence: '1 memory',
    fix: 'look',
    fixable: false,
    fixed: false,
  })
  t.is(find(diagnosis, 'free-space'), undefined as never, 'the disk is looked at here')
  t.is(diagnosis.counts.warning, 1)
})

test('an older daemon without diagnostics is reported as older', async t => {
  const older = () => {
    throw new ClientError('route not found', { code: 'not_found', status: 404 })
  }
  const call = fakeCall({ ...healthyHandlers(), 'GET /api/diagnostics': older })
  const diagnosis = await diagnose(await doctorContext(t, { call }), { fix: false })
  t.like(find(diagnosis, 'diagnostics'), { severity: 'info' })
})

test('with a remote daemon local files are not checked', async t => {
  const context = await doctorContext(t, { remote: 'http://10.0.0.1:3850' })
  await writeFile(context.paths.registration, 'torn')
  const diagnosis = await diagnose(context, { fix: true })
  t.true(diagnosis.healthy)
  t.is(await readFile(context.paths.registration, 'utf8'), 'torn')
})

test('--fix removes files of a killed process and restricts private files, then checks again', async t => {
  const context = await doctorContext(t)
  const { registration, startLock, daemonDir } = context.paths
  await writeFile(registration, '{"pid":')
  await writeFile(startLock, '999999999 1 1')
  await chmod(daemonDir, 0o755)
  const before = await diagnose(context, { fix: false })
  for (const id of ['permissions', 'start-lock', 'registration']) {
    t.like(find(before, id), { severity: 'warning', fixable: true, fixed: false, fix: 'memory health --fix' })
  }
  const after = await diagnose(context, { fix: true })
  for (const id of ['permissions', 'start-lock', 'registration']) {
    t.like(find(after, id), { severity: 'ok', fixed: true })
  }
  t.true(after.healthy)
  t.is((await stat(daemonDir)).mode & 0o777, 0o700)
  await t.throwsAsync(stat(registration), { code: 'ENOENT' })
  await t.throwsAsync(stat(startLock), { code: 'ENOENT' })
})

test('a different daemon version is a warning', async t => {
  const context = await doctorContext(t, { version: '2.0.0' })
  const diagnosis = await diagnose(context, { fix: false })
  t.like(find(diagnosis, 'version'), { severity: 'warning', fix: 'memory daemon restart' })
  t.is(healthyStatus.version, '1.2.3')
})

const colors = colorsFor({ isTTY: false })

const finding = (fields: Partial<Finding>): Finding => ({
  id: 'disk-space',
  group: 'This machine',
  severity: 'ok',
  evidence: '10.0 GiB free',
  fixable: false,
  fixed: false,
  ...fields,
})

test('doctor shows problems with their fixes under their headings, and all checks only on request', t => {
  const findings = [
    finding({}),
    finding({ id: 'port', severity: 'warning', evidence: 'torn', fix: 'memory health --fix', fixable: true }),
  ]
  const counts = { ok: 1, info: 0, warning: 1, error: 0 }
  const text = (all: boolean) => diagnosisText({ healthy: false, counts, findings }, colors, { all })
  t.deepEqual(text(false).split('\n'), [
    'This machine',
    '  warn   torn',
    '         fix: memory health --fix',
    '',
    '1 warning. Safe repairs: memory health --fix. 1 other check found nothing: memory health -v.',
  ])
  const group = 'Coding agents'
  findings.push(finding({ id: 'codex', group, severity: 'warning', evidence: 'hooks are not trusted' }))
  t.regex(text(false), /^Coding agents\n {2}warn {3}codex: hooks are not trusted$/mu)
  t.regex(text(true), /^ {2}ok {5}disk-space: 10\.0 GiB free\n {2}warn {3}port: torn$/mu)
})

test('a healthy diagnosis says so, and lists repairs', t => {
  const counts = { ok: 1, info: 0, warning: 0, error: 0 }
  const diagnosis = { healthy: true, counts, findings: [finding({ fixed: true }), finding({})] }
  t.deepEqual(diagnosisText(diagnosis, colors, { all: false }).split('\n'), [
    'This machine',
    '  ok     10.0 GiB free (fixed)',
    '',
    'Everything works.',
  ])
})
