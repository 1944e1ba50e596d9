import { createHash } from 'node:crypto'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readForeignText } from '../../lib/files/open-foreign.js'
import { isRecord, jsonOf } from '../../lib/text/json-of.js'

const maxBytes = 4 * 1024 * 1024

/**
 * Returns the working folder of a session whose log does not have it, from files beside it; undefined if
 * nothing names it.
 * @param hash that of the folder, in logs of Gemini CLI.
 */
export async function folderBeside(log: string, hash: string | undefined): Promise<string | undefined> {
  if (hash !== undefined) return geminiFolder(log, hash)
  if (/[\\/]GitHub\.copilot-chat[\\/]transcripts[\\/]/u.test(log)) return vscodeFolder(log)
  if (basename(log) === 'updates.jsonl') return grokFolder(log)
  if (log.endsWith(clineEnding)) return clineFolder(log)
  return basename(log) === 'wire.jsonl' ? kimiFolder(log) : undefined
}

const clineEnding = '.messages.json'

/** Cline describes a session in a file of its own. */
async function clineFolder(log: string): Promise<string | undefined> {
  const session = jsonOf((await textOf(`${log.slice(0, -clineEnding.length)}.json`)) ?? '')
  return isRecord(session) && typeof session.cwd === 'string' ? session.cwd : undefined
}

/** Grok Build names the folder of a project's sessions after it. */
function grokFolder(log: string): string | undefined {
  try {
    const folder = decodeURIComponent(basename(join(log, '..', '..')))
    return isAbsolute(folder) ? folder : undefined
  } catch {
    return undefined
  }
}

/** VS Code has a folder for each workspace, with its URL. */
async function vscodeFolder(log: string): Promise<string | undefined> {
  const workspace = jsonOf((await textOf(join(log, '..', '..', '..', 'workspace.json'))) ?? '')
  const url = isRecord(workspace) ? workspace.folder : undefined
  return typeof url === 'string' && url.startsWith('file:///') ? fileURLToPath(url) : undefined
}

/** Kimi Code lists its sessions beside their folders. */
async function kimiFolder(log: string): Promise<string | undefined> {
  const session = join(log, '..', '..', '..')
  const index = await textOf(join(session, '..', '..', '..', 'session_index.jsonl'))
  const entries = (index ?? '').split('\n').map(line => jsonOf(line))
  const found = entries.find(entry => isRecord(entry) && entry.sessionId === basename(session))
  return isRecord(found) && typeof found.workDir === 'string' ? found.workDir : undefined
}

/**
 * The log has only a hash of it: `projects.json` of the program's folder has the paths and their
 * short names, which the folders in `tmp` have too, and `.project_root` in such a folder has its path.
 */
async function geminiFolder(log: string, hash: string): Promise<string | undefined> {
  const own = ancestors(log).find(folder => basename(dirname(folder)) === 'tmp')
  if (own === undefined) return undefined
  const isIt = (folder: string): boolean => createHash('sha256').update(folder).digest('hex') === hash
  const said = (await textOf(join(own, '.project_root')))?.trim()
  if (said && isIt(said)) return said
  const registry = jsonOf((await textOf(join(dirname(dirname(own)), 'projects.json'))) ?? '')
  const projects = isRecord(registry) && isRecord(registry.projects) ? Object.entries(registry.projects) : []
  return (
    projects.find(([folder]) => isIt(folder))?.[0] ??
    projects.find(([, name]) => name === basename(own))?.[0] ??
    (said || undefined)
  )
}

function ancestors(path: string): string[] {
  const folder = dirname(path)
  return folder === path ? [] : [folder, ...ancestors(folder)]
}

function textOf(path: string): Promise<string | undefined> {
  return readForeignText(path, { maxBytes, followLinks: true })
}
