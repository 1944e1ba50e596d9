import { existsSync, realpathSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type LogAdapter, logAdapters } from '../../../contract/knowledge/import-adapters.js'
import { sessionFolders } from '../../../lib/workspace/harness-files.js'
import { meaningfulFolder } from '../../../lib/workspace/working-folder.js'
import { documentInputs } from '../../knowledge/documents/document-inputs.js'
import { type SessionLog, sessionLogsAt } from '../../sessions/session-logs.js'

/** Earlier sessions of one coding agent. */
export interface EarlierSessions {
  from: LogAdapter
  /** Folders with its logs. */
  paths: readonly string[]
  /** Newest first. */
  logs: SessionLog[]
}

/** A machine on which setup looks for things to read. */
export interface SearchedMachine {
  env: NodeJS.ProcessEnv
  home: string
  platform: NodeJS.Platform
  /** Current folder. */
  folder: string | undefined
}

/** Returns the logs that coding agents kept on this machine. A folder that cannot be read has none. */
export async function findEarlierSessions(env: NodeJS.ProcessEnv): Promise<EarlierSessions[]> {
  const found = await Promise.all(
    logAdapters.map(async from => {
      const paths = sessionFolders(from, env)
      const logs = await sessionLogsAt(paths, { from, since: undefined, named: false }).catch(() => [])
      return { from, paths, logs }
    }),
  )
  return found.filter(({ logs }) => logs.length > 0)
}

/** Folders below the home folder in which people keep vaults. */
const vaultParents = ['.', 'Documents', 'Notes', 'Obsidian', 'Dropbox', 'OneDrive']

/**
 * Returns the Obsidian vaults of this machine: those that Obsidian itself lists, and folders in the usual
 * places that have its settings.
 */
export async function findVaults({ env, home, platform, folder }: SearchedMachine): Promise<string[]> {
  const nearby = await Promise.all(vaultParents.map(name => foldersIn(join(home, name))))
  const candidates = [
    ...(await listedVaults(obsidianSettings({ env, home, platform }))),
    ...nearby.flat(),
    ...(folder === undefined ? [] : [folder]),
  ]
  const vaults = candidates
    .filter(path => existsSync(join(path, '.obsidian')))
    .map(path => realpathSync(path))
  return [...new Set(vaults)]
}

function obsidianSettings({ env, home, platform }: Omit<SearchedMachine, 'folder'>): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'obsidian', 'obsidian.json')
  const settings = platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME
  return join(settings || join(home, '.config'), 'obsidian', 'obsidian.json')
}

async function listedVaults(file: string): Promise<string[]> {
  try {
    const { vaults } = JSON.parse(await readFile(file, 'utf8')) as { vaults?: Record<string, unknown> }
    return Object.values(vaults ?? {}).flatMap(vault => {
      const { path } = (vault ?? {}) as { path?: unknown }
      return typeof path === 'string' ? [path] : []
    })
  } catch {
    return []
  }
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  return entries
    .filter(entry => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => join(path, name))
}

/** Names of files and folders with which a project explains itself. */
const explanations =
  /^(?:readme|contributing|architecture|agents|claude)\.(?:md|rst|txt|adoc)$|^(?:docs?|adr)$/iu

/** Documents of a project. */
export interface ProjectDocuments {
  /** Top folder of the project. */
  folder: string
  /** Names below it that setup adds. */
  names: string[]
  files: string[]
}

/** Returns the documents of the project around a folder; undefined if there are none. */
export async function findDocuments(folder: string | undefined): Promise<ProjectDocuments | undefined> {
  const root = meaningfulFolder(folder) && topOf(folder as string)
  if (root === undefined || existsSync(join(root, '.obsidian'))) return undefined
  const names = (await readdir(root).catch(() => [])).filter(name => explanations.test(name))
  const inputs = await documentInputs(names.map(name => join(root, name)))
  const files = inputs.flatMap(input => (input.kind === 'file' ? [input.path] : []))
  return files.length > 0 ? { folder: root, names, files } : undefined
}

/** Returns the folder of the repository around a folder, or the folder itself. */
function topOf(folder: string): string {
  for (let at = folder; at !== dirname(at); at = dirname(at)) if (existsSync(join(at, '.git'))) return at
  return folder
}
