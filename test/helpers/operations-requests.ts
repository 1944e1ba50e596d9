import type { TestDaemon } from './daemon.js'

/** Asks every route of git and of updates. */
export async function operations(daemon: TestDaemon): Promise<void> {
  await git(daemon)
  await updates(daemon)
}

async function git({ call }: TestDaemon): Promise<void> {
  await call('POST /api/git/init', { body: { dryRun: true } })
  for (const address of ['GET /api/git/status', 'GET /api/git/config'] as const) await call(address)
  for (const name of ['pull', 'push', 'sync'] as const) await call(`POST /api/git/${name}`)
  await call('POST /api/git/config', { body: {} })
}

async function updates({ call }: TestDaemon): Promise<void> {
  for (const address of ['GET /api/update/check', 'GET /api/update/config', 'POST /api/update/run'] as const)
    await call(address)
  await call('POST /api/update/config', { body: {} })
}
