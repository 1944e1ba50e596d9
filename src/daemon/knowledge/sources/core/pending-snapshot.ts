import { createReadStream } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { sourceKind } from '../../../../contract/ground/wire-names.js'
import type { SnapshotArtifact } from '../../../../contract/knowledge/sources/source-snapshot.js'
import { hashInSlices } from '../../../../lib/files/hash-in-slices.js'
import type { SourceRow } from '../../../../store/tables/knowledge/sources.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { type KindDeps, kindOf, type Pass, type ReadArtifact, type SourceEvent } from './kind.js'

/** A complete, checked snapshot that waits to be imported. Its file stays until all of it is written. */
export interface PendingSnapshot {
  file: string
  /** True if artifacts of local chat caches are imported too and replace the local ones. */
  withLocal: boolean
}

const pageSize = 500

/**
 * Returns the file where a source's snapshot waits. It survives a kill, after which the same pass runs again.
 */
export function snapshotFile({ paths }: Pick<Daemon, 'paths'>, sourceId: string, withLocal: boolean): string {
  return join(paths.snapshots, `${sourceId.replace(':', '-')}${withLocal ? '.local' : ''}.json`)
}

export async function pendingSnapshot(
  deps: Pick<Daemon, 'paths'>,
  sourceId: string,
): Promise<PendingSnapshot | undefined> {
  for (const withLocal of [false, true]) {
    const file = snapshotFile(deps, sourceId, withLocal)
    if (await stat(file).catch(() => undefined)) return { file, withLocal }
  }
  return undefined
}

export async function dropSnapshot({ file }: PendingSnapshot): Promise<void> {
  await rm(file, { force: true, maxRetries: 5 })
}

/**
 * At a start, queues the complete snapshots again, and deletes incomplete ones and those whose source was
 * removed.
 */
export async function sweepSnapshots(deps: Pick<Daemon, 'paths' | 'store' | 'clock'>): Promise<void> {
  const { paths, store, clock } = deps
  const names = new Set(await readdir(paths.snapshots).catch(() => []))
  if (names.size === 0) return
  for (const { id } of await store.tables.sources.all()) {
    const pending = await pendingSnapshot(deps, id)
    if (!pending) continue
    names.delete(basename(pending.file))
    const now = clock().toISOString()
    await store.transaction(({ sourceJobs }) => sourceJobs.request(id, { full: false, now }))
  }
  for (const name of names) await rm(join(paths.snapshots, name), { force: true, maxRetries: 5 })
}

/**
 * Reads a snapshot as one pass over its source: artifacts missing from it are deleted. Artifacts of local
 * chat caches are skipped and stay unchanged unless requested (sources.md#snapshots).
 */
export async function* snapshotEvents(
  deps: KindDeps,
  row: Pick<SourceRow, 'id' | 'kind'>,
  pass: Pick<Pass, 'knownAfter'>,
  { file, withLocal }: PendingSnapshot,
): AsyncGenerator<SourceEvent> {
  yield { event: 'status', message: 'importing a snapshot' }
  if (!withLocal) yield* localArtifactEvents(pass)
  const { readSnapshot } = await import('./read-snapshot.js')
  for await (const artifact of readSnapshot(createReadStream(file)).artifacts)
    if (withLocal || !isLocalChat(artifact, row.kind))
      yield { event: 'artifact', artifact: await toArtifact(deps, artifact, row.kind) }
  yield { event: 'listed', prefix: '' }
}

async function* localArtifactEvents(pass: Pick<Pass, 'knownAfter'>): AsyncGenerator<SourceEvent> {
  for (let after = ''; ; ) {
    const page = await pass.knownAfter({ after, limit: pageSize })
    for (const { path, is_local_only } of page) if (is_local_only === 1) yield { event: 'same', path }
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    after = last.path
  }
}

/** Direct messages come only from the cache of a chat program; their paths begin with `@me`. */
export function isLocalChat(
  { localOnly, sourcePath }: Pick<SnapshotArtifact, 'localOnly' | 'sourcePath'>,
  kind: string,
): boolean {
  return localOnly === true || (kind === sourceKind.discord && /^@me(?:\/|$)/u.test(sourcePath))
}

async function toArtifact(deps: KindDeps, artifact: SnapshotArtifact, kind: string): Promise<ReadArtifact> {
  const { sourcePath: path, sourceKind, content: text, title, names, url, author, updatedAt } = artifact
  const searched = await kindOf(deps, kind)?.searchedOf?.(deps, { kind: sourceKind, text })
  return {
    path,
    kind: sourceKind,
    title: title ?? null,
    text,
    ...(searched && { searched }),
    ...(names && { names }),
    ...(url && { url }),
    ...(author && { author }),
    updatedAt: updatedAt ?? null,
    // Never equal to a fingerprint of the source itself, so the next pass reads every artifact.
    fingerprint: `snapshot ${await hashInSlices(text)}`,
    ...(isLocalChat(artifact, kind) && { isLocalOnly: true }),
  }
}
