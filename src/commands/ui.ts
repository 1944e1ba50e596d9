import { spawn } from 'node:child_process'
import { Flags } from '@oclif/core'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { linked, print, printNote } from '../cli/terminal/output.js'
import { daemonState } from '../client/daemon/daemon-state.js'

interface Surroundings {
  platform: NodeJS.Platform
  environment: NodeJS.ProcessEnv
}

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` is a shell command, which would interpret `&`; this program takes an address unchanged.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

interface OpenedPage {
  url: string
  opened: boolean
}

export default class Ui extends DaemonCommand {
  static override summary = 'Open the web page: memories, recall, sessions and more in a browser.'
  static override description =
    'Starts the daemon if needed, prints the address of its page and opens it. Over SSH or without a ' +
    'display, it only prints the address.'
  static override examples = ['<%= config.bin %> ui', '<%= config.bin %> ui --no-open']
  static override flags = {
    open: Flags.boolean({ summary: 'Open the page in the browser.', default: true, allowNo: true }),
  }

  async run(): Promise<OpenedPage> {
    const { flags } = await this.parse(Ui)
    await this.call('GET /health')
    const { url: origin } = await daemonState(this.globals.workspace)
    const url = `${origin}/ui/`
    if (!this.jsonEnabled()) print(linked(url, url))
    const why = flags.open
      ? whyNoBrowser({ platform: process.platform, environment: process.env })
      : '--no-open was given'
    const opened = why === undefined && (await openBrowser(url))
    if (!opened && flags.open && !this.jsonEnabled())
      printNote(why ? `Not opened: ${why}.` : 'No browser could be started. Open the address in a browser.')
    return { url, opened }
  }
}

/** Returns why the user would not see a browser; undefined if one can be opened. */
function whyNoBrowser({ platform, environment }: Surroundings): string | undefined {
  if (environment.SSH_CONNECTION || environment.SSH_TTY) return 'this is an SSH session'
  const isUnix = platform !== 'win32' && platform !== 'darwin'
  if (isUnix && !environment.DISPLAY && !environment.WAYLAND_DISPLAY) return 'no display is available'
  return undefined
}

/** Opens a page in the browser of this machine. @returns true if a program could be started. */
function openBrowser(url: string, platform = process.platform): Promise<boolean> {
  const [program, ...args] = openers[platform] ?? ['xdg-open']
  return new Promise(resolve => {
    // On Windows rundll32 passes on that it is hidden, and the browser would be too.
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true, windowsHide: false })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
