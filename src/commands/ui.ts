import { spawn } from 'node:child_process'
import { Flags } from '@oclif/core'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { print, printNote } from '../cli/terminal/output.js'
import { daemonState } from '../client/daemon/daemon-state.js'

interface Surroundings {
  platform: NodeJS.Platform
  environment: NodeJS.ProcessEnv
}

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` belongs to the shell there, which would read `&` and the like; this takes an address as it is.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

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

/** Why no browser would be seen by whoever types this; undefined when one would. */
function whyNoBrowser({ platform, environment }: Surroundings): string | undefined {
  if (environment.SSH_CONNECTION || environment.SSH_TTY) return 'this is an SSH session'
  const isUnix = platform !== 'win32' && platform !== 'darwin'
  if (isUnix && !environment.DISPLAY && !environment.WAYLAND_DISPLAY) return 'there is no display'
  return undefined
}

/** Opens a page in the browser of this machine. @returns whether a program took it. */
function openBrowser(url: string, platform = process.platform): Promise<boolean> {
  const [program, ...args] = openers[platform] ?? ['xdg-open']
  return new Promise(resolve => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
