import { createHash } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import type { CallDaemon } from '../../../../src/cli/knowledge/import/upload-import.js'
import { importLogs, plannedImport } from '../../../../src/cli/sessions/import-logs.js'
import { pickLogs, type SessionLog, sessionLogsAt } from '../../../../src/cli/sessions/session-logs.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

const keys = ['a', 'b', 'c', 'd'].map(letter => `${letter.repeat(8)}-0000-4000-8000-000000000000`)

interface File {
  fileId: string
  upload_size: number
  upload_offset: number
  upload_generation: number
  sealed: boolean
}

interface Job {
  id: string
  adapter: string
  name: string
  project: string | null
  state: string
  removedAt: string | null
  files: File[]
}

/** A daemon that accepts every file, with a record of its requests. */
function fakeDaemon(jobs: Job[], live: readonly string[] = []) {
  const asked: string[] = []
  const find = (id: string) => jobs.find(job => job.id === id) as Job
  const call = async (address: string, request: Record<string, never> = {}) => {
    const { params, body } = request as { params?: { jobId: string; fileId: string }; body?: Partial<Job> }
    const [method = '', path = ''] = address.split(' ')
    const id = params?.jobId ?? ''
    if (method !== 'GET') asked.push([path.split('/').at(-1), params?.fileId ?? ''].join(' ').trim())
    if (path === '/api/sessions') return { sessions: live.map(key => ({ key, runtimePath: 'plugin' })) }
    if (address === 'POST /api/sources/imports') {
      const job = { files: [], state: 'staging', removedAt: null, project: null, ...body } as unknown as Job
      jobs.unshift({ ...job, id: `new${jobs.length}` })
      return jobs[0]
    }
    if (path === '/api/sources/imports') return { jobs }
    if (path.endsWith('/finalize')) return {}
    if (method === 'PATCH') {
      const { bytes, headers } = request as unknown as { bytes: Buffer; headers: Record<string, string> }
      const size = Number(headers['upload-length'])
      find(id).files.push({ ...file(params?.fileId ?? '', size), sealed: true })
      return { upload_offset: bytes.length }
    }
    if (path.endsWith('/start')) find(id).state = 'completed'
    if (path.endsWith('/cancel')) find(id).state = 'cancelled'
    if (path.endsWith('/rejections')) return { rejections: [], nextCursor: null }
    return { imported: 1, duplicate: 0, rejected: 0, messages: 2, leftOut: [], ...find(id) }
  }
  return { call: call as unknown as CallDaemon, asked }
}

const file = (fileId: string, size: number): File => ({
  fileId,
  upload_size: size,
  upload_offset: size,
  upload_generation: 0,
  sealed: true,
})

const job = (id: string, fields: Partial<Job>): Job => ({
  id,
  adapter: 'claude-code',
  name: 'other',
  project: null,
  state: 'completed',
  removedAt: null,
  files: [],
  ...fields,
})

async function createLogs(t: ExecutionContext): Promise<{ folder: string; found: SessionLog[] }> {
  const folder = temporaryFolder(t, 'logs')
  for (const [at, key] of keys.entries())
    writeFileSync(
      join(folder, `${key}.jsonl`),
      `{"sessionId":"${key}","timestamp":"2026-01-0${9 - at}T00:00:00.000Z"}\n`,
    )
  return {
    folder,
    found: await sessionLogsAt([folder], { from: 'claude-code', since: undefined, named: true }),
  }
}

const namesOf = (picked: readonly SessionLog[]) => picked.map(({ path }) => basename(path, '.jsonl'))

test('a log has the same name from every folder, and equal names stay distinct', async t => {
  const { folder, found } = await createLogs(t)
  t.deepEqual(namesOf(found), keys)
  t.deepEqual(
    found.map(({ fileId }) => fileId),
    keys.map(key => `${key}.jsonl`),
  )
  mkdirSync(join(folder, 'copy'))
  for (const name of [`${keys[0]}.jsonl`, 'notes.jsonl'])
    writeFileSync(join(folder, 'copy', name), '{"sessionId":"x"}\n')
  const more = await sessionLogsAt([folder], { from: 'claude-code', since: undefined, named: true })
  const ids = more.map(({ fileId }) => fileId)
  t.is(new Set(ids).size, 6)
  t.is(ids.filter(id => id.startsWith(`${keys[0]}.jsonl~`)).length, 2)
  t.true(ids.some(id => /^notes\.jsonl~[0-9a-f]{8}$/u.test(id)))
})

