import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { type IgnoreRules, ignoreRules } from '../../../../../lib/files/ignore-files.js'
import { languageOf } from '../languages/language-of.js'
import { isIgnoredFolder, isVendored, type Refusal } from './refusal.js'

export interface ListedPath {
  /** Relative to the root, with slashes; a folder of third-party packages ends with one. */
  path: string
  refusal?: Refusal
}

/** Files that define package names. */
const manifestNames = new Set(['package.json', 'go.mod', 'Cargo.toml', 'tsconfig.json', 'jsconfig.json'])

/** True for files that affect how others are indexed: a change of one checks everything. */
export function affectsOtherFiles(path: string): boolean {
  const name = posix.basename(path)
  return manifestNames.has(name) || name === '.gitignore'
}

export interface ListedFiles {
  code: ListedPath[]
  manifests: string[]
  /** Listed folders; the root is an empty path. */
  folders: string[]
  /** Number of files that are not code or have no parser. */
  others: number
}

/**
 * Lists the code below a root, respecting `.gitignore`. Links are not followed, and unreadable folders are
 * skipped.
 * @param within a folder below the root to list instead; `isDeep` includes its subfolders
 */
export async function listFiles(
  root: string,
  within = '',
  { isDeep } = { isDeep: true },
): Promise<ListedFiles> {
  const listed: ListedFiles = { code: [], manifests: [], folders: [], others: 0 }
  let rules = await ignoreRules(root)
  const parts = within.split('/').filter(Boolean)
  for (const [at, part] of parts.entries()) {
    const folder = parts.slice(0, at + 1).join('/')
    if (isIgnoredFolder(part) || isVendored(part) || rules.ignores(join(root, folder), 'folder'))
      return listed
    rules = await rules.inFolder(join(root, folder))
  }
  await listFolder(root, parts.join('/'), isDeep, rules, listed)
  listed.code.sort((a, b) => (a.path < b.path ? -1 : 1))
  return listed
}

async function listFolder(
  root: string,
  folder: string,
  isDeep: boolean,
  rules: IgnoreRules,
  listed: ListedFiles,
): Promise<void> {
  listed.folders.push(folder)
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory()) {
      if (isDeep) await noteFolder(root, path, entry.name, rules, listed)
    } else if (!rules.ignores(join(root, path), 'file')) noteFile(entry, path, listed)
  }
}

async function noteFolder(
  root: string,
  path: string,
  name: string,
  rules: IgnoreRules,
  listed: ListedFiles,
): Promise<void> {
  if (isIgnoredFolder(name) || rules.ignores(join(root, path), 'folder')) return
  if (isVendored(name)) listed.code.push({ path: `${path}/`, refusal: { reason: 'vendored' } })
  else await listFolder(root, path, true, await rules.inFolder(join(root, path)), listed)
}

function noteFile(entry: Dirent, path: string, listed: ListedFiles): void {
  if (manifestNames.has(entry.name) && entry.isFile()) listed.manifests.push(path)
  if (!languageOf(path)) listed.others++
  else if (entry.isSymbolicLink()) listed.code.push({ path, refusal: { reason: 'link' } })
  else if (entry.isFile()) listed.code.push({ path })
}
