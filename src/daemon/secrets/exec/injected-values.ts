import { AppError } from '../../../contract/ground/errors.js'
import { maskableLength, shortestSecret } from '../../../contract/secrets/name-form.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** Limit for all values of a command, because every form of each value is searched in its output. */
const maxBytes = 128 * 1024

/** The variables of a command with references to their values. */
export type References = Readonly<Record<string, string>>

/**
 * Resolves the values for a command.
 * @throws AppError the errors of `secrets.resolve`, `validation_failed` for values that cannot be redacted
 */
export async function valuesOf(
  { secrets }: Pick<Daemon, 'secrets'>,
  references: References,
): Promise<Record<string, string>> {
  const entries = Object.entries(references)
  const values = await Promise.all(entries.map(([, reference]) => secrets.resolve(reference)))
  for (const [at, value] of values.entries()) assertUsable(entries[at]?.[1] ?? '', value)
  if (values.reduce((sum, value) => sum + Buffer.byteLength(value), 0) > maxBytes)
    throw refused(`the secrets of one command exceed ${maxBytes} bytes together; pass fewer of them`)
  return Object.fromEntries(entries.map(([name], at) => [name, values[at] as string]))
}

/**
 * Returns the references to secrets on this machine. They are resolved before the command is queued; a
 * password manager is asked when the command starts, also for bare names while it is active.
 * @throws AppError the errors of `secrets.isHere`
 */
export function onThisMachine({ secrets }: Pick<Daemon, 'secrets'>, references: References): References {
  return Object.fromEntries(Object.entries(references).filter(([, reference]) => secrets.isHere(reference)))
}

function assertUsable(reference: string, value: string): void {
  if (value.includes('\0'))
    throw refused(
      `the secret ${reference} contains a NUL byte, which an environment variable cannot hold; store it in base64`,
    )
  if (maskableLength(value) < shortestSecret)
    throw refused(
      `the secret ${reference} has fewer than ${shortestSecret} characters, so redacting it would mask other text in the output; use a longer one`,
    )
}

function refused(message: string): AppError {
  return new AppError('validation_failed', message)
}
