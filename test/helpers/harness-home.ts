import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { type CliOptions, type CliResult, cliWorkspace, runCli } from './cli.js'
import { temporaryFolder } from './temporary-folder.js'

export interface HarnessHome {
  /** The test's own home folder, separate from the workspace. */
  home: string
  /** Runs the CLI with this home and an empty PATH. */
  run: (args: readonly string[], options?: CliOptions & { folder?: string }) => Promise<CliResult>
  /** Writes a file below the home folder. */
  write: (path: string, text: string) => string
  read: (path: string) => string
  /** Every file below the home folder, content by path. */
  files: () => Record<string, string>
}

/** Creates a home folder with agent settings files as users have them. */
export function harnessHome(t: ExecutionContext, files: Readonly<Record<string, string>> = {}): HarnessHome {
  const home = temporaryFolder(t, 'memory-harness-home')
  cliWorkspace(t)
  const write = (path: string, text: string) => {
    const file = join(home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  return {
    home,
    write,
    read: path => readFileSync(join(home, path), 'utf8'),
    files: () => filesBelow(home),
    run: (args, { env, folder, ...options } = {}) =>
      runCli(t, args, {
        ...options,
        folder,
        env: { HOME: home, PATH: '', SERVICE_NO_AUTOSTART: '1', ...env },
      }),
  }
}

/** Every file below a folder, text by relative path. */
export function filesBelow(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(
    names.map(name => {
      const file = join(folder, name)
      return [name, existsSync(file) && lstatSync(file).isFile() ? readFileSync(file, 'utf8') : '']
    }),
  )
}
