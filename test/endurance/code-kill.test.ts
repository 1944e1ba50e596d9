import { cpSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import {
  edgesIn,
  filesIn,
  indexHere,
  putCode,
  refusedIn,
  symbolsIn,
  unboundIn,
} from '../helpers/code-project.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { killsOr } from '../helpers/kills.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const kills = killsOr(2)
const files = 200

/** Each file uses the next one, and names that no file defines. */
const code = Object.fromEntries(
  Array.from({ length: files }, (_, at) => [
    `part${at % 12}/f${at}.ts`,
    `import { f${at + 1} } from '../part${(at + 1) % 12}/f${at + 1}.js'
export class C${at} { run${at}() { return elsewhere${at % 7}(f${at + 1}(), ${at}) } }
export function f${at}() { return new C${at}().run${at}() }
`,
  ]),
)

test('kills during indexing leave the same rows as an undisturbed run (code-index.md 35)', async t => {
  const root = temporaryFolder(t, 'memory-killed')
  const undisturbed = temporaryFolder(t, 'memory-killed')
  putCode(root, code)
  cpSync(root, undisturbed, { recursive: true })
  await indexHere(undisturbed)
  const workspace = temporaryWorkspace(t)
  const environment = { SERVICE_NO_AUTOSTART: '1' }
  let running = spawnDaemon(t, workspace, environment)
  let url = (await running.ready()).url
  const send = async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${url}${path}`, {
      method,
      ...(body && { headers, body: JSON.stringify(body) }),
    })
    return (await reply.json()) as { job: { state: string; done: number; phase: string | null } }
  }
  await send('PATCH', '/api/plugins/service.codeindex', { enabled: true })
  await send('POST', '/api/code/index', { project: root, named: true })
  // Queries fail while the database's tables are still being created.
  const isRead = (count: number): boolean => {
    try {
      return filesIn(root) >= count
    } catch {
      return false
    }
  }
  for (let kill = 1; kill <= kills; kill++) {
    while (!isRead(Math.floor((files * kill) / (kills + 1)))) await delay(5)
    running.child.kill('SIGKILL')
    await running.exited
    running = spawnDaemon(t, workspace, environment)
    url = (await running.ready()).url
  }
  const status = `/api/code/status?project=${encodeURIComponent(root)}`
  const job = await until(async () => {
    const { job } = await send('GET', status)
    return ['done', 'failed', 'cancelled'].includes(job.state) ? job : undefined
  })
  t.is(job.state, 'done')
  for (const rows of [symbolsIn, edgesIn, refusedIn, unboundIn]) t.deepEqual(rows(root), rows(undisturbed))
  t.is(filesIn(root), files)
})
