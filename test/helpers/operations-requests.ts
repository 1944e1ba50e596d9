import type { TestDaemon } from './daemon.js'

/** Asks everything about how the daemon does. */
export async function askDiagnostics({ call }: Pick<TestDaemon, 'call'>): Promise<void> {
  for (const address of [
    'GET /api/diagnostics',
    'GET /api/diagnostics/workloads',
    'GET /api/diagnostics/transcript-capture',
    'GET /api/diagnostics/memory-content-safety',
    'GET /api/diagnostics/database/schema',
  ] as const)
    await call(address, { query: { agentId: 'default' } })
  await call('GET /api/diagnostics/:domain', { params: { domain: 'composite' } })
  await call('GET /api/diagnostics/database/tables/:table/sample', { params: { table: 'memories' } })
}

/** Does everything with the repository of the workspace. */
export async function askGit({ call }: Pick<TestDaemon, 'call'>): Promise<void> {
  await call('POST /api/git/init', { body: { dryRun: true } })
  for (const address of ['GET /api/git/status', 'GET /api/git/config'] as const) await call(address)
  for (const name of ['pull', 'push', 'sync'] as const) await call(`POST /api/git/${name}`)
  await call('POST /api/git/config', { body: {} })
}
