import { existsSync, readdirSync } from 'node:fs'
import { join as joinPaths } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { sweepUploads } from '../../../../src/daemon/knowledge/transcript-import/uploads/uploads-here.js'
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.js'
import { until } from '../../../helpers/daemon-process.js'
import { askServer, ownDatabase } from '../../../helpers/postgres.js'
import {
  beginImport,
  exportedLine,
  importReaching,
  sealFile,
  uploadPart,
} from '../../../helpers/transcript-imports.js'

function join(t: ExecutionContext, postgres: string, workspace?: string): Promise<TestDaemon> {
  const settings = { storage: { postgres, shared: true } }
  return startDaemon(t, { settings, ...(workspace && { workspace }) })
}

const text = [1, 2, 3]
  .map(n => exportedLine(`crane-${n}`, [`what does crane ${n} lift?`, 'steel']))
  .join('\n')

/** An import with all its bytes, which has not been started. */
async function uploaded(daemon: TestDaemon): Promise<string> {
  const jobId = await beginImport(daemon)
  await sealFile(daemon, { jobId, bytes: Buffer.from(text) })
  return jobId
}

test('an import of a daemon that was killed goes on when it starts again, also while others serve', async t => {
  const url = await ownDatabase(t)
  const a = await join(t, url)
  const [b, jobId, node] = [await join(t, url), await uploaded(a), a.daemon.store.tables.nodes.own]
  await a.stop()
  // As a kill leaves them.
  await askServer(
    url,
    `UPDATE memory.transcript_imports SET state = 'active', attempts = 1 WHERE id = '${jobId}'`,
  )
  await askServer(
    url,
    `INSERT INTO memory.jobs (id, kind, subject, status, attempts, max_attempts, leased_at, run_after, created_at,
      updated_at, payload, node, leased_by)
     VALUES ('left', 'transcript-import', '${jobId}', 'leased', 1, 9, '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '{}', '${node}', '${node}')`,
  )
  await join(t, url, a.paths.root)
  t.like(await importReaching(b, jobId), { state: 'completed', imported: 3 })
})

test('files of an import are taken and read by the daemon that has them; others refuse and change nothing', async t => {
  const url = await ownDatabase(t)
  const [a, b] = [await join(t, url), await join(t, url)]
  const jobId = await uploaded(a)
  const params = { jobId, fileId: 'a.jsonl' }
  const before = (await a.call('GET /api/sources/imports/:jobId', { params })).body
  const more = { jobId, fileId: 'b.jsonl', bytes: Buffer.from(text), size: text.length }
  const refused = [
    await uploadPart(b, more),
    await b.call('POST /api/sources/imports/:jobId/start', { params }),
    await b.call('GET /api/sources/imports/:jobId/files/:fileId/content', { params }),
  ]
  for (const { status, body } of refused) {
    t.is(status, 409)
    t.regex((body as { error: string }).error, /another daemon of this database has the files/)
  }
  t.deepEqual((await b.call('GET /api/sources/imports/:jobId', { params })).body, before)
  t.false(existsSync(joinPaths(b.paths.imports, jobId)))
  t.is((await uploadPart(a, more)).status, 200)
  t.is(
    (
      await a.call('POST /api/sources/imports/:jobId/files/:fileId/finalize', {
        params: { jobId, fileId: 'b.jsonl' },
      })
    ).status,
    200,
  )
  await a.call('POST /api/sources/imports/:jobId/start', { params })
  t.is((await importReaching(b, jobId)).state, 'completed')
})

test('an import that one daemon cancels leaves no bytes of its uploads at another one', async t => {
  const url = await ownDatabase(t)
  const [a, b] = [await join(t, url), await join(t, url)]
  const jobId = await beginImport(a)
  await uploadPart(a, { jobId, bytes: Buffer.alloc(65_536, 'x'), size: 70_000 })
  const folder = joinPaths(a.paths.imports, jobId)
  t.is(readdirSync(folder).length, 1)
  t.is(
    (await b.call('POST /api/sources/imports/:jobId/cancel', { params: { jobId } })).body.state,
    'cancelled',
  )
  await sweepUploads(a.daemon)
  t.deepEqual(readdirSync(folder), [])
})

test('a conversation imported at two daemons at once is stored once, and counted so', async t => {
  const url = await ownDatabase(t)
  const all = [await join(t, url), await join(t, url)]
  const bytes = Buffer.from(exportedLine('quay', ['who moors at the quay?', 'a barge']))
  const jobs = await Promise.all(
    all.map(async daemon => {
      const jobId = await beginImport(daemon)
      await sealFile(daemon, { jobId, bytes })
      return { daemon, jobId }
    }),
  )
  const letGo = await holdTable(t, url, 'transcripts')
  for (const { daemon, jobId } of jobs)
    await daemon.call('POST /api/sources/imports/:jobId/start', { params: { jobId } })
  const judged = 'SELECT count(DISTINCT job_id)::int AS jobs FROM memory.transcript_import_bodies'
  await until(async () => (await askServer(url, judged))[0]?.jobs === 2)
  await letGo()
  const ends = await Promise.all(jobs.map(({ daemon, jobId }) => importReaching(daemon, jobId)))
  t.deepEqual(ends.map(({ imported, duplicate }) => imported * 10 + duplicate).sort(), [1, 10])
  const [stored] = await askServer(
    url,
    `SELECT (SELECT count(*)::int FROM memory.transcripts) AS transcripts,
      (SELECT count(DISTINCT body_id)::int FROM memory.transcript_messages) AS bodies`,
  )
  t.deepEqual(stored, { transcripts: 1, bodies: 1 })
})

/** Lets others read a table but not write it; returns what ends that. */
async function holdTable(t: ExecutionContext, url: string, table: string): Promise<() => Promise<unknown>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())
  await client.query(`BEGIN; LOCK TABLE memory.${table} IN EXCLUSIVE MODE`)
  return () => client.query('COMMIT')
}
