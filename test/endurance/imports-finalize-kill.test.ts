import { randomBytes } from 'node:crypto'
import test from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { killsOr } from '../helpers/kills.js'
import { openRaw } from '../helpers/store.js'

const mib = 1024 * 1024
const kills = killsOr(4)

interface FileRow {
  upload_offset: number
  sealed_at: string | null
}

test('a kill -9 during the verification or sealing of an upload loses nothing: finalize can be repeated (imports.md#uploads)', async t => {
  const workspace = temporaryWorkspace(t)
  const start = async () => {
    const daemon = spawnDaemon(t, workspace, { SERVICE_LOG_LEVEL: 'silent' })
    return { ...daemon, url: (await daemon.ready()).url }
  }
  let daemon = await start()
  const ask = (method: string, path: string, body?: string | Buffer) =>
    fetch(`${daemon.url}/api/sources/imports${path}`, {
      method,
      ...(body && { body: body as string }),
      headers: { 'content-type': 'application/json' },
    })
  const job = await ask('POST', '', JSON.stringify({ adapter: 'service-export', adapterVersion: 1 }))
  const { id } = (await job.json()) as { id: string }
  const raw = openRaw(t, workspacePaths(workspace).database)
  const row = (fileId: string) =>
    raw
      .prepare<[string], FileRow>('SELECT * FROM transcript_import_files WHERE file_id = ?')
      .get(fileId) as FileRow
  const met = { unsealed: 0, sealed: 0 }
  for (let kill = 0; kill < kills; kill++) {
    const file = `/${id}/files/f${kill}`
    const bytes = randomBytes(6 * mib + kill)
    t.is((await ask('PUT', file, bytes)).status, 200)
    const asked = ask('POST', `${file}/finalize`).catch(() => undefined)
    // Kills alternate between the verification of the bytes and the time after the row is sealed.
    if (kill % 2 === 0) await isOnItsWay(daemon.url)
    else await until(() => row(`f${kill}`).sealed_at !== null)
    daemon.child.kill('SIGKILL')
    await Promise.all([asked, daemon.exited])
    const { sealed_at, upload_offset } = row(`f${kill}`)
    met[sealed_at === null ? 'unsealed' : 'sealed']++
    t.is(upload_offset, bytes.length)
    daemon = await start()
    const again = await ask('POST', `${file}/finalize`)
    t.like([again.status, ((await again.json()) as { sealed: boolean }).sealed], [200, true])
    if (sealed_at !== null) t.is(row(`f${kill}`).sealed_at, sealed_at, 'a sealed file stays unchanged')
    const content = await ask('GET', `${file}/content`)
    t.true(Buffer.from(await content.arrayBuffer()).equals(bytes))
  }
  t.true(met.unsealed > 0 && met.sealed > 0, JSON.stringify(met))
  t.log(met)
  const sources = raw.prepare("SELECT count(*) AS n FROM sources WHERE kind = 'import'").get()
  t.deepEqual(sources, { n: 1 }, 'registered once')
})

/** A later request has been answered, so the daemon has started the earlier one. */
async function isOnItsWay(url: string): Promise<void> {
  await (await fetch(`${url}/health`)).text()
}
