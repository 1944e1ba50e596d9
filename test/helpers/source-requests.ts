import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { TestDaemon } from './daemon.js'
import { putNote, readAgain, readVault, settledSource, vaultOf } from './sources.js'

/** A vault whose notes change, disappear and come back. */
export async function vault(t: ExecutionContext, daemon: TestDaemon): Promise<void> {
  const { call } = daemon
  const path = vaultOf(t, { 'a.md': '# Harbour\n\nthe crane, see [[b]]', 'b.md': 'the quay' })
  const { id: sourceId } = await readVault(daemon, path)
  const params = { sourceId }
  await call('GET /api/sources')
  await call('GET /api/sources', { query: { agentId: 'maya' } })
  await call('GET /api/sources/:sourceId', { params })
  await call('GET /api/sources/:sourceId/health', { params })
  await call('GET /api/sources/:sourceId/artifacts', { params, query: { limit: 5, offset: 1 } })
  for (const filter of [{}, { sourceId }, { kind: 'notevault' }, { agentId: 'maya' }])
    await call('POST /api/sources/search', { body: { query: 'harbour crane', ...filter } })
  await call('POST /api/memory/recall', { body: { query: 'harbour crane' } })
  rmSync(join(path, 'b.md'))
  putNote(path, 'a.md', '# Harbour\n\nno crane any more')
  await readAgain(daemon, sourceId)
  await call('POST /api/sources/:sourceId/pause', { params })
  await call('POST /api/sources/:sourceId/resume', { params })
  await settledSource(daemon, sourceId)
  await call('DELETE /api/sources/:sourceId', { params })
}

/** Repositories without a stored token, so that GitHub is never called. */
export async function repositories(daemon: TestDaemon): Promise<void> {
  const body = { repos: ['octo/site'], tokenRef: 'NOT_STORED' }
  const { body: added } = await daemon.call('POST /api/sources/coderepo', { body })
  await settledSource(daemon, added.source.id)
}

/** A Discord server without a stored token, so that Discord is never called. */
export async function guilds(daemon: TestDaemon): Promise<void> {
  const { call } = daemon
  const { body } = await call('POST /api/sources/chatguild', {
    body: { guildIds: ['700000000000000001'], tokenRef: 'DISCORD_TOKEN' },
  })
  const { id: sourceId } = await settledSource(daemon, body.source.id)
  await call('GET /api/sources/:sourceId/health', { params: { sourceId } })
  await call('DELETE /api/sources/:sourceId', { params: { sourceId } })
}
