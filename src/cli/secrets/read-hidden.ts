import { cancelled } from '../consent/consent.js'
import { CliError } from '../shell/cli-error.js'
import { hasPipedInput, readStdin } from '../shell/read-stdin.js'
import { colorsFor } from '../terminal/output.js'

export interface HiddenInput {
  /** What is asked for, as the prompt begins: `Value of NAME`. */
  label: string
  /** A second time, so that a slip is noticed. */
  repeat?: boolean
  /** A pipe that ends in a newline: that is part of the text. */
  keepNewline?: boolean
}

const maxBytes = 128 * 1024

/**
 * A text that nobody may see: from a pipe, or typed at a prompt that shows nothing. A newline at the end of a pipe is
 * left out.
 * @throws CliError `invalid_input` for none, or for two that differ; `cancelled`
 */
export async function readHidden({ label, repeat, keepNewline }: HiddenInput): Promise<string> {
  const text = hasPipedInput()
    ? (await readStdin(maxBytes)).replace(keepNewline ? /(?!)/u : /\r?\n$/u, '')
    : await ask(label)
  if (text === '') throw invalid('nothing was given: the input is empty')
  if (repeat && !hasPipedInput() && (await ask(`${label}, once more`)) !== text)
    throw invalid('the two differ; nothing was changed')
  return text
}

/** Ink loads here, and only here. */
async function ask(label: string): Promise<string> {
  const { askHidden } = await import('../tui/ask-hidden.js')
  const text = await askHidden({ label, color: colorsFor(process.stderr).isColorSupported })
  if (text === undefined) throw cancelled()
  return text
}

function invalid(message: string): CliError {
  return new CliError(message, { code: 'invalid_input', exit: 'usage' })
}
