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
import { startSpinner } from '../../cli/terminal/spinner.js'
import { stopWorkspaceDaemon } from '../../client/daemon/stop-daemon.js'
import { replaceFile } from '../../lib/files/replace-file.js'

interface InstallReply {
  file: string
  text: string
  installed: boolean
  /** Variables of this terminal that the daemon does not get. */
  leftOut: string[]
  supervision?: Supervision
}

export default class DaemonInstall extends CliCommand {
  static override summary = 'Have the system start the daemon and keep it running.'
  static override description =
    'Scheduled tasks then run while nothing else is open. Writes a unit for systemd (Linux) or an agent for launchd ' +
    '(macOS), of this user alone, and starts the daemon by it; one that runs is ended after its work in hand. It gets the ' +
    'workspace and the PATH of this terminal, on which coding agents are found; run it again when they, Node or this ' +
    'program have moved. memory daemon uninstall takes it back.'
  static override examples = [
    '<%= config.bin %> daemon install',
    '<%= config.bin %> daemon install --dry-run',
  ]
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'Show the file and change nothing.' }),
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
      spinner.say(`starting the daemon by ${name}`)
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
