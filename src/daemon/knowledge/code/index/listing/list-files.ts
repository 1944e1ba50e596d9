import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { type IgnoreRules, ignoreRules } from '../../../../../lib/files/ignore-files.js'
import { languageOf } from '../languages/language-of.js'
import { isNever, isVendored, type Refusal } from './refusal.js'

export interface Listed {
  /** Relative to the root, with slashes; a folder of packages of others ends with one. */
  path: string
  refusal?: Refusal
}

/** Files by which packages name themselves. */
const manifestNames = new Set(['package.json', 'go.mod', 'Cargo.toml', 'tsconfig.json', 'jsconfig.json'])

/** Files that say how others are to be looked at: when one changes, all are looked at. */
export function rulesOthers(path: string): boolean {
  const name = posix.basename(path)
  return manifestNames.has(name) || name === '.gitignore'
}

export interface ListedFiles {
  code: Listed[]
  manifests: string[]
  /** Those that were looked into; the root is an empty path. */
  folders: string[]
  /** Files that are no code, or that nothing here reads. */
  others: number
}

/**
 * The code below a root, as `.gitignore` files have it. Links are not followed, and folders that may not be read are passed
 * over.
 * @param within a folder below the root, where only that is looked at; `isDeep` for all below it too
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
    if (isNever(part) || isVendored(part) || rules.ignores(join(root, folder), 'folder')) return listed
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
  if (isNever(name) || rules.ignores(join(root, path), 'folder')) return
  if (isVendored(name)) listed.code.push({ path: `${path}/`, refusal: { reason: 'vendored' } })
  else await listFolder(root, path, true, await rules.inFolder(join(root, path)), listed)
}

function noteFile(entry: Dirent, path: string, listed: ListedFiles): void {
  if (manifestNames.has(entry.name) && entry.isFile()) listed.manifests.push(path)
  if (!languageOf(path)) listed.others++
  else if (entry.isSymbolicLink()) listed.code.push({ path, refusal: { reason: 'link' } })
  else if (entry.isFile()) listed.code.push({ path })
}
