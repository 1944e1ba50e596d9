import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { readForeignText } from '../../lib/files/open-foreign.js'
import { isRecord, jsonOf } from '../../lib/text/json-of.js'

const maxBytes = 4 * 1024 * 1024

/**
 * Returns the working folder of a session of Gemini CLI; undefined if nothing names it, and for logs of other
 * programs. The log has only a hash of it: `projects.json` of the program's folder has the paths and their
 * short names, which the folders in `tmp` have too, and `.project_root` in such a folder has its path.
 */
export async function geminiFolder(log: string, hash: string | undefined): Promise<string | undefined> {
  if (hash === undefined) return undefined
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
