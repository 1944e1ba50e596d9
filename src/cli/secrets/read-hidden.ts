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
