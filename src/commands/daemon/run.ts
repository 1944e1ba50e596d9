import { pathToFileURL } from 'node:url'
import { Flags } from '@oclif/core'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { daemonFlags, openFlag } from '../../cli/shell/own-daemon.js'
import { packageFile } from '../../lib/files/package-root.js'
import { workspacePaths } from '../../lib/workspace/paths.js'

export default class DaemonRun extends CliCommand {
  static override summary = 'Run the daemon in the foreground, its log on stderr.'
  static override description =
    'For supervisors such as systemd, and for looking at a start that fails. Ends with SIGTERM or Ctrl-C. ' +
    'Exit code 2: agent.yaml is not valid, 3: another daemon serves this workspace, 4: the port is taken.'
  static override examples = ['<%= config.bin %> daemon run']
  static override flags = {
    ...openFlag,
    supervised: Flags.boolean({
      summary: 'Log to the file as a daemon in the background does, and do not end for lack of work.',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonRun)
    process.env.SERVICE_WORKSPACE = workspacePaths(this.globals.workspace).root
    // In this process, so that a supervisor's signals and limits reach the daemon itself.
    const ownFlag = flags.supervised ? '--supervised' : '--foreground'
    process.argv.push(ownFlag, ...daemonFlags(flags))
    await import(pathToFileURL(packageFile('bin', 'daemon.js')).href)
  }
}
