import type { TestDaemon } from './daemon.js'
import { beginImport, exportedLine, importText } from './transcript-imports.js'

/** Runs one import from start to end, and cancels another. */
export async function imports(daemon: TestDaemon): Promise<void> {
  const { call, url } = daemon
  const text = `${exportedLine('s8', ['harbour crane', 'yes'])}\nno json\n`
  const { id: jobId } = await importText(daemon, { text })
  await importText(daemon, { text })
  const params = { jobId }
  await call('GET /api/sources/imports', { query: { agentId: 'maya' } })
  await call('GET /api/sources/imports/:jobId/rejections', { params })
  await call('GET /api/sources/imports/:jobId/reconciliation', { params })
  const file = { jobId, fileId: 'a.jsonl' }
  await call('GET /api/sources/imports/:jobId/files/:fileId/content', { params: file })
  await fetch(
    `${url}/api/sources/imports/export/transcripts?harness=codex&since=2020-01-01T00:00:00.000Z&until=2040-01-01T00:00:00.000Z`,
  )
  const given = { jobId: await beginImport(daemon) }
  const bytes = Buffer.alloc(10)
  const other = { ...given, fileId: 'b' }
  await call('PUT /api/sources/imports/:jobId/files/:fileId', {
    params: other,
    bytes,
    headers: { 'upload-length': '10' },
  })
  await call('POST /api/sources/imports/:jobId/files/:fileId/reset', { params: other })
  for (const step of ['pause', 'resume', 'retry', 'cancel'] as const)
    await call(`POST /api/sources/imports/:jobId/${step}`, { params: given })
}
