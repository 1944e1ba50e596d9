import { Flags } from '@oclif/core'
import { follow, formatLogLine, lastLines } from '../../cli/operations/daemon/logs.js'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import { signalOfReader } from '../../cli/terminal/progress.js'
import { workspacePaths } from '../../lib/workspace/paths.js'

export default class DaemonLogs extends CliCommand {
  static override summary = "Show the last lines of the daemon's log file."
  static override description = 'With --json, lines are printed as stored: one JSON object per line.'
  static override examples = ['<%= config.bin %> daemon logs', '<%= config.bin %> daemon logs -f --lines 200']
  static override flags = {
    follow: Flags.boolean({ char: 'f', summary: 'Keep printing new lines until Ctrl-C.' }),
    lines: Flags.integer({
      char: 'n',
      summary: 'Number of lines to start with.',
      default: 50,
      min: 0,
      max: 100_000,
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonLogs)
    const { log } = workspacePaths(this.globals.workspace)
    const colors = colorsFor()
    const show = (line: string) => print(this.jsonEnabled() ? line : formatLogLine(line, colors))
    const { lines, end } = await lastLines(log, flags.lines).catch(error => {
      throw noLog(log, error)
    })
    for (const line of lines) show(line)
    if (!flags.follow) return
    for await (const line of follow(log, end, signalOfReader())) show(line)
  }
}

function noLog(file: string, cause: NodeJS.ErrnoException): Error {
  if (cause.code !== 'ENOENT') return cause
  return new CliError(`no log file yet: ${file}`, {
    code: 'not_found',
    exit: 'notFound',
    nextSteps: ['memory daemon start'],
    cause,
  })
}
