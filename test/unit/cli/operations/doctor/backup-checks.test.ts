import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test from 'ava'
import { checkBackup, checkCopies } from '../../../../../src/cli/operations/doctor/daemon-checks.js'
import type { Severity } from '../../../../../src/cli/operations/doctor/finding.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { fakeCall } from './doctor-fakes.js'

const now = Date.parse('2026-03-10T00:00:00Z')
const made = (createdAt: string, problems: string[] = []) => ({ id: 'daily-1', createdAt, problems })
const list = {
  backups: [made('2026-03-09T12:00:00Z')],
  settings: { enabled: true, intervalHours: 24 },
  lastError: null,
}

const cases: readonly [what: string, list: object, severity: Severity, evidence: RegExp][] = [
  ['a backup from today', {}, 'ok', /1 backup, newest 12 hours old/],
  ['a backup that is too old', { backups: [made('2026-03-01T00:00:00Z')] }, 'warning', /9 days old/],
  [
    'an old backup without a schedule',
    { backups: [made('2026-03-01T00:00:00Z')], settings: { enabled: false } },
    'ok',
    /9 days/,
  ],
  ['none', { backups: [] }, 'info', /none yet/],
  ['a failed backup', { lastError: 'the disk is full' }, 'warning', /the disk is full/],
  [
    'a backup of a damaged database',
    { backups: [made('2026-03-09T12:00:00Z', ['memories: torn'])] },
    'warning',
    /torn/,
  ],
  ['a pending restore', { pendingRestore: {} }, 'warning', /next start applies it/],
]

for (const [what, fields, severity, evidence] of cases)
  test(`doctor reports ${what} (operations.md 4.2)`, async t => {
    const call = fakeCall({ 'GET /api/backup': () => ({ ...list, ...fields }) })
    const outcome = await checkBackup({ call } as never, { memories: 5 }, now)
    t.is(outcome.severity, severity)
    t.regex(outcome.evidence, evidence)
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
