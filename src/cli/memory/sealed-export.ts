import { createReadStream } from 'node:fs'
import { SealFault, unsealed } from '../../lib/keys/sealed-stream.js'
import { ageIdentityOf, keyOfRecoveryCode } from '../../lib/keys/workspace-key.js'
import { readOpeningKey } from '../secrets/read-hidden.js'
import { CliError } from '../shell/cli-error.js'

/**
 * Reads an export that is encrypted with age.
 * @param known secret keys of this workspace; if none of them opens it, one is read from a prompt or a pipe
 * @throws CliError `backup_sealed` without a key that opens it, `invalid_input` for a damaged file
 */
export async function unsealedExport(file: string, known: readonly string[]): Promise<AsyncIterable<Buffer>> {
  if (await opens(file, known)) return reading(file, known)
  const sealed = sealedError(file)
  const given = identityIn(await readOpeningKey(sealed))
  if (!(await opens(file, [given]))) throw sealed
  return reading(file, [given])
}

function identityIn(text: string): string {
  const key = keyOfRecoveryCode(text)
  return key ? ageIdentityOf(key) : text.trim()
}

/** True when one of the keys opens it, also if it is damaged further on. */
async function opens(file: string, identities: readonly string[]): Promise<boolean> {
  try {
    for await (const _ of unsealed(createReadStream(file), identities)) return true
    return true
  } catch (error) {
    if (error instanceof SealFault) return error.kind === 'damaged'
    return false
  }
}

async function* reading(file: string, identities: readonly string[]): AsyncGenerator<Buffer> {
  try {
    yield* unsealed(createReadStream(file), identities)
  } catch (cause) {
    if (!(cause instanceof SealFault)) throw cause
    throw new CliError(`${file} cannot be read: ${cause.message}`, {
      code: 'invalid_input',
      exit: 'usage',
      cause,
    })
  }
}

function sealedError(file: string): CliError {
  return new CliError(`${file} is sealed, and no key of this workspace opens it`, {
    code: 'backup_sealed',
    exit: 'refused',
    nextSteps: ['pipe its recovery code or a secret key of age: memory import FILE < KEY_FILE'],
  })
}
