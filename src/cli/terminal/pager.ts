import { spawn } from 'node:child_process'
import { print } from './output.js'

/** The parts of a process that decide about paging; tests pass their own. */
export interface PagedOutput {
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
  stdout: { isTTY?: boolean; rows?: number }
  write(text: string): void
}

/** Rows for the prompt of the shell and the notes below a list. */
const spareRows = 3
/** A shell runs a pager whose words need one, as git does. */
const forShell = /["'|&;<>()$`\\*?#~=%]/u

/**
 * Returns the pager for a text; undefined where it fits the screen, nobody reads it, or no pager is wanted:
 * `MEMORY_PAGER` goes before `PAGER`, and empty or `cat` is none.
 */
export function pagerFor(
  text: string,
  { env, platform, stdout }: Omit<PagedOutput, 'write'>,
): string | undefined {
  if (!stdout.isTTY || !stdout.rows || env.TERM === 'dumb') return undefined
  if (text.trimEnd().split('\n').length <= stdout.rows - spareRows) return undefined
  const pager = (env.MEMORY_PAGER ?? env.PAGER ?? (platform === 'win32' ? '' : 'less')).trim()
  return pager === '' || pager === 'cat' ? undefined : pager
}

/** Writes data to stdout like `print`, through the pager where it is longer than the screen. */
export async function printLong(
  text: string,
  output: PagedOutput = {
    env: process.env,
    platform: process.platform,
    stdout: process.stdout,
    write: print,
  },
): Promise<void> {
  const pager = pagerFor(text, output)
  if (pager === undefined || !(await isPaged(pager, text, output.env))) output.write(text)
}

/** Shows a text in the pager until the reader leaves it. @returns false if the pager cannot start. */
function isPaged(pager: string, text: string, env: PagedOutput['env']): Promise<boolean> {
  const needsShell = forShell.test(pager)
  const [program = '', ...args] = needsShell ? [pager] : pager.split(/\s+/u)
  // The pager handles Ctrl-C; git sets the same options of less: leave a short text, keep colours.
  const ignore = () => {}
  process.on('SIGINT', ignore)
  return new Promise<boolean>(resolve => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { LESS: 'FRX', LV: '-c', ...env },
      shell: needsShell,
      windowsHide: false,
    })
    child.once('error', () => resolve(false))
    child.once('close', () => resolve(true))
    // The reader may leave before the end.
    child.stdin.on('error', ignore)
    child.stdin.end(text.endsWith('\n') ? text : `${text}\n`)
  }).finally(() => process.off('SIGINT', ignore))
}
