import { readdir, rm, stat } from 'node:fs/promises'
import { AppError } from '../../../../contract/ground/errors.js'
import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { createPeriodicWork, type PeriodicWork } from '../../../platform/jobs/periodic-work.js'
import { othersOf } from '../../../platform/nodes/held-work.js'
import { bytesFile, importFolder, removeBytes } from './stored-bytes.js'

type Deps = Pick<Daemon, 'store' | 'paths'>

/**
 * Of several daemons that serve a database, one has the uploaded bytes of an import: all its files go there.
 * @throws AppError `conflict` when it is another one
 */
export async function assertHere({ store, paths }: Deps, { id }: Pick<ImportRow, 'id'>): Promise<void> {
  if (store.tables.nodes.own === null) return
  const begun = await store.tables.importFiles.firstBegun(id)
  if (!begun || (await isThere(bytesFile({ paths }, begun)))) return
  const others = (await othersOf({ store })) ?? 'which does not run now'
  throw new AppError(
    'conflict',
    `another daemon of this database has the files of the import ${id}, ${others}: send all requests about them there, by its own address or with a balancer that keeps a client at one daemon`,
  )
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** Deletes bytes here of uploads and imports that another daemon discarded, cancelled or removed. */
export async function sweepUploads(deps: Deps): Promise<void> {
  const { imports, importFiles, nodes } = deps.store.tables
  if (nodes.own === null) return
  for (const id of await readdir(deps.paths.imports).catch(() => [])) {
    const job = await imports.find(id)
    if (!job || job.removed_at !== null)
      await rm(importFolder(deps, id), { recursive: true, force: true, maxRetries: 5 })
    else if (job.state === 'cancelled')
      for (const row of await importFiles.of(id)) if (row.upload_size === null) await removeBytes(deps, row)
  }
}

/** Looks once a minute. */
export function createUploadSweep(deps: Deps & Pick<Daemon, 'log'>): PeriodicWork {
  return createPeriodicWork({
    run: () => sweepUploads(deps),
    onError: error => deps.log.warn({ err: error }, 'bytes of discarded uploads were not deleted'),
  })
}
