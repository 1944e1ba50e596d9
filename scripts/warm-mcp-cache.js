import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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

/**
 * Writes the code cache of the stdio server by sending it the requests that every client sends at its start.
 */
export async function warmMcpCache(root, bundle) {
  const workspace = await mkdtemp(join(tmpdir(), 'memory-service-warm-'))
  try {
    const child = spawn(process.execPath, [join(root, 'scripts', 'run-cached.js'), bundle], {
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
