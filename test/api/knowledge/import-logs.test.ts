import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { capture, transcriptOf } from '../../helpers/captures.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { openRaw } from '../../helpers/store.js'
import { startTeam } from '../../helpers/team.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'
import {
  beginImport,
  importReaching,
  importText,
  sealFile,
  uploadPart,
} from '../../helpers/transcript-imports.js'

const key = '5f0c1f0e-7c1a-4a55-9b1e-0d6f1f6d2a11'
const said = ['Where is the harbour crane?', 'At the quay.', 'Which colour has it?', 'It is red.']

/** A log of Claude Code. @param day date of its messages */
function logOf(texts: readonly string[], day = '2026-11-20'): string {
  return texts
    .map((text, at) => {
      const type = at % 2 === 0 ? 'user' : 'assistant'
      const timestamp = `${day}T09:00:0${at}.000Z`
      const message = { role: type, content: text }
      return `${JSON.stringify({ type, sessionId: key, cwd: '/home/ada/harbour', timestamp, message })}\n`
    })
    .join('')
}

const asTranscript = (texts: readonly string[]) =>
  texts.map((text, at) => `${at % 2 === 0 ? 'user' : 'assistant'}: ${text}`).join('\n\n')

function importLog(daemon: TestDaemon, text: string, fields: object = {}) {
  return importText(daemon, { text, fileId: `${key}.jsonl`, adapter: { adapter: 'claude-code', ...fields } })
}

