import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What is asked of a fresh daemon first. */
const requests = [
  ['/api/memory/remember', { content: 'the build made a code cache' }],
  ['/api/memory/recall', { query: 'code cache' }],
]

const longestMs = 60_000

/**
 * Writes the code cache of the daemon's bundle by starting it once, on an empty workspace, for a save and a recall.
 * @param next is given the files of that workspace afterwards.
 */
export async function warmDaemonCache(root, bundle, next) {
  const workspace = await mkdtemp(join(tmpdir(), 'memory-service-warm-'))
  try {
    const inBin = name => JSON.stringify(pathToFileURL(join(root, 'bin', name)).href)
    const registration = join(workspace, '.daemon', 'daemon.json')
    const program = `import { readFileSync } from 'node:fs'
      import { loadCached } from ${inBin('load-cached.js')}
      const whenToSave = async ({ started }, save) => {
        await started
        const { port } = JSON.parse(readFileSync(${JSON.stringify(registration)}, 'utf8'))
        for (const [path, body] of ${JSON.stringify(requests)}) {
          const headers = { 'content-type': 'application/json' }
          const init = { method: 'POST', headers, body: JSON.stringify(body) }
          const answer = await fetch('http://127.0.0.1:' + port + path, init)
          if (!answer.ok) throw new Error(path + ' answered ' + answer.status)
        }
        save()
        // Not kill: on Windows that ends a process without a word to it.
        process.emit('SIGTERM')
      }
      loadCached(new URL(${JSON.stringify(pathToFileURL(bundle).href)}), { whenToSave, byTag: true })`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      env: {
        ...process.env,
        SERVICE_WORKSPACE: workspace,
        SERVICE_PORT: '0',
        SERVICE_HOST: '127.0.0.1',
        SERVICE_EMBEDDING_DOWNLOAD: '0',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: longestMs,
    })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`the daemon ended with ${code} while its code cache was made`)
    await next({
      database: join(workspace, 'memory', 'memories.db'),
      snapshot: join(workspace, '.daemon', 'index.snapshot'),
    })
  } finally {
    await rm(workspace, { recursive: true, force: true })
  }
}
