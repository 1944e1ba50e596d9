/**
 * The command line: code that the commands of `src/commands` share.
 *
 * - `shell/` finds and runs a command, parses flags, and turns faults into text and exit codes.
 * - `terminal/` prints; `tui/` has the interactive screens (Ink); folders of areas format their replies.
 *
 * Arguments come in from the shell. Requests go to the daemon through `src/client`, and the replies go out
 * as text or, with `--json`, as JSON. It opens no database: whatever it shows, the HTTP API returns. Ink,
 * zod and other heavy packages are imported only where a command needs them.
 */

import { commands } from 'virtual:commands'
import { keepFilesUsable } from '../../lib/files/own-umask.js'
import { version } from '../../lib/workspace/version.js'
import { colorsFor, formatJson, print, printNote } from '../terminal/output.js'
import { CliError } from './cli-error.js'
import { aliases, verbAliases } from './command-groups.js'
import { exitCodes } from './exit-codes.js'
import { renderError, toFailure } from './failure.js'
import { matchCommand, wantsHelp } from './match-command.js'

const ids = Object.keys(commands)

/**
 * The CLI: finds the command in the bundle's table and runs it with oclif's parser only. Loading oclif's
 * package.json, manifest, plugins and theme would take as long as Node itself, and only help needs them.
 * Never throws; sets `process.exitCode`.
 */
export async function main(argv: readonly string[]): Promise<void> {
  reportOutputFaults()
  keepFilesUsable()
  try {
    const given = withoutPager(argv)
    const words = inFull(given[0] === 'help' ? [...given.slice(1), '--help'] : given)
    if (['--version', '-v', 'version'].includes(words[0] ?? '')) {
      return print(`memory-service/${version} ${process.platform}-${process.arch} node-${process.version}`)
    }
    if (words.length === 0) return await (await import('./welcome.js')).showWelcome()
    const match = matchCommand(words, ids)
    if (wantsHelp(words) || (!match && isTopic(words))) return await showHelp(words)
    if (!match) throw await unknownCommand(words)
    const { default: CommandClass } = await commands[match.id]!()
    await new CommandClass(match.argv, config()).execute()
  } catch (error) {
    const failure = await toFailure(error)
    process.exitCode = failure.exitCode
    if (argv.includes('--json')) print(formatJson(failure.json))
    else printNote(renderError(failure))
  }
}

/** Returns the parts of the configuration that oclif's Command reads while it parses and runs. */
function config(): never {
  return {
    bin: 'memory',
    name: 'memory-service',
    version,
    userAgent: `memory-service/${version}`,
    // With a space, oclif would look up the words in its table again.
    topicSeparator: ':',
    runHook: async () => ({ successes: [], failures: [] }),
    scopedEnvVar: () => undefined,
    scopedEnvVarKeys: () => [],
  } as never
}

/** Returns the words without `--no-pager`, which every command takes, and switches the pager off. */
function withoutPager(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  const at = argv.indexOf('--no-pager')
  if (at < 0 || (end >= 0 && at > end)) return argv
  process.env.MEMORY_PAGER = ''
  return argv.filter((_, index) => index !== at)
}

function isTopic(words: readonly string[]): boolean {
  const topic = words.filter(word => !word.startsWith('-')).join(':')
  return topic !== '' && ids.some(id => id.startsWith(`${topic}:`))
}

/** Returns the words with second names of commands replaced by their own names. */
function inFull(words: readonly string[]): readonly string[] {
  const [first = '', second = '', ...others] = words
  if (Object.hasOwn(aliases, first)) return [aliases[first] as string, ...words.slice(1)]
  if (matchCommand([first, second], ids)?.argv.length === 0) return words
  const verb = verbAliases[second]?.find(name => ids.includes(`${first}:${name}`))
  return verb === undefined ? words : [first, verb, ...others]
}

async function showHelp(words: readonly string[]): Promise<void> {
  const subject = words.filter(word => !word.startsWith('-')).join(':')
  const { showGroups, showHelp } = await import('./help.js')
  if (subject === '') return showGroups()
  if (subject === 'all') return await showHelp('')
  if (!isTopic(words) && !matchCommand(words, ids)) throw await unknownCommand(words)
  await showHelp(matchCommand(words, ids)?.id ?? subject)
}

async function unknownCommand(words: readonly string[]): Promise<CliError> {
  const [first = ''] = words
  if (first.startsWith('-')) {
    return new CliError(`'${first}' comes before the command; flags go after it`, {
      code: 'usage',
      exit: 'usage',
      nextSteps: ['memory help'],
    })
  }
  // The word after the longest known topic is wrong.
  const topics = words.findIndex((_, at) => !isTopic(words.slice(0, at + 1)))
  const typed = words.slice(0, Math.max(0, topics) + 1).join(' ')
  const known = [...ids.map(id => id.replaceAll(':', ' ')), ...Object.keys(aliases)]
  const { guessCommands } = await import('./guess-command.js')
  const topic = words.slice(0, Math.max(0, topics)).join(' ')
  return new CliError(`'${typed}' is not a command`, {
    code: 'unknown_command',
    exit: 'usage',
    nextSteps: [
      ...guessCommands(typed, known).map(guess => `did you mean: memory ${guess}`),
      `memory help ${topic}`.trimEnd(),
    ],
  })
}

/**
 * A reader that closes the pipe (`memory list | head`) is not an error. Any other write error, such as a full
 * disk, is reported once with exit code 1 and then ignored, because oclif would throw it with its stack.
 */
function reportOutputFaults(): void {
  process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code === 'EPIPE') return
    process.exitCode = exitCodes.failure.code
    printNote(`${colorsFor(process.stderr).red('error')}: cannot write to stdout: ${fault.code}`)
    fault.code = 'EPIPE'
  })
}
