import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/**
 * Writes the code cache of a CLI bundle by running a recall against a fake daemon, since its start time
 * matters most. The cache contains the functions that it runs; others compile on first use.
 */
export async function warmCodeCache(root, bundle) {
  const workspace = await mkdtemp(join(tmpdir(), 'memory-service-warm-'))
  const server = createServer(answer).listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const registration = { pid: process.pid, host: '127.0.0.1', port: server.address().port, version }
    await mkdir(join(workspace, '.daemon'))
    await writeFile(join(workspace, '.daemon', 'daemon.json'), JSON.stringify(registration))
    await runOnce(root, bundle, workspace)
    const files = await readdir(dirname(bundle))
    if (!files.some(file => file.startsWith(`${basename(bundle)}.`) && file.endsWith('.cache')))
      throw new Error(`no code cache was written for ${bundle}`)
  } finally {
    server.close()
    await rm(workspace, { recursive: true, force: true })
  }
}

function answer(request, response) {
  request.resume()
  const meta = { totalReturned: 1, hasSupplementary: false, noHits: false, timings: {} }
  const row = {
    id: '1',
    content: 'warm',
    score: 0.5,
    type: 'fact',
    tags: 'a',
    created_at: '2026-01-01T00:00:00.000Z',
  }
  response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'warm' })
  response.end(JSON.stringify({ results: [row], query: 'warm', method: 'hybrid', meta }))
}

async function runOnce(root, bundle, workspace) {
  const child = spawn(process.execPath, [join(root, 'scripts', 'run-cached.js'), bundle, 'recall', 'warm'], {
    env: { ...process.env, SERVICE_WORKSPACE: workspace, SERVICE_DAEMON_URL: '', SERVICE_NO_AUTOSTART: '1' },
    stdio: 'ignore',
  })
  await once(child, 'exit')
}
