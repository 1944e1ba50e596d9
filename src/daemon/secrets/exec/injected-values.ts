import { AppError } from '../../../contract/ground/errors.js'
import { shortestSecret, tellableLength } from '../../../contract/secrets/name-form.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** All values of a command together: each of their forms is looked for in every byte of its output. */
const maxBytes = 128 * 1024

/** Variables of a command and where their values come from. */
export type References = Readonly<Record<string, string>>

/**
 * The values that a command gets.
 * @throws AppError those of `secrets.resolve`, `validation_failed` for values that can't be kept out of its output
 */
export async function valuesOf(
  { secrets }: Pick<Daemon, 'secrets'>,
  references: References,
): Promise<Record<string, string>> {
  const entries = Object.entries(references)
  const values = await Promise.all(entries.map(([, reference]) => secrets.resolve(reference)))
  for (const [at, value] of values.entries()) assertUsable(entries[at]?.[1] ?? '', value)
  if (values.reduce((sum, value) => sum + Buffer.byteLength(value), 0) > maxBytes)
    throw refused(
      `the secrets of one command have more than ${maxBytes} bytes together; give it fewer of them`,
    )
  return Object.fromEntries(entries.map(([name], at) => [name, values[at] as string]))
}

/**
 * What is on this machine is looked up before the command is queued; a password manager is asked when it starts, also
 * for a bare name while it is in use.
 * @throws AppError those of `secrets.isHere`
 */
export function onThisMachine({ secrets }: Pick<Daemon, 'secrets'>, references: References): References {
  return Object.fromEntries(Object.entries(references).filter(([, reference]) => secrets.isHere(reference)))
}

function assertUsable(reference: string, value: string): void {
  if (value.includes('\0'))
    throw refused(`the secret ${reference} holds a NUL byte, which no environment takes; store it in base64`)
  if (tellableLength(value) < shortestSecret)
    throw refused(
      `the secret ${reference} has fewer than ${shortestSecret} characters: taking it out would mask other text all over the output; use a longer one`,
    )
}

function refused(message: string): AppError {
  return new AppError('validation_failed', message)
}
