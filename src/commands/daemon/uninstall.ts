import { rmSync } from 'node:fs'
import { Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { installedText, runAll, supervisorOf } from '../../cli/operations/daemon/supervisor/supervisor-of.js'
import { thisMachine } from '../../cli/sessions/connect/plan-context.js'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { requireOwnDaemon } from '../../cli/shell/own-daemon.js'
import { print } from '../../cli/terminal/output.js'
import { startSpinner } from '../../cli/terminal/progress.js'

export default class DaemonUninstall extends CliCommand {
  static override summary = 'Remove the system service of the daemon.'
  static override description =
    'Removes what memory daemon install added, and stops the daemon; commands start it again when needed. ' +
    'Memories and settings are kept. Succeeds if nothing was installed.'
  static override examples = ['<%= config.bin %> daemon uninstall']
  static override flags = {
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }),
  }

  async run(): Promise<{ file: string; removed: boolean }> {
    const { flags } = await this.parse(DaemonUninstall)
    requireOwnDaemon()
    const supervisor = supervisorOf(thisMachine(this.globals.workspace))
    const { file, name, uninstall, afterwards } = supervisor
    const json = this.jsonEnabled()
    if (installedText(supervisor) === undefined) {
      if (!json) print('No service is installed.')
      return { file, removed: false }
    }
    const nextSteps = [`${file} would be removed`, 'add --yes to remove it']
    await askAbout({ yes: flags.yes, json, nextSteps }, () => ({
      lines: [
        `${file} will be removed.`,
        `${name} stops the daemon after its running work. Commands start the daemon when they need it.`,
        'Scheduled tasks run only while the daemon is running.',
      ],
      question: `Remove the service from ${name}?`,
    }))
    const spinner = startSpinner('waiting until the daemon has stopped')
    try {
      await runAll(uninstall)
      rmSync(file, { force: true, maxRetries: 5 })
      await runAll(afterwards)
    } finally {
      spinner.stop()
    }
    if (!json) print(`Removed ${file}`)
    return { file, removed: true }
  }
}
