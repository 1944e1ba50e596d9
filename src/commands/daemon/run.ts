import { pathToFileURL } from 'node:url'
import { Flags } from '@oclif/core'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { daemonFlags, openFlag } from '../../cli/shell/own-daemon.js'
import { packageFile } from '../../lib/files/package-root.js'
import { workspacePaths } from '../../lib/workspace/paths.js'

export default class DaemonRun extends CliCommand {
  static override summary = 'Run the daemon in the foreground and log to stderr.'
  static override description =
    'For supervisors such as systemd, and to debug a failing start. Stop it with SIGTERM or Ctrl-C. Exit ' +
    'codes: 2 if agent.yaml is invalid, 3 if another daemon serves this workspace, 4 if the port is in use, ' +
    '7 if no SQLite driver loads.'
  static override examples = ['<%= config.bin %> daemon run']
  static override flags = {
    ...openFlag,
    supervised: Flags.boolean({
      summary: 'Log to the log file, and keep running when idle.',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonRun)
    process.env.SERVICE_WORKSPACE = workspacePaths(this.globals.workspace).root
    // Runs in this process, so that a supervisor's signals and limits apply to the daemon itself.
    const ownFlag = flags.supervised ? '--supervised' : '--foreground'
    process.argv.push(ownFlag, ...daemonFlags(flags))
    await import(pathToFileURL(packageFile('bin', 'daemon.js')).href)
  }
}
