import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import {
  checkCode,
  checkCopies,
  checkTaskPrograms,
  daemonChecks,
} from '../../../../../src/cli/operations/doctor/daemon-checks.js'
import type { DaemonStatus, DoctorContext } from '../../../../../src/cli/operations/doctor/finding.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { emptyFolder, fakeProgram } from '../../../../helpers/fake-program.js'
import { doctorContext, fakeCall, healthyHandlers, healthyStatus } from './doctor-fakes.js'

const run = (id: string, context: DoctorContext, status: DaemonStatus = healthyStatus) =>
  daemonChecks.find(check => check.id === id)!.run(context, status)
for (const [state, severity, evidence] of [
  ['open', 'ok', '2 secrets, store unlocked, key in the keychain'],
  ['locked', 'warning', 'it is locked (key in the keychain)'],
  ['unavailable', 'error', 'it is locked (key in the keychain)'],
  ['damaged', 'error', 'it is locked (key in the keychain)'],
] as const)
  test(`a ${state} secret store is ${severity}`, async t => {
    const problem = state === 'open' ? null : 'it is locked'
    const status = { state, source: 'keychain', secrets: 2, problem }
    const call = fakeCall({ ...healthyHandlers(), 'GET /api/secrets/store/status': () => status })
    t.like(await run('secrets', await doctorContext(t, { call })), { severity, evidence })
  })

const plugin = { id: 'service.codeindex', state: 'active' }

const memory = {
  id: 'm1',
  content: 'Cranes are opened by openStore.',
  project: '/shop',
  moved: [{ kind: 'symbol', target: 'openStore', path: 'src/store.ts', state: 'gone', since: 'then' }],
}

test('memories about moved code are listed; with a disabled plugin nothing is requested (code-index.md 11)', async t => {
  const asked: string[] = []
  const check = async (state: string, memories: readonly object[]) => {
    const call = fakeCall({
      ...healthyHandlers(),
      'GET /api/plugins': () => ({ plugins: [{ ...plugin, state }] }) as never,
      'GET /api/code/moved': () => {
        asked.push(state)
        return { memories, count: memories.length } as never
      },
    })
    return checkCode(await doctorContext(t, { call }))
  }
  t.like(await check('disabled', [memory]), { severity: 'ok', evidence: 'the code index is off' })
  t.deepEqual(asked, [])
  t.like(await check('active', []), { severity: 'ok' })
  const found = await check('active', [memory, { ...memory, id: 'm2' }])
  t.is(found.severity, 'info')
  t.regex(found.evidence, /^2 memories refer to code that has changed: m1 "Cranes.*" \(openStore gone\); m2/u)
})

test('doctor reports two copies on one PATH, unless the daemon is remote (operations.md 2.3)', async t => {
  const folders = ['one', 'two'].map(name => join(temporaryWorkspace(t), name))
  for (const folder of folders) {
    mkdirSync(folder)
    writeFileSync(join(folder, 'memory'), '', { mode: 0o755 })
  }
  const look = (path: readonly string[], remote?: string) =>
    checkCopies({ remote, platform: 'linux' }, undefined, { PATH: path.join(delimiter) })
  t.like(await look([folders[0]!, folders[0]!]), { severity: 'ok' })
  t.regex((await look(folders)).evidence, /2 copies/)
  t.is((await look(folders, 'http://elsewhere')).severity, 'ok')
})

const task = { id: 't1', name: 'nightly', harness: 'harness_b', enabled: true }

async function programsOutcome(t: ExecutionContext, path: string, tasks: object[]) {
  const call = fakeCall({ 'GET /api/tasks': () => ({ tasks }) })
  return checkTaskPrograms(await doctorContext(t, { call, platform: process.platform }), undefined, {
    PATH: path,
  })
}

test('the program of an enabled task must be on the PATH, that of a disabled one need not (tasks.md#commands)', async t => {
  const off = { ...task, harness: 'harness_c', enabled: false }
  const { path } = fakeProgram(t, 'codex', '')
  t.is((await programsOutcome(t, path, [task, off])).severity, 'ok')
  const lost = await programsOutcome(t, emptyFolder(t), [task])
  t.is(lost.severity, 'warning')
  t.is(lost.evidence, 'codex is not on the PATH of this terminal; task "nightly" needs it')
})
