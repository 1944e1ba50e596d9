import { spawn } from 'node:child_process'

interface Surroundings {
  platform: NodeJS.Platform
  environment: NodeJS.ProcessEnv
}

/** Why no browser would be seen by whoever types this; undefined when one would. */
export function whyNoBrowser({ platform, environment }: Surroundings): string | undefined {
  if (environment.SSH_CONNECTION || environment.SSH_TTY) return 'this is an SSH session'
  const isUnix = platform !== 'win32' && platform !== 'darwin'
  if (isUnix && !environment.DISPLAY && !environment.WAYLAND_DISPLAY) return 'there is no display'
  return undefined
}

/** Opens a page in the browser of this machine. @returns whether a program took it. */
export function openBrowser(url: string, platform = process.platform): Promise<boolean> {
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

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` belongs to the shell there, which would read `&` and the like; this takes an address as it is.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
