import test from 'ava'
import type { Severity } from '../../../../../src/contract/operations/diagnostics-domains.js'
import { backupFinding } from '../../../../../src/daemon/operations/diagnostics/domains/upkeep.js'

const now = Date.parse('2026-03-10T00:00:00Z')
const made = (createdAt: string, problems: string[] = []) => ({ id: 'daily-1', createdAt, problems })
const list = {
  backups: [made('2026-03-09T12:00:00Z')],
  settings: { enabled: true, intervalHours: 24, keep: 7 },
  lastError: null,
  pendingRestore: null,
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
  ['none', { backups: [] }, 'ok', /none yet/],
  ['none without a schedule', { backups: [], settings: { enabled: false } }, 'info', /backups are off/],
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
  test(`diagnostics report ${what} (operations.md 4.2)`, t => {
    const outcome = backupFinding({ ...list, ...(fields as object) }, 5, now)
    t.is(outcome.severity, severity)
    t.regex(outcome.evidence, evidence)
  })
