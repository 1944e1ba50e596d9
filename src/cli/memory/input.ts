import { readFile, stat } from 'node:fs/promises'
import { CliError } from '../shell/cli-error.js'
import { decodeUtf8, hasPipedInput, readStdin } from '../shell/read-stdin.js'
import { unreadablePath } from '../shell/unreadable-path.js'

/** The daemon accepts bodies of 10 MiB; the fields around the content need some of it. */
const maxBytes = 10 * 1024 * 1024 - 64 * 1024

/** Wording of the error for a missing text. */
export interface MissingTextWording {
  /** Purpose of the text. */
  purpose: string
  nextSteps: readonly string[]
}

const toRemember: MissingTextWording = {
  purpose: 'remember',
  nextSteps: ['memory remember "We deploy on Fridays only after 15:00"', 'git log -1 | memory remember -'],
}

/**
 * Reads a text from the arguments, `--file`, `-` for stdin, or a pipe if nothing else is given.
 * @param wanted wording of the error; for remember by default.
 * @throws CliError `content_required` if there is none, `invalid_input` if it is too large, binary or given
 * twice.
 */
export async function readContent(source: {
  words: readonly string[] | undefined
  file: string | undefined
  stdin?: NodeJS.ReadStream
  wanted?: MissingTextWording
}): Promise<string> {
  const { words = [], file, stdin = process.stdin, wanted = toRemember } = source
  if (file !== undefined && words.length > 0) {
    throw new CliError('give the content as an argument or with --file, not both', {
      code: 'invalid_input',
      exit: 'usage',
    })
  }
  if (file !== undefined && file !== '-') return notEmpty(await readTextFile(file), file, wanted)
  const fromStdin = file === '-' || (words.length === 1 && words[0] === '-')
  if (fromStdin || (words.length === 0 && hasPipedInput(stdin))) {
    return notEmpty(await readStdin(maxBytes, stdin), 'stdin', wanted)
  }
  return notEmpty(words.join(' '), 'the argument', wanted)
}

async function readTextFile(file: string): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size <= maxBytes) return decodeUtf8(await readFile(file), file)
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    throw unreadablePath(file, cause)
  }
  throw new CliError(`${file} is larger than ${maxBytes} bytes`, {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: ['Split it into smaller files'],
  })
}

function notEmpty(text: string, name: string, { purpose, nextSteps }: MissingTextWording): string {
  if (text.trim() !== '') return text
  throw new CliError(`nothing to ${purpose}: ${name} is empty`, {
    code: 'content_required',
    exit: 'usage',
    nextSteps,
  })
}