test('links are followed, and a packed log counts once with its plain copy', async t => {
  const root = temporaryFolder(t, 'logs')
  const rollout = (key: string) => `rollout-2026-01-02T10-00-00-${key}.jsonl`
  const [first, second, third] = keys as [string, string, string]
  for (const folder of ['home/sessions', 'disk']) mkdirSync(join(root, folder), { recursive: true })
  const line = (key: string) =>
    `{"timestamp":"2026-01-02T10:00:00.000Z","type":"session_meta","payload":{"id":"${key}","cwd":"/w/relay"}}\n`
  writeFileSync(join(root, 'home/sessions', rollout(first)), line(first))
  writeFileSync(join(root, 'home/sessions', `${rollout(first)}.gz`), gzipSync(line(first)))
  writeFileSync(join(root, 'home/sessions', `${rollout(second)}.gz`), gzipSync(line(second)))
  writeFileSync(join(root, 'home/sessions', `${rollout(second)}.txt`), '')
  writeFileSync(join(root, 'disk', rollout(third)), line(third))
  symlinkSync(join(root, 'disk'), join(root, 'home/sessions/linked'))
  const found = await sessionLogsAt([join(root, 'home')], { from: 'codex', since: undefined, named: true })
  t.deepEqual(found.map(({ sessionKey, fileId }) => [sessionKey, fileId]).sort(), [
    [first, rollout(first)],
    [second, `${rollout(second)}.gz`],
    [third, rollout(third)],
  ])
  await t.throwsAsync(
    sessionLogsAt([join(root, 'home')], { from: 'claude-code', since: undefined, named: true }),
    { message: /sessions of codex, not of claude-code/u },
  )
})

test('a session of Gemini CLI gets its folder from what lies beside it', async t => {
  const root = temporaryFolder(t, 'gemini')
  const hash = (folder: string) => createHash('sha256').update(folder).digest('hex')
  const log = (folder: string, kind = 'main') =>
    `{"sessionId":"${keys[0]}","projectHash":"${hash(folder)}","startTime":"2026-01-02T10:00:00.000Z","kind":"${kind}"}\n`
  const place = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  place('projects.json', JSON.stringify({ projects: { '/w/shop': 'shop', '/w/other': 'other' } }))
  place('tmp/shop/chats/session-1.jsonl', log('/w/shop'))
  place(`tmp/shop/chats/${keys[0]}/ab12.jsonl`, log('/w/shop'))
  place(`tmp/shop/chats/${keys[0]}/cd34.jsonl`, log('/w/shop', 'subagent'))
  place('tmp/shop/logs.json', '[]')
  place(`tmp/${hash('/w/other')}/chats/session-2.json`, log('/w/other'))
  place('tmp/moved/chats/session-3.jsonl', log('/w/elsewhere'))
  place('tmp/moved/.project_root', '/w/elsewhere\n')
  place('tmp/unknown/chats/session-4.jsonl', log('/w/nowhere'))
  const found = await sessionLogsAt([join(root, 'tmp')], { from: 'gemini', since: undefined, named: true })
  t.deepEqual(
    found.map(({ path, folder }) => [relative(join(root, 'tmp'), path), folder]).sort(),
    [
      [join(hash('/w/other'), 'chats/session-2.json'), '/w/other'],
      ['moved/chats/session-3.jsonl', '/w/elsewhere'],
      [`shop/chats/${keys[0]}/ab12.jsonl`, '/w/shop'],
      ['shop/chats/session-1.jsonl', '/w/shop'],
      ['unknown/chats/session-4.jsonl', undefined],
    ].sort(),
  )
})

