import test from 'ava'
import type { Database } from 'better-sqlite3'
import type { DiagnosticsFinding } from '../../../src/contract/operations/diagnostics-domains.js'
import { keepReason } from '../../../src/store/tables/operations/orphans.js'
import { startDaemon } from '../../helpers/daemon.js'
import { openRaw } from '../../helpers/store.js'

test('orphaned rows are found in every table with owners, and deleted or reported as kept (operations.md 5.3)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('stays')
  const raw = openRaw(t, daemon.paths.database)
  raw.pragma('foreign_keys = OFF')
  const tables = (await daemon.daemon.store.tables.orphans.tables()).map(({ table }) => table)
  t.true(tables.length > 20)
  for (const [at, table] of tables.entries()) insertOrphan(raw, table, at)
  const { body: report } = await daemon.call('GET /api/diagnostics', { query: { refresh: true } })
  const findings = Object.values(report).flatMap(
    domain => (domain as { findings?: DiagnosticsFinding[] } | null)?.findings ?? [],
  )
  const found = new Set(findings.filter(({ severity }) => severity !== 'ok').map(({ id }) => id))
  t.deepEqual(
    tables.filter(table => !found.has(`orphaned-${table.replaceAll('_', '-')}`)),
    [],
  )
  const { body } = await daemon.call('POST /api/repair/clean-orphans', { body: { maxBatches: 100 } })
  t.is(body.status, 'complete')
  const kept = tables.filter(table => keepReason(table) !== undefined)
  const left = (body.details?.left ?? []) as { table: string; rows: number; why: string }[]
  t.deepEqual(left.map(({ table }) => table).sort(), kept.sort())
  for (const { table, why } of left) t.is(why, keepReason(table) ?? '')
  const { body: again } = await daemon.call('POST /api/repair/clean-orphans', { body: { dryRun: true } })
  t.is(again.affected, 0)
  const strange = tables.filter(
    table => !kept.includes(table) && raw.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined,
  )
  t.deepEqual(strange, [])
})

/** Inserts a row whose values occur in no other row. */
function insertOrphan(raw: Database, table: string, at: number): void {
  const columns = raw.pragma(`table_info(${table})`) as { name: string; type: string }[]
  const values = columns.map(({ name, type }, column) => {
    if (name === 'agent_id') return 'default'
    if (name === 'removed') return 0
    if (/INT|REAL/u.test(type)) return 1000 + 100 * at + column
    return type === 'BLOB' ? Buffer.alloc(4) : `gone ${name}`
  })
  const names = columns.map(({ name }) => `"${name}"`)
  raw
    .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
    .run(...values)
}
