import { quotedForShell } from '../../lib/text/quoted-for-shell.js'
import { CliError } from '../shell/cli-error.js'

const example = 'memory secrets exec API_KEY -- ./deploy --to staging'

export interface ForegroundCommand {
  /** Variables and references. */
  secrets: Record<string, string>
  /** A line for the shell. */
  command: string
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
