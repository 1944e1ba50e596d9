import { Flags } from '@oclif/core'
import { untilRunning } from '../../cli/operations/daemon/supervisor/start-supervised.js'
import type { Supervision } from '../../cli/operations/daemon/supervisor/supervisor.js'
import {
  installedText,
  leftOutNotes,
  leftOutVariables,
  requireSupervisor,
  runAll,
  supervisionOf,
  supervisorOf,
} from '../../cli/operations/daemon/supervisor/supervisor-of.js'
import { thisMachine } from '../../cli/sessions/connect/plan-context.js'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { requireOwnDaemon } from '../../cli/shell/own-daemon.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import { startSpinner } from '../../cli/terminal/progress.js'
import { stopWorkspaceDaemon } from '../../client/daemon/stop-daemon.js'
import { replaceFile } from '../../lib/files/replace-file.js'

interface InstallReply {
  file: string
  text: string
  installed: boolean
  /** Variables of this terminal that the daemon does not receive. */
  leftOut: string[]
  supervision?: Supervision
}

export default class DaemonInstall extends CliCommand {
  static override summary = 'Install the daemon as a system service that is always running.'
  static override description =
    'Scheduled tasks then also run when no memory command or agent is open. Writes a systemd unit (Linux), a ' +
    'launchd agent (macOS) or a file in the Startup folder (Windows) for your user and starts the daemon with it; a running daemon is stopped first, ' +
    'after its running work. The service uses the workspace and PATH of this terminal; coding agents are ' +
    'found on this PATH. Run it again after moving them, Node or this program. To remove the service: memory ' +
    'daemon uninstall.'
  static override examples = [
    '<%= config.bin %> daemon install',
    '<%= config.bin %> daemon install --dry-run',
  ]
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'Show the file without changing anything.' }),
  }

  async run(): Promise<InstallReply> {
    const { flags } = await this.parse(DaemonInstall)
    requireOwnDaemon()
    const { workspace } = this.globals
    const machine = thisMachine(workspace)
    const supervisor = supervisorOf(machine)
    const { file, text, name } = supervisor
    const leftOut = leftOutVariables(process.env)
    if (flags['dry-run']) {
      if (!this.jsonEnabled()) {
        printNote(file)
        print(text)
        for (const note of leftOutNotes(process.env)) printNote(note)
      }
      return { file, text, installed: false, leftOut }
    }
    installedText(supervisor)
    await requireSupervisor(supervisor)
    const spinner = startSpinner('waiting until the daemon has stopped')
    try {
      await stopWorkspaceDaemon(workspace)
      spinner.say(`starting the daemon with ${name}`)
      replaceFile(file, text, 0o600)
      await runAll(supervisor.install)
      await untilRunning(workspace)
    } finally {
      spinner.stop()
    }
    if (!this.jsonEnabled()) {
      print(`${colorsFor().green('✓')} ${name} runs the daemon: ${file}`)
      for (const note of [...(await supervisor.notes()), ...leftOutNotes(process.env)]) printNote(note)
    }
    return { file, text, installed: true, leftOut, supervision: await supervisionOf(machine) }
  }
}
