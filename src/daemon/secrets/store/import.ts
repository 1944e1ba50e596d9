import type { z } from 'zod'
import type { importSecrets } from '../../../contract/secrets/store.js'
import { openExport } from '../../../store/secrets/secret-store.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Body = z.infer<(typeof importSecrets)['body']>
type Reply = z.input<(typeof importSecrets)['response']>

/**
 * Stores what an export, or a list of values, holds; a dry run says which names it would meet.
 * @throws AppError `validation_failed` for a wrong passphrase, and what the store throws.
 */
export async function importInto({ secrets }: Pick<Daemon, 'secrets'>, body: Body): Promise<Reply> {
  const { file, passphrase = '', entries = [], dryRun, overwrite } = body
  const values = file
    ? await openExport(file, passphrase)
    : new Map(entries.map(({ name, value }) => [name, value]))
  const { store } = secrets
  const met = dryRun ? await store.compare(values) : await store.merge(values, { overwrite })
  const written = dryRun ? 0 : met.added.length + (overwrite ? met.changed.length : 0)
  return { dryRun, ...met, written }
}
