import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Reply } from '../../contract/api.js'
import { readLines } from '../../lib/files/lines.js'
import { quotedForShell } from '../../lib/text/shell-words.js'
import { CliError } from '../shell/cli-error.js'

const example = 'memory secrets exec API_KEY -- ./deploy --to staging'

interface ForegroundCommand {
  /** References by variable name. */
  secrets: Record<string, string>
  /** Shell command line. */
  command: string
}

type OutputLine = Reply<'GET /api/secrets/exec/:jobId/output'>
type CommandState = Extract<OutputLine, { command: object }>['command']

const maxLineBytes = 16 * 1024 * 1024
/** Signals that end the command, and the exit codes that a shell reports for them. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export type Sinks = Readonly<Record<'stdout' | 'stderr', Writable>>

/**
 * Writes the output of a command as it arrives, byte for byte, with backpressure.
 * @returns the final state of the command. @throws CliError `connection_lost` if it never arrived.
 */
export async function passOutput(source: AsyncIterable<Buffer>, sinks: Sinks): Promise<CommandState> {
  let last: CommandState | undefined
  try {
    for await (const { text } of readLines(source, maxLineBytes)) {
      const line = JSON.parse(text) as OutputLine
      if ('command' in line) last = line.command
      else if ('data' in line) await write(sinks[line.stream], Buffer.from(line.data, 'base64'))
      else sinks.stderr.write(`[${line.leftOut} bytes of ${line.stream} omitted]\n`)
    }
  } catch (cause) {
    throw connectionLost(cause)
  }
  if (last?.status === 'completed' || last?.status === 'failed') return last
  throw connectionLost()
}

function connectionLost(cause?: unknown): CliError {
  return new CliError('the connection to the daemon was lost before the command ended', {
    code: 'connection_lost',
    exit: 'unavailable',
    nextSteps: ['memory daemon status', 'memory daemon logs'],
    cause,
  })
}

async function write(sink: Writable, bytes: Buffer): Promise<void> {
  if (sink.destroyed || sink.write(bytes)) return
  // A reader that closed its pipe accepts nothing more.
  await Promise.race([once(sink, 'drain'), once(sink, 'close')])
}

export interface Interrupts {
  /** Returns the exit code after the first signal. */
  code(): number | undefined
  close(): void
}

/**
 * Handles events that end a foreground command: Ctrl-C and similar signals, and a closed pipe.
 * @param end asks the daemon to end it; its last output still arrives. @param leave exits at the second
 * signal.
 */
export function onInterrupt(end: () => void, leave: () => void): Interrupts {
  const state: { code?: number } = {}
  const handlers = Object.entries(signals).map(([signal, code]) => {
    const handler = (): void => {
      const isFirst = state.code === undefined
      state.code ??= code
      if (isFirst) end()
      else leave()
    }
    process.on(signal, handler)
    return () => process.off(signal, handler)
  })
  process.stdout.once('error', end)
  return {
    code: () => state.code,
    close: () => {
      for (const off of handlers) off()
      process.stdout.off('error', end)
    },
  }
}

/**
 * Splits `NAME[=REFERENCE]... -- command args...`. A single word after `--` is passed to the shell unchanged;
 * several words are a program and its arguments, which the shell does not expand.
 * @throws CliError that repeats no word, because one of them may be a secret.
 */
export function readCommandLine(
  names: readonly string[],
  words: readonly string[],
  platform: NodeJS.Platform = process.platform,
): ForegroundCommand {
  if (names.length === 0) throw usage('name at least one secret before --')
  if (words.length === 0) throw usage('add -- and the command after the names')
  const secrets = Object.fromEntries(
    names.map(word => {
      const [name = '', ...rest] = word.split('=')
      return [name, rest.length > 0 ? rest.join('=') : name]
    }),
  )
  const quote = platform === 'win32' ? quotedForCmd : quotedForShell
  return { secrets, command: words.length === 1 ? (words[0] as string) : words.map(quote).join(' ') }
}

/** Quotes an argument for the parser of Windows programs, then escapes characters that cmd.exe interprets. */
function quotedForCmd(word: string): string {
  const plain = /^[\w@+=:,./\\-]+$/u.test(word)
  const quoted = plain
    ? word
    : `"${word.replace(/(?<!\\)(\\*)"/gu, '$1$1\\"').replace(/(?<!\\)(\\+)$/u, '$1$1')}"`
  return quoted.replace(/[()%!^"<>&|]/gu, '^$&')
}

function usage(message: string): CliError {
  return new CliError(message, { code: 'usage', exit: 'usage', nextSteps: [example] })
}
