import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Reply } from '../../contract/api.js'
import { readLines } from '../../lib/files/lines.js'
import { quotedForShell } from '../../lib/text/quoted-for-shell.js'
import { CliError } from '../shell/cli-error.js'

const example = 'memory secrets exec API_KEY -- ./deploy --to staging'

interface ForegroundCommand {
  /** Variables and references. */
  secrets: Record<string, string>
  /** A line for the shell. */
  command: string
}

type OutputLine = Reply<'GET /api/secrets/exec/:jobId/output'>
type CommandState = Extract<OutputLine, { command: object }>['command']

const maxLineBytes = 16 * 1024 * 1024
/** Signals that end the command, and what a shell reports for them. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Where output goes. */
export type Sinks = Readonly<Record<'stdout' | 'stderr', Writable>>

/**
 * Writes the output of a command as it comes, byte for byte, as fast as it is taken.
 * @returns how the command ended. @throws CliError `connection_lost` when that never came.
 */
export async function passOutput(source: AsyncIterable<Buffer>, sinks: Sinks): Promise<CommandState> {
  let last: CommandState | undefined
  try {
    for await (const { text } of readLines(source, maxLineBytes)) {
      const line = JSON.parse(text) as OutputLine
      if ('command' in line) last = line.command
      else if ('data' in line) await write(sinks[line.stream], Buffer.from(line.data, 'base64'))
      else sinks.stderr.write(`[${line.leftOut} bytes of ${line.stream} left out]\n`)
    }
  } catch (cause) {
    throw connectionLost(cause)
  }
  if (last?.status === 'completed' || last?.status === 'failed') return last
  throw connectionLost()
}

function connectionLost(cause?: unknown): CliError {
  return new CliError('the daemon went away before the command had ended', {
    code: 'connection_lost',
    exit: 'unavailable',
    nextSteps: ['memory daemon status', 'memory daemon logs'],
    cause,
  })
}

async function write(sink: Writable, bytes: Buffer): Promise<void> {
  if (sink.destroyed || sink.write(bytes)) return
  // A reader that closes its pipe takes nothing more.
  await Promise.race([once(sink, 'drain'), once(sink, 'close')])
}

export interface Interrupts {
  /** What the first signal makes of the exit code. */
  code(): number | undefined
  close(): void
}

/**
 * Listens for what ends a foreground command: Ctrl-C and its like, and a closed pipe.
 * @param end asks the daemon to end it; its last output still comes. @param leave gives up at the second signal.
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
 * Splits `NAME[=REFERENCE]... -- command args...`. A single word behind `--` is a line for the shell as it is; several
 * are a program and its arguments, which no shell changes.
 * @throws CliError that repeats no word: one of them may be a value.
 */
export function readCommandLine(
  names: readonly string[],
  words: readonly string[],
  platform: NodeJS.Platform = process.platform,
): ForegroundCommand {
  if (names.length === 0) throw usage('name at least one secret in front of --')
  if (words.length === 0) throw usage('write -- and the command behind the names')
  const secrets = Object.fromEntries(
    names.map(word => {
      const [name = '', ...rest] = word.split('=')
      return [name, rest.length > 0 ? rest.join('=') : name]
    }),
  )
  const quote = platform === 'win32' ? quotedForCmd : quotedForShell
  return { secrets, command: words.length === 1 ? (words[0] as string) : words.map(quote).join(' ') }
}

/** As programs of Windows split their line; what cmd.exe itself looks at is escaped on top. */
function quotedForCmd(word: string): string {
  const plain = /^[\w@+=:,./\\-]+$/u.test(word)
  const quoted = plain ? word : `"${word.replace(/(\\*)"/gu, '$1$1\\"').replace(/(\\+)$/u, '$1$1')}"`
  return quoted.replace(/[()%!^"<>&|]/gu, '^$&')
}

function usage(message: string): CliError {
  return new CliError(message, { code: 'usage', exit: 'usage', nextSteps: [example] })
}