test('a folder without logs is named, and so is what lies there instead', async t => {
  const root = temporaryFolder(t, 'takeout')
  const at = (...paths: string[]) =>
    sessionLogsAt(
      paths.map(path => join(root, path)),
      { from: 'gemini', since: undefined, named: true },
    )
  await t.throwsAsync(at('.'), { message: /^no sessions of gemini found at/u })
  const file = 'My Activity/Gemini Apps/MyActivity.json'
  mkdirSync(join(root, 'My Activity/Gemini Apps'), { recursive: true })
  writeFileSync(join(root, file), '[{"header":"Gemini Apps","title":"Prompted x"}]')
  for (const path of ['.', file]) {
    const error = await t.throwsAsync(at(path), { message: /is Google's export of Gemini/u })
    t.regex(JSON.stringify(error), /--from gemini-takeout/u)
  }
})

test('complete logs and logs of live sessions are skipped', async t => {
  const { found } = await createLogs(t)
  const [first, second, third] = found as [SessionLog, SessionLog, SessionLog]
  const { call } = fakeDaemon(
    [
      job('removed', { removedAt: '2026-01-01T00:00:00.000Z', files: [file(second.fileId, second.bytes)] }),
      job('elsewhere', { adapter: 'codex', files: [file(second.fileId, second.bytes)] }),
      job('newer', { files: [file(first.fileId, first.bytes), file(third.fileId, 1)] }),
      job('older', { files: [file(third.fileId, third.bytes)] }),
    ],
    [third.sessionKey],
  )
  const options = { from: 'claude-code', agent: undefined } as const
  const picked = await pickLogs(call, found, { ...options, all: false })
  t.deepEqual(namesOf(picked.wanted), [keys[1], keys[3]])
  t.like(picked, { unchanged: 1, live: 1 })
  const all = await pickLogs(call, found, { ...options, all: true })
  t.like(all, { unchanged: 0, live: 1 })
  t.like(plannedImport('claude-code', picked), { dryRun: true, sessions: 4, imported: 2 })
})

test('an interrupted import is finished first, and further logs go into a new one', async t => {
  const { folder, found } = await createLogs(t)
  const [first, second] = found as [SessionLog, SessionLog]
  const to = { from: 'claude-code', paths: [folder], agent: undefined, project: undefined } as const
  const jobs: Job[] = []
  const { call, asked } = fakeDaemon(jobs)
  const picked = { wanted: [first, second], unchanged: 0, live: 0 }
  await importLogs(call, to, picked)
  const name = jobs[0]?.name ?? ''
  // Files are uploaded side by side.
  t.is(asked.at(0), 'imports')
  t.is(asked.at(-1), 'start')
  t.deepEqual(
    asked.splice(0).slice(1, -1).sort(),
    [first, second].flatMap(({ fileId }) => [`:fileId ${fileId}`, `finalize ${fileId}`]).sort(),
  )
  jobs.splice(0, 1, job('begun', { name, state: 'staging', files: [file(first.fileId, 1)] }))
  const sum = await importLogs(call, to, picked)
  t.deepEqual(sum.imports, ['begun', 'new1'])
  t.deepEqual(
    jobs.find(({ id }) => id === 'new1')?.files.map(({ fileId }) => fileId),
    [first.fileId],
    'it has grown since it was sealed',
  )
})

test('an import that waits for an abandoned file is cancelled for a new one', async t => {
  const { folder, found } = await createLogs(t)
  const [first] = found as [SessionLog]
  const to = { from: 'claude-code', paths: [folder], agent: undefined, project: undefined } as const
  const jobs: Job[] = []
  const { call, asked } = fakeDaemon(jobs)
  await importLogs(call, to, { wanted: [first], unchanged: 0, live: 0 })
  const gone = { ...file('gone.jsonl', 9), sealed: false }
  jobs.splice(0, 1, job('begun', { name: jobs[0]?.name ?? '', state: 'staging', files: [gone] }))
  asked.splice(0)
  const sum = await importLogs(call, to, { wanted: [first], unchanged: 0, live: 0 })
  t.deepEqual(sum.imports, ['new1'])
  t.is(asked[0], 'cancel')
})
