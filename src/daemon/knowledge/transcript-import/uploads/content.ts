import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { findImportFile } from '../registry/registry.js'
import { assertSealed } from './reset.js'
import { bytesFile } from './stored-bytes.js'
import { assertHere } from './uploads-here.js'

/**
 * Streams the bytes of a sealed file as uploaded.
 * @throws AppError `conflict` if it is not sealed or another daemon has it, `gone` if it was removed
 */
export async function fileContent(
  deps: Pick<Daemon, 'store' | 'paths'>,
  job: ImportRow,
  fileId: string,
): Promise<Readable> {
  const row = await findImportFile(deps, job, fileId)
  assertSealed(job, row)
  if (row.upload_size === 0) return Readable.from([])
  await assertHere(deps, job)
  const file = await open(bytesFile(deps, row), 'r')
  return file.createReadStream()
}
