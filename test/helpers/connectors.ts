import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import type { Reply } from '../../src/contract/api.js'
import type { TestDaemon } from './daemon.js'
import { temporaryFolder } from './temporary-folder.js'

export type ShownConnector = Reply<'GET /api/connectors/:id'>
type Caller = Pick<TestDaemon, 'call'>

/** An hour ago: a sync rereads files that changed just before it, so test files are older. */
const settled = new Date(Date.now() - 3_600_000)

export interface Folder {
  root: string
  /** Writes a file dated an hour ago. @returns its absolute path */
  put(path: string, text: string, changed?: Date): string
}

export function notesFolder(t: ExecutionContext, files: Readonly<Record<string, string>> = {}): Folder {
  const root = temporaryFolder(t, 'notes')
  const put: Folder['put'] = (path, text, changed = settled) => {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    utimesSync(file, changed, changed)
    return file
  }
  for (const [path, text] of Object.entries(files)) put(path, text)
  return { root, put }
}

/** Registers a folder. @returns the id of its connector */
export async function connect({ call }: Caller, rootPath: string, settings: object = {}): Promise<string> {
  const body = { provider: 'filesystem' as const, settings: { rootPath, ...settings } }
  return (await call('POST /api/connectors', { body })).body.id
}

/** Synchronises a connector and waits until the sync has ended and every document is read. */
export async function synchronise(
  { call }: Caller,
  id: string,
  { full = false }: { full?: boolean } = {},
): Promise<ShownConnector> {
  const params = { id }
  if (full) await call('POST /api/connectors/:id/sync/full', { params, query: { confirm: 'true' } })
  else await call('POST /api/connectors/:id/sync', { params })
  return settledConnector({ call }, id)
}

/** Waits until a connector is idle. */
export async function settledConnector({ call }: Caller, id: string): Promise<ShownConnector> {
  for (;;) {
    const { body } = await call('GET /api/connectors/:id', { params: { id }, query: { details: true } })
    if (body.status !== 'syncing' && body.details?.documents.reading === 0) return body
    await delay(20)
  }
}
