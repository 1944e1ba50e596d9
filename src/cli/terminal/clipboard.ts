import { spawn } from 'node:child_process'

const programs: Partial<Record<NodeJS.Platform, ReadonlyArray<readonly [string, ...string[]]>>> = {
  darwin: [['pbcopy']],
  win32: [['clip']],
}

/** Programs of the Linux desktops, used in a desktop's session only. */
const ofDesktop: Readonly<Record<string, readonly [string, ...string[]]>> = {
  WAYLAND_DISPLAY: ['wl-copy'],
  DISPLAY: ['xclip', '-selection', 'clipboard'],
}

/** Returns the sequence by which a terminal copies a text (OSC 52), over SSH too. */
export function copySequence(text: string): string {
  return `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`
}

/**
 * Copies a text: by the program of this machine, and by the terminal, because neither is everywhere.
 * @returns true if a program took it; a terminal does not answer.
 */
export async function copyText(
  text: string,
  {
    env = process.env,
    platform = process.platform,
    write = sequence => process.stdout.write(sequence),
  }: {
    env?: Readonly<Record<string, string | undefined>>
    platform?: NodeJS.Platform
    write?: (sequence: string) => unknown
  } = {},
): Promise<boolean> {
  write(copySequence(text))
  const desktop = Object.entries(ofDesktop).flatMap(([name, program]) => (env[name] ? [program] : []))
  for (const [program, ...args] of programs[platform] ?? desktop)
    if (await takes(program, args, text)) return true
  return false
}

function takes(program: string, args: readonly string[], text: string): Promise<boolean> {
  return new Promise(resolve => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'ignore'],
      windowsHide: true,
      timeout: 2000,
    })
    child.once('error', () => resolve(false))
    // xclip answers by its end of input, and then serves the text in the background.
    child.once('exit', code => resolve(code === 0))
    child.stdin.on('error', () => resolve(false))
    child.stdin.end(text)
  })
}
