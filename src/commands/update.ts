import { Flags } from '@oclif/core'
import { runCommand } from '../cli/operations/daemon/supervisor/run-command.js'
import { CliError } from '../cli/shell/cli-error.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { type Colors, colorsFor, formatFields, print, printNote } from '../cli/terminal/output.js'
import { plainLine } from '../cli/terminal/text.js'
import type { Reply } from '../contract/api.js'

type Info = Reply<'GET /api/update/check'>

/** Maximum number of lines of the release notes. */
const noteLines = 12

type Outcome = Reply<'POST /api/update/run'>

/** A package manager may take ten minutes, and the result is test-started. */
const installTimeoutMs = 900_000
/** Covers the shutdown of the old daemon and the start of the new one. */
const restartTimeoutMs = 120_000

export default class Update extends DaemonCommand {
  static override summary = 'Update to the newest release, or check whether there is one.'
  static override description =
    'Updates with the method of the installation (npm, pnpm, yarn, bun or a verified executable) and ' +
    'restarts the daemon. Installations managed by another program (Homebrew, npx, a git checkout) are not ' +
    'changed; the command to update them is shown. Releases come from update.manifestUrl in agent.yaml, or ' +
    'from the registry of npm if update.trustRegistry is on.'
  static override examples = [
    '<%= config.bin %> update --check',
    '<%= config.bin %> update',
    '<%= config.bin %> update --channel nightly',
  ]
  static override flags = {
    check: Flags.boolean({ summary: 'Only check whether there is a newer release.' }),
    channel: Flags.string({
      summary: 'Release channel to follow from now on; saved in agent.yaml.',
      options: ['stable', 'nightly'],
    }),
    restart: Flags.boolean({
      summary: 'Restart the daemon after the update.',
      default: true,
      allowNo: true,
    }),
  }

  async run(): Promise<Reply<'GET /api/update/check'> | Outcome> {
    const { flags } = await this.parse(Update)
    const json = this.jsonEnabled()
    if (flags.channel !== undefined)
      await this.call('POST /api/update/config', { body: { channel: flags.channel as 'stable' | 'nightly' } })
    if (flags.check) {
      const info = await this.call('GET /api/update/check', { query: { force: true } })
      if (info.error !== null) throw failure(info.error, 'check_failed', { nextSteps: [] })
      if (!json) print(updateText(info, colorsFor()))
      return info
    }
    const outcome = await this.call(
      'POST /api/update/run',
      {},
      { timeoutMs: installTimeoutMs, waitingFor: 'installing the newest release' },
    )
    if (!outcome.success) throw notInstalled(outcome)
    if (!json) print(`${colorsFor().green('✓')} ${plainLine(outcome.message)}`)
    if (outcome.restartRequired && flags.restart) await this.restart(outcome)
    return outcome
  }

  /** Uses the newly installed program, which knows best how to start its daemon. */
  private async restart({ activeExecutablePath, installMethod }: Outcome): Promise<void> {
    if (process.env.SERVICE_DAEMON_URL) return
    const program =
      installMethod === 'binary'
        ? ([activeExecutablePath] as const)
        : ([process.execPath, activeExecutablePath] as const)
    const { workspace } = this.globals
    const { ok, output } = await runCommand({
      words: [
        ...program,
        'daemon',
        'restart',
        ...(workspace === undefined ? [] : ['--workspace', workspace]),
      ] as [string, ...string[]],
      timeoutMs: restartTimeoutMs,
    })
    if (this.jsonEnabled()) return
    if (ok) print(`${colorsFor().green('✓')} The daemon runs the new version`)
    else printNote(`The daemon was not restarted: ${plainLine(output)}`)
  }
}

function notInstalled({ message, errorCode, output, command }: Outcome): CliError {
  return failure(message, errorCode ?? 'install_failed', {
    nextSteps: command === null ? ['memory update --check'] : [command],
    details: { output },
  })
}

function failure(
  message: string,
  code: string,
  info: { nextSteps: readonly string[]; details?: unknown },
): CliError {
  return new CliError(message, { code, exit: 'failure', ...info })
}

/** Describes a newer release for people. */
function updateText(info: Info, colors: Colors): string {
  const { currentVersion, latestVersion, updateAvailable, pendingVersion, error } = info
  const notes = updateAvailable
    ? (info.releaseNotes ?? '').split('\n').filter(Boolean).slice(0, noteLines)
    : []
  return [
    formatFields(
      [
        ['this version', currentVersion],
        ['newest', latestVersion === null ? 'unknown' : plainLine(latestVersion)],
        ['channel', info.channel],
        ...(info.publishedAt && updateAvailable ? [['published', plainLine(info.publishedAt)] as const] : []),
        ...(info.releaseUrl && updateAvailable ? [['more', plainLine(info.releaseUrl)] as const] : []),
        ['checked', `${info.checkedAt}${info.cached ? ' (cached)' : ''}`],
        ...(error ? [['error', colors.red(plainLine(error))] as const] : []),
      ],
      colors,
    ),
    ...notes.map(line => `  ${plainLine(line)}`),
    ...(pendingVersion ? [`${pendingVersion} is installed. To use it: memory daemon restart`] : []),
    ...(updateAvailable && !pendingVersion ? ['To install it: memory update'] : []),
    ...(latestVersion !== null && !updateAvailable ? ['Already up to date.'] : []),
  ].join('\n')
}
