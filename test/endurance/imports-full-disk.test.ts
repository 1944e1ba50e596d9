import { createHash, randomBytes } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { limitFiles, whereLimits } from '../helpers/limited-files.js'
import { openRaw } from '../helpers/store.js'
import { exportedLine } from '../helpers/transcript-imports.js'

const mib = 1024 * 1024

interface DaemonReply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: replies of any route
  body: any
}

/** Starts a daemon with an import that accepts files. */
async function scene(t: ExecutionContext) {
  const workspace = temporaryWorkspace(t)
  const daemon = spawnDaemon(t, workspace, { SERVICE_LOG_LEVEL: 'silent' })
  const { url } = await daemon.ready()
  const ask = async (method: string, path: string, init: RequestInit = {}): Promise<DaemonReply> => {
    const reply = await fetch(url + path, { method, ...init })
    return { status: reply.status, body: await reply.json() }
  }
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ adapter: 'service-export', adapterVersion: 1 })
  const { id } = (await ask('POST', '/api/sources/imports', { headers, body })).body
  const path = `/api/sources/imports/${id}`
  const patch = (bytes: Buffer, offset: number) => {
    const part = bytes.subarray(offset, offset + mib)
    return ask('PATCH', `${path}/files/a`, {
      body: part as Uint8Array<ArrayBuffer>,
      headers: {
        'upload-length': String(bytes.length),
        'upload-offset': String(offset),
        'upload-checksum': createHash('sha256').update(part).digest('hex'),
      },
    })
  }
  const isReady = (wanted: boolean) =>
    until(async () => ((await fetch(`${url}/health/ready`)).ok === wanted ? true : undefined))
  const seal = () => ask('POST', `${path}/files/a/finalize`)
  return { workspace, url, ask, path, patch, seal, isReady, pid: daemon.child.pid as number }
}

test(
  'a disk that fills during an upload part refuses it with 507, and the upload continues from its offset (imports.md#uploads)',
  whereLimits(async t => {
    const { url, ask, path, patch, seal, isReady, pid } = await scene(t)
    const bytes = randomBytes(4 * mib + 77)
    t.is((await patch(bytes, 0)).status, 200)
    t.is((await patch(bytes, mib)).status, 200)
    t.is((await patch(bytes, 2 * mib)).status, 200)
    // Half of the next part fits.
    limitFiles(pid, String(3.5 * mib))
    t.like(await patch(bytes, 3 * mib), { status: 507, body: { code: 'insufficient_storage' } })
    t.is((await ask('GET', path)).body.files[0].upload_offset, 3 * mib)
    limitFiles(pid, '0')
    t.like(await patch(bytes, 3 * mib), { status: 507, body: { code: 'insufficient_storage' } })
    t.like(await seal(), { status: 409 })
    limitFiles(pid, 'unlimited')
    await isReady(true)
    t.is((await patch(bytes, 3 * mib)).body.upload_offset, 4 * mib)
    t.is((await patch(bytes, 4 * mib)).body.upload_offset, bytes.length)
    t.like(await seal(), { status: 200, body: { sealed: true } })
    const content = await fetch(`${url}${path}/files/a/content`)
    t.true(Buffer.from(await content.arrayBuffer()).equals(bytes))
  }),
)

test(
  'a disk that fills during an import loses nothing, and the import continues by itself (imports.md#states)',
  whereLimits(async t => {
    const { workspace, url, ask, path, patch, seal, isReady, pid } = await scene(t)
    const count = 600
    const lines = Array.from({ length: count }, (_, n) =>
      exportedLine(`s${n}`, [`crane ${n} ${'lifts containers '.repeat(80)}`, 'at the quay']),
    )
    const bytes = Buffer.from(lines.join('\n'))
    for (let at = 0; at < bytes.length; at += mib) t.is((await patch(bytes, at)).status, 200)
    t.is((await seal()).status, 200)
    t.is((await ask('POST', `${path}/start`)).status, 200)
    const look = async () => (await ask('GET', path)).body
    await until(async () => (await look()).imported > 0 || undefined)
    limitFiles(pid, '0')
    await isReady(false)
    const met = await look()
    t.true(met.imported < count, 'the import was still running')
    t.is(met.imported + met.duplicate + met.rejected + met.pending, met.total)
    t.true((await fetch(`${url}/api/sources/imports`)).ok, 'reads still work')
    limitFiles(pid, 'unlimited')
    await until(async () => (await look()).state === 'completed' || undefined)
    t.like(await look(), { total: count, imported: count, duplicate: 0, rejected: 0, pending: 0 })
    const raw = openRaw(t, workspacePaths(workspace).database)
    const messages = raw.prepare('SELECT count(*) AS n FROM transcript_messages').get()
    t.deepEqual(messages, { n: 2 * count })
  }),
)
