import { readFile } from 'node:fs/promises'
import type { Request } from '../../contract/api.js'
import { CliError } from '../shell/cli-error.js'
import { decodeUtf8 } from '../shell/read-stdin.js'
import { unreadablePath } from '../shell/unreadable-path.js'
import { parseDotEnv } from './dot-env.js'
import { readHidden } from './read-hidden.js'

type Body = NonNullable<Request<'POST /api/secrets/store/import'>['body']>

export interface ImportSource {
  body: Pick<Body, 'file' | 'passphrase' | 'entries'>
  /** Names of a .env file without a value; they are left out. */
  empty: readonly string[]
}

/**
 * An export, whose passphrase is asked for, or a .env file.
 * @throws CliError `invalid_input` for a file that can't be read; no message repeats what stands in it.
 */
export async function readImport(file: string): Promise<ImportSource> {
  const text = decodeUtf8(await bytesOf(file), file)
  if (!text.trimStart().startsWith('{')) {
    const { entries, empty } = parseDotEnv(text)
    if (entries.length > 0) return { body: { entries }, empty }
    throw new CliError(`${file} holds no values`, { code: 'invalid_input', exit: 'usage' })
  }
  const label = `Passphrase of ${file}`
  return { body: { file: parseExport(text, file), passphrase: await readHidden({ label }) }, empty: [] }
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (cause) {
    throw unreadablePath(file, cause)
  }
}

function parseExport(text: string, file: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw new CliError(`${file} is no export of secrets: it is not whole JSON`, {
      code: 'invalid_input',
      exit: 'usage',
    })
  }
}
