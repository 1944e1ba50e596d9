import { stat } from 'node:fs/promises'
import { CliError } from './cli-error.js'

/** Creates the error for an unreadable path that the user named. */
export function unreadablePath(path: string, cause: unknown): CliError {
  const { code = '' } = cause as NodeJS.ErrnoException
  return new CliError(words[code]?.(path) ?? `cannot read ${path}: ${code}`, {
    code: 'invalid_input',
    exit: 'usage',
    cause,
  })
}

const words: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: path => `no such file or folder: ${path}`,
  EISDIR: path => `${path} is a folder; give a file`,
  EACCES: path => `no permission to read ${path}`,
}

/** @throws CliError `invalid_input` for the first missing path. */
export async function requirePaths(paths: readonly string[]): Promise<void> {
  for (const path of paths)
    await stat(path).catch((cause: unknown) => {
      throw unreadablePath(path, cause)
    })
}
