import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { openRaw } from '../../helpers/store.js'
import { beginImport, exportedLine, importReaching, sealFile } from '../../helpers/transcript-imports.js'

test('a clock set back, even during a restart, neither blocks an import nor loses its data (imports.md#states)', async t => {
  let now = Date.parse('2026-03-01T12:00:00Z')
  const clock = () => new Date(now)
  const first = await startDaemon(t, { clock })
  const count = 600
  const lines = Array.from({ length: count }, (_, n) =>
    exportedLine(`s${n}`, [`crane ${n} ${'lifts containers '.repeat(60)}`, 'at the quay']),
  )
  const jobId = await beginImport(first)
  await sealFile(first, { jobId, bytes: Buffer.from(lines.join('\n')) })
  const params = { jobId }
  await first.call('POST /api/sources/imports/:jobId/start', { params })
  const importedBy = async (daemon: typeof first) =>
    (await daemon.call('GET /api/sources/imports/:jobId', { params })).body.imported
  await until(async () => (await importedBy(first)) > 0 || undefined)
  now -= 3_600_000
  const before = await importedBy(first)
  await until(async () => (await importedBy(first)) > before || undefined)
  await first.stop()
  const raw = openRaw(t, first.paths.database)
  const { imported } =
    raw.prepare<[], { imported: number }>('SELECT imported FROM transcript_imports').get() ?? {}
  t.true(imported !== undefined && imported < count, 'it was running')
  now -= 3_600_000
  const second = await startDaemon(t, { clock, workspace: first.paths.root })
  const counts = { total: count, imported: count, duplicate: 0, rejected: 0, pending: 0 }
  t.like(await importReaching(second, jobId), { state: 'completed', ...counts })
})
