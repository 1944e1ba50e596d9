import { rmSync } from 'node:fs'
import { Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { installedText, runAll, supervisorOf } from '../../cli/operations/daemon/supervisor/supervisor-of.js'
import { thisMachine } from '../../cli/sessions/connect/plan-context.js'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { requireOwnDaemon } from '../../cli/shell/own-daemon.js'
import { print } from '../../cli/terminal/output.js'
import { startSpinner } from '../../cli/terminal/spinner.js'

export default class DaemonUninstall extends CliCommand {
  static override summary = 'Have the system no longer start the daemon.'
  static override description =
    'Takes back what memory daemon install did and stops the daemon; commands start one again when they need it. Memories ' +
    'and settings stay. Succeeds as well when nothing was installed.'
  static override examples = ['<%= config.bin %> daemon uninstall']
  static override flags = {
    yes: Flags.boolean({ summary: 'Do not ask.', char: 'y' }),
  }

  async run(): Promise<{ file: string; removed: boolean }> {
    const { flags } = await this.parse(DaemonUninstall)
    requireOwnDaemon()
    const supervisor = supervisorOf(thisMachine(this.globals.workspace))
    const { file, name, uninstall, afterwards } = supervisor
    const json = this.jsonEnabled()
    if (installedText(supervisor) === undefined) {
      if (!json) print('Nothing is installed.')
      return { file, removed: false }
    }
    const nextSteps = [`${file} is the file that would go`, 'add --yes to remove it']
    await askAbout({ yes: flags.yes, json, nextSteps }, () => ({
      lines: [
        `${file} is removed.`,
        `The daemon that ${name} runs stops after its work in hand; commands start one when they need it.`,
        'Scheduled tasks run only while a daemon does.',
      ],
      question: `Have ${name} no longer start the daemon?`,
    }))
    const spinner = startSpinner('waiting until the daemon has stopped')
    try {
      await runAll(uninstall)
      rmSync(file, { force: true })
      await runAll(afterwards)
    } finally {
      spinner.stop()
    }
    if (!json) print(`Removed ${file}`)
    return { file, removed: true }
  }
}
