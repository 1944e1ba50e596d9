import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { AppError } from '../../../contract/ground/errors.js'
import { replaceFile } from '../../../lib/files/replace-file.js'
import type { ProviderState, ProviderStateFile } from '../../ground/secrets/password-vaults.js'

const providerState = z.object({
  version: z.literal(1),
  /** Who answers for bare names. */
  active: z.enum(['local', 'vaulta']),
  /** The folder of Bitwarden that secrets are kept in; null for none. */
  folderId: z.string().max(200).nullable(),
  /** Which item of Bitwarden holds which name. */
  items: z.record(z.string().max(128), z.string().max(200)),
})

const atFirst: ProviderState = { version: 1, active: 'local', folderId: null, items: {} }

export function openProviderState(file: string): ProviderStateFile {
  const read = (): ProviderState => {
    const text = textOf(file)
    if (text === undefined) return atFirst
    try {
      return providerState.parse(JSON.parse(text))
    } catch {
      throw new AppError(
        'secret_store_damaged',
        'the file that says which password manager is in use (.secrets/providers.json) cannot be read; put it back from a backup, or delete it and connect again',
      )
    }
  }
  return {
    read,
    change: fields => replaceFile(file, `${JSON.stringify({ ...read(), ...fields }, null, 2)}\n`, 0o600),
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
