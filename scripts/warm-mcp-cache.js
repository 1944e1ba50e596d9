import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const messages = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'build', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/list' },
]

/** Writes the code cache of the stdio server by letting it answer what every client asks at its start. */
export async function warmMcpCache(root, bundle) {
  const workspace = await mkdtemp(join(tmpdir(), 'memory-service-warm-'))
  try {
    const loader = pathToFileURL(join(root, 'bin', 'load-cached.js')).href
    const program = `import { loadCached } from ${JSON.stringify(loader)}
      const { main } = loadCached(new URL(${JSON.stringify(pathToFileURL(bundle).href)}))
      process.exit(await main([]))`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      env: {
        ...process.env,
        SERVICE_WORKSPACE: workspace,
        SERVICE_DAEMON_URL: '',
        SERVICE_NO_AUTOSTART: '1',
      },
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    child.stdin.end(messages.map(message => `${JSON.stringify(message)}\n`).join(''))
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`the MCP server ended with ${code} while its code cache was made`)
  } finally {
    await rm(workspace, { recursive: true, force: true })
  }
}