function handOver(daemon: TestDaemon, texts: readonly string[]) {
  const transcript = texts.map((text, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', text }))
  return capture(daemon, { sessionKey: key, cwd: '/home/ada/harbour', transcript })
}

test('a session both captured and imported stays one transcript without duplicates', async t => {
  const daemon = await startDaemon(t)
  const adapter = { adapter: 'claude-code' } as const
  await handOver(daemon, said.slice(0, 2))
  // A capture after the start of an import is newer than the imported log.
  const jobId = await beginImport(daemon, adapter)
  await sealFile(daemon, { jobId, fileId: `${key}.jsonl`, bytes: Buffer.from(logOf(said.slice(0, 3))) })
  await handOver(daemon, said)
  await daemon.call('POST /api/sources/imports/:jobId/start', { params: { jobId } })
  t.like(await importReaching(daemon, jobId), { state: 'completed', imported: 0, duplicate: 1 })
  const later = [...said, 'Who painted it?', 'Nobody knows.']
  t.like(await importLog(daemon, logOf(later)), { imported: 1, messages: 2 })
  t.like(await importLog(daemon, logOf(later)), { duplicate: 1 })
  t.like(await importLog(daemon, logOf(said)), { duplicate: 1 }, 'an older log')
  const last = [...later, 'A pity.']
  await handOver(daemon, last)
  t.is(await transcriptOf(daemon, key), asTranscript(last))
  const raw = openRaw(t, daemon.paths.database)
  t.deepEqual(raw.prepare('SELECT count(*) AS n FROM transcript_messages').get(), { n: last.length })
  const { body } = await daemon.call('POST /api/sessions/search', { body: { query: 'crane colour' } })
  t.is(body.count, 1)
})

test('a changed log of a session replaces it; an older log of another conversation does not', async t => {
  const daemon = await startDaemon(t)
  await importLog(daemon, logOf(said))
  const rewound = [said[0] as string, 'I can not see it.', 'Look again.']
  t.like(await importLog(daemon, logOf(rewound)), { imported: 1, rejected: 0 })
  t.is(await transcriptOf(daemon, key), asTranscript(rewound))
  const raw = openRaw(t, daemon.paths.database)
  t.deepEqual(raw.prepare('SELECT count(*) AS n FROM transcript_messages').get(), { n: 3 })
  t.deepEqual(raw.prepare('SELECT count(*) AS n FROM transcript_import_bodies').get(), { n: 0 })
  const search = async (query: string) =>
    (await daemon.call('POST /api/sessions/search', { body: { query } })).body.count
  t.deepEqual([await search('colour'), await search('look again')], [0, 1])
  t.like(await importLog(daemon, logOf(['What is a dory?', 'A boat.'], '2025-01-01')), { rejected: 1 })
  t.is(await transcriptOf(daemon, key), asTranscript(rewound))
})

test('an import assigns its project to everything it stores, and skips bypassed sessions', async t => {
  const daemon = await startDaemon(t)
  t.like(await importLog(daemon, logOf(said), { project: 'harbour' }), { project: 'harbour', imported: 1 })
  const { body } = await daemon.call('POST /api/sessions/search', { body: { query: 'crane' } })
  t.is(body.hits[0]?.project, 'harbour')
  const other = '9d1c1f0e-7c1a-4a55-9b1e-0d6f1f6d2a99'
  await daemon.call('POST /api/hooks/session-start', { body: { harness: 'claude-code', sessionKey: other } })
  await daemon.call('POST /api/sessions/:key/bypass', { params: { key: other }, body: { enabled: true } })
  const silent = await importText(daemon, {
    text: logOf(said).replaceAll(key, other),
    fileId: `${other}.jsonl`,
    adapter: { adapter: 'claude-code' },
  })
  t.like(silent, { imported: 0, rejected: 1 })
  const { body: page } = await daemon.call('GET /api/sources/imports/:jobId/rejections', {
    params: { jobId: silent.id },
  })
  t.is(page.rejections[0]?.reason, 'session_bypassed')
  t.is(await transcriptOf(daemon, other), undefined)
})

test('logs of projects that rules of capture leave out are refused (sessions.md#capture-rules)', async t => {
  const rules = [{ exclude: { project: 'harbour' } }]
  const daemon = await startDaemon(t, { settings: { capture: { rules } } })
  const refused = await importLog(daemon, logOf(said), { project: 'harbour' })
  t.like(refused, { imported: 0, rejected: 1 })
  const { body } = await daemon.call('GET /api/sources/imports/:jobId/rejections', {
    params: { jobId: refused.id },
  })
  t.is(body.rejections[0]?.reason, 'capture_off')
  t.like(await importLog(daemon, logOf(said), { project: 'pier' }), { imported: 1 })
})

test('a log that names no folder is in the project of the folder it was uploaded with', async t => {
  const daemon = await startDaemon(t)
  const folder = join(temporaryFolder(t, 'memory-service-shop'), 'shöp')
  mkdirSync(folder)
  const log = logOf(said).replaceAll(',"cwd":"/home/ada/harbour"', '')
  const jobId = await beginImport(daemon, { adapter: 'claude-code' })
  const bytes = Buffer.from(log)
  const file = { jobId, fileId: `${key}.jsonl`, bytes, size: bytes.length }
  const broken = await uploadPart(daemon, { ...file, headers: { 'upload-folder': '%E0%A4%A' } })
  t.is(broken.status, 400)
  await uploadPart(daemon, { ...file, headers: { 'upload-folder': encodeURIComponent(folder) } })
  await sealFile(daemon, file)
  await daemon.call('POST /api/sources/imports/:jobId/start', { params: { jobId } })
  t.like(await importReaching(daemon, jobId), { imported: 1 })
  const { body } = await daemon.call('POST /api/sessions/search', { body: { query: 'crane' } })
  t.is(body.hits[0]?.project, folder)
})

test('the log of a fork brings only what is new in it (imports.md)', async t => {
  const daemon = await startDaemon(t)
  t.like(await importLog(daemon, logOf(said.slice(0, 2))), { imported: 1 })
  const fork = '9d1c1f0e-7c1a-4a55-9b1e-0d6f1f6d2a09'
  const text = logOf(said).replaceAll(key, fork)
  const imported = await importText(daemon, {
    text,
    fileId: `${fork}.jsonl`,
    adapter: { adapter: 'claude-code' },
  })
  t.like(imported, { imported: 1 })
  t.is(await transcriptOf(daemon, fork), 'user: Which colour has it?\n\nassistant: It is red.')
})

test('the folder of a log from another machine is not looked up on this one (imports.md)', async t => {
  const { call, admin, paths } = await startTeam(t)
  const shop = join(temporaryFolder(t, 'memory-service-shop'), 'shop')
  for (const inner of ['objects', 'src']) mkdirSync(join(shop, '.git', inner), { recursive: true })
  writeFileSync(join(shop, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(shop, '.git', 'config'), '[core]\n')
  const cwd = join(shop, 'src')
  const as = (headers: object) =>
    ({
      call: (address: never, request: { headers?: object }) =>
        call(address, { ...request, headers: { ...admin, ...headers, ...request.headers } } as never),
    }) as never
  const proxied = { 'x-forwarded-for': '203.0.113.9' }
  const projectOf = async (sessionKey: string, headers: object, refused?: object) => {
    const log = logOf(said, `2026-11-2${sessionKey.at(-1)}`)
    const bytes = Buffer.from(log.replaceAll(key, sessionKey).replaceAll('/home/ada/harbour', cwd))
    const jobId = await beginImport(as(headers), { adapter: 'claude-code' })
    const file = { jobId, fileId: `${sessionKey}.jsonl`, bytes }
    const stale = { ...file, size: bytes.length, generation: 7 }
    if (refused) t.is((await uploadPart(as(refused), stale)).body.code, 'stale_generation')
    await sealFile(as(headers), file)
    await call('POST /api/sources/imports/:jobId/start', { params: { jobId }, headers: admin })
    t.like(await importReaching(as(headers), jobId), { imported: 1 })
    const raw = openRaw(t, paths.database)
    return raw.prepare('SELECT project FROM transcripts WHERE session_key = ?').pluck().get(sessionKey)
  }
  t.is(await projectOf('9d1c1f0e-7c1a-4a55-9b1e-0d6f1f6d2a01', {}), shop)
  t.is(await projectOf('9d1c1f0e-7c1a-4a55-9b1e-0d6f1f6d2a02', proxied), cwd)
  // A refused import sets no project.
  t.is(await projectOf('9d1c1f0e-7c1a-4a55-9b1e-0d6f1f6d2a03', {}, proxied), shop)
})
