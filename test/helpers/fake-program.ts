import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Scope } from './daemon-process.js'
import { temporaryFolder } from './temporary-folder.js'

export interface FakeProgram {
  /** A PATH with the program first. */
  path: string
  /** Calls so far. */
  calls(): { args: string[]; cwd: string; env: Record<string, string>; input?: string }[]
}

/**
 * Puts a Node program on a test's PATH; it records each call before it runs `code` (CommonJS).
 * @param options.readsInput reads standard input first, as `input`.
 */
export function fakeProgram(
  t: Scope,
  name: string,
  code: string,
  { readsInput = false }: { readsInput?: boolean } = {},
): FakeProgram {
  const folder = emptyFolder(t)
  const log = join(folder, 'calls.jsonl')
  const read = readsInput ? "const input = require('node:fs').readFileSync(0, 'utf8'); " : ''
  const note = `${read}require('node:fs').appendFileSync(${JSON.stringify(log)}, JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), env: process.env${readsInput ? ', input' : ''} }) + '\\n')`
  const script = join(folder, process.platform === 'win32' ? `${name}.cjs` : name)
  writeFileSync(script, `#!${process.execPath}\n${note}\n${code}\n`)
  chmodSync(script, 0o755)
  if (process.platform === 'win32')
    writeFileSync(join(folder, `${name}.cmd`), `@"${process.execPath}" "${script}" %*\r\n`)
  return {
    path: `${folder}${delimiter}${process.env.PATH}`,
    // Text after the last line break is a call that is still being written.
    calls: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .slice(0, -1)
            .map(line => JSON.parse(line))
        : [],
  }
}

/** A PATH folder without any program. */
export function emptyFolder(t: Scope): string {
  return temporaryFolder(t, 'memory-service-path')
}
