import { readdir, stat } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { type IgnoreRules, ignoreRules, mirroredFiles, takesAll } from '../../../lib/files/ignore-files.js'
import { CliError } from '../../shell/cli-error.js'

/** One input of `memory documents add`. */
export type DocumentInput =
  | { kind: 'stdin' }
  | { kind: 'url'; url: string }
  /** An absolute path. */
  | { kind: 'file'; path: string }

/** Folders whose files were written by programs. */
const skippedFolders = new Set(['.git', '.hg', '.svn', 'node_modules', '.venv', '__pycache__', '.obsidian'])

/** File types that are added from a folder; any other file can be named itself. */
const readable = new Set(
  (
    'md markdown mdx txt text rst adoc org html htm csv tsv json pdf doc docx docm odt rtf ppt pptx ppsx odp epub ' +
    'xls xlsx xlsm ods'
  )
    .split(' ')
    .map(name => `.${name}`),
)

/**
 * Resolves the arguments to inputs: folders become their readable files in alphabetical order, without hidden
 * files, links, files excluded in `.gitignore` and files of a mirror of memories.
 * @throws CliError `invalid_input` for a path that does not exist.
 */
export async function documentInputs(words: readonly string[]): Promise<DocumentInput[]> {
  const inputs: DocumentInput[] = []
  for (const word of words) {
    if (word === '-') inputs.push({ kind: 'stdin' })
    else if (/^https?:\/\//iu.test(word)) inputs.push({ kind: 'url', url: word })
    else for (const path of await filesAt(resolve(word))) inputs.push({ kind: 'file', path })
  }
  return inputs
}

async function filesAt(path: string): Promise<string[]> {
  try {
    return (await stat(path)).isDirectory() ? await filesBelow(path, await ignoreRules(path)) : [path]
  } catch (cause) {
    const matching = await filesMatching(path)
    if (matching.length > 0) return matching
    throw new CliError(unreadable(path, (cause as NodeJS.ErrnoException).code), {
      code: 'invalid_input',
      exit: 'usage',
      nextSteps: ['Give an existing file or folder, or - for stdin'],
      cause,
    })
  }
}

function unreadable(path: string, code: string | undefined): string {
  if (code !== 'ENOENT') return `cannot read ${path}: ${code}`
  return isPattern(path) ? `no file matches ${path}` : `no such file or folder: ${path}`
}

function isPattern(path: string): boolean {
  return /[*?[{]/u.test(path)
}

/** Expands a pattern that the shell did not expand, including ignored files, as a shell would. */
async function filesMatching(path: string): Promise<string[]> {
  if (!isPattern(path)) return []
  const { default: picomatch } = await import('picomatch')
  const matches = picomatch(path, { windows: process.platform === 'win32' })
  const files = await filesBelow(picomatch.scan(path).base, takesAll).catch(() => [])
  return files.filter(file => matches(file))
}

async function filesBelow(
  folder: string,
  rules: IgnoreRules,
  mirrored = new Set<string>(),
): Promise<string[]> {
  for (const path of await mirroredFiles(folder)) mirrored.add(join(folder, path))
  const entries = await readdir(folder, { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  const files: string[] = []
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (mirrored.has(path)) continue
    if (entry.isDirectory()) {
      if (isSkipped(entry.name) || rules.ignores(path, 'folder')) continue
      files.push(...(await filesBelow(path, await rules.inFolder(path), mirrored)))
    } else if (entry.isFile() && isReadable(path) && !rules.ignores(path, 'file')) files.push(path)
  }
  return files
}

/** Returns true for a subfolder that is skipped. */
export function isSkipped(name: string): boolean {
  return skippedFolders.has(name) || (name.startsWith('.') && name.length > 1)
}

/** Returns true for a file type that is added from a folder. */
export function isReadable(path: string): boolean {
  return readable.has(extname(path).toLowerCase())
}
