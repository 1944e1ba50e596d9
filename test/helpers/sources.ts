import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import type { Reply } from '../../src/contract/api.js'
import { type TestDaemon, temporaryWorkspace } from './daemon.js'

type Source = Reply<'GET /api/sources/:sourceId'>

/** A folder of notes. @param notes texts by path */
export function vaultOf(t: ExecutionContext, notes: Readonly<Record<string, string>>): string {
  const root = join(temporaryWorkspace(t), 'vault')
  mkdirSync(join(root, '.obsidian'), { recursive: true })
  for (const [path, text] of Object.entries(notes)) putNote(root, path, text)
  return root
}

export function putNote(root: string, path: string, text: string): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Waits until the job of a source has ended. @returns the source */
export async function settledSource(
  { call }: Pick<TestDaemon, 'call'>,
  sourceId: string,
  isSettled = ({ indexJob }: Source) => !['queued', 'running'].includes(indexJob?.status ?? 'queued'),
): Promise<Source> {
  for (;;) {
    const { body, status } = await call('GET /api/sources/:sourceId', { params: { sourceId } })
    if (status !== 200) throw new Error(`source ${sourceId}: ${body.error}`)
    if (isSettled(body)) return body
    await delay(20)
  }
}

/** Repeats the removal of a source until it is complete: a busy machine answers 202 before that. */
export async function removeWholly({ call }: Pick<TestDaemon, 'call'>, sourceId: string): Promise<void> {
  while ((await call('DELETE /api/sources/:sourceId', { params: { sourceId } })).status === 202)
    await delay(20)
}

/** Registers a vault and waits until it is read. */
export async function readVault(daemon: Pick<TestDaemon, 'call'>, path: string): Promise<Source> {
  const { status, body } = await daemon.call('POST /api/sources/notevault', { body: { path } })
  if (status !== 200) throw new Error(`POST /api/sources/notevault answered ${status}: ${body.error}`)
  return settledSource(daemon, body.source.id)
}

/** Reads a source again and waits until that is done. */
export async function readAgain(daemon: Pick<TestDaemon, 'call'>, sourceId: string): Promise<Source> {
  const { status, body } = await daemon.call('POST /api/sources/:sourceId/sync', {
    params: { sourceId },
    body: {},
  })
  if (status !== 202) throw new Error(`POST /api/sources/:sourceId/sync answered ${status}: ${body.error}`)
  return settledSource(daemon, sourceId)
}

/** Paths of the artifacts of a source. */
export async function pathsOf({ call }: Pick<TestDaemon, 'call'>, sourceId: string): Promise<string[]> {
  const { body } = await call('GET /api/sources/:sourceId/artifacts', {
    params: { sourceId },
    query: { limit: 500 },
  })
  return body.artifacts.map(({ sourcePath }) => sourcePath)
}
