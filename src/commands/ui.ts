import { Flags } from '@oclif/core'
import { openBrowser, whyNoBrowser } from '../cli/operations/open-browser.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { print, printNote } from '../cli/terminal/output.js'
import { daemonState } from '../client/daemon-state.js'

interface OpenedPage {
  url: string
  opened: boolean
}

export default class Ui extends DaemonCommand {
  static override summary = 'Open the web page: memories, recall, sessions and more in a browser.'
  static override description =
    'Starts the daemon if needed, prints the address of its page and opens it. Over SSH, and where there is no display, it only prints.'
  static override examples = ['<%= config.bin %> ui', '<%= config.bin %> ui --no-open']
  static override flags = {
    open: Flags.boolean({ summary: 'Open it in the browser.', default: true, allowNo: true }),
  }

  async run(): Promise<OpenedPage> {
    const { flags } = await this.parse(Ui)
    await this.call('GET /health')
    const { url: origin } = await daemonState(this.globals.workspace)
    const url = `${origin}/ui/`
    if (!this.jsonEnabled()) print(url)
    const why = flags.open
      ? whyNoBrowser({ platform: process.platform, environment: process.env })
      : 'you asked for its address only'
    const opened = why === undefined && (await openBrowser(url))
    if (!opened && flags.open && !this.jsonEnabled())
      printNote(why ? `Not opened: ${why}.` : 'No program took it: open the address in a browser.')
    return { url, opened }
  }
}
