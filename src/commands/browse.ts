import { Args } from '@oclif/core'
import { readingProjectFlags } from '../cli/memory/project-flags.js'
import { CliError } from '../cli/shell/cli-error.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { colorsFor } from '../cli/terminal/output.js'
import { call } from '../client/call.js'

export default class Browse extends DaemonCommand {
  static override enableJsonFlag = false
  static override summary = 'Browse memories interactively.'
  static override description =
    "Searches the current folder's project and memories of no project by keywords as you type. The last line " +
    'lists the main keys, ? all of them: read, edit, pin, rate, copy, supersede, forget, undo, filters, and ' +
    'forgotten memories. Forgetting and superseding ask for a reason and a confirmation.'
  static override examples = ['<%= config.bin %> browse', '<%= config.bin %> browse deploy']
  static override args = {
    query: Args.string({
      description: 'Initial search; quotes are not needed.',
      multiple: true,
      ignoreStdin: true,
    }),
  }

  static override flags = readingProjectFlags

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Browse)
    if (!process.stdin.isTTY || !process.stdout.isTTY) throw noTerminal()
    // Reports an unavailable daemon before the screen opens.
    await this.call('GET /api/status')
    const { browseMemories } = await import('../cli/tui/browse/browse.js')
    const project = flags['all-projects'] ? '*' : flags['no-project'] ? '-' : flags.project
    await browseMemories({
      send: (address, request, options) => call(address, request, { ...this.globals, ...options }),
      filter: project === undefined ? {} : { project },
      query: (args.query ?? []).join(' '),
      color: colorsFor().isColorSupported,
    })
  }
}

function noTerminal(): CliError {
  return new CliError('browse needs a terminal', {
    code: 'terminal_required',
    exit: 'usage',
    nextSteps: ['memory recall "..."', 'memory list'],
  })
}
