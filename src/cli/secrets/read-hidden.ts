import { ClientError } from '../../client/http/client-error.js'
import { cancelled } from '../consent/consent.js'
import { CliError } from '../shell/cli-error.js'
import { hasPipedInput, readStdin } from '../shell/read-stdin.js'
import { colorsFor } from '../terminal/output.js'

export interface HiddenInput {
  /** Beginning of the prompt: `Value of NAME`. */
  label: string
  /** Asks twice, to detect typing errors. */
  repeat?: boolean
  /** Keeps a newline at the end of piped input as part of the text. */
  keepNewline?: boolean
}

const maxBytes = 128 * 1024

/**
 * Asks about something that may be sealed. If the daemon has no key for it, reads one from a prompt or a pipe
 * and asks again.
 * @param ask gets the key that was given
 */
export async function withOpeningKey<T>(ask: (key: { key?: string }) => Promise<T>): Promise<T> {
  try {
    return await ask({})
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'backup_sealed') throw error
    return ask({ key: await readOpeningKey(error) })
  }
}

/** @param sealed thrown when nobody gives a key */
export async function readOpeningKey(sealed: Error): Promise<string> {
  const piped = hasPipedInput()
  return readHidden({ label: 'Recovery code of its workspace, or a secret key of age' }).catch(
    (error: unknown) => {
      throw piped ? sealed : error
    },
  )
}

/**
 * Reads a secret from a pipe, or from a prompt without echo. A newline at the end of a pipe is removed.
 * @throws CliError `invalid_input` if it is empty or the repetition differs; `cancelled`
 */
export async function readHidden({ label, repeat, keepNewline }: HiddenInput): Promise<string> {
  const text = hasPipedInput()
    ? (await readStdin(maxBytes)).replace(keepNewline ? /(?!)/u : /\r?\n$/u, '')
    : await ask(label)
  if (text === '') throw invalid(`${label}: the input is empty`)
  if (
    repeat &&
    !hasPipedInput() &&
    (await ask(`Repeat ${label.charAt(0).toLowerCase()}${label.slice(1)}`)) !== text
  )
    throw invalid('the two inputs differ; nothing was changed')
  return text
}

/** Ink is loaded only here. */
async function ask(label: string): Promise<string> {
  const { askHidden } = await import('../tui/ask-hidden.js')
  const text = await askHidden({ label, color: colorsFor(process.stderr).isColorSupported })
  if (text === undefined) throw cancelled()
  return text
}

function invalid(message: string): CliError {
  return new CliError(message, { code: 'invalid_input', exit: 'usage' })
}

/**
 * Rejects surplus arguments without repeating them, because they may be the secret itself.
 * @param words the surplus arguments. @param what the input that is prompted for instead.
 * @throws CliError `value_in_arguments`
 */
export function refuseValues(
  words: readonly unknown[],
  what: 'value' | 'passphrase' | 'recovery code',
  example: string,
): void {
  if (words.length === 0) return
  throw new CliError(
    `a ${what} is not accepted as an argument, because arguments appear in process lists and the shell history`,
    {
      code: 'value_in_arguments',
      exit: 'usage',
      nextSteps: [
        `enter it at the prompt, or use a pipe: ${example}`,
        `if this was the real ${what}, replace it: it may be in your shell history`,
      ],
    },
  )
}
