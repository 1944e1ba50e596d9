import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Reply } from '../../contract/api.js'
import type { MemoryProgram } from '../../contract/knowledge/import-adapters.js'
import { homeFolder } from '../../lib/files/folders.js'
import { countOf } from '../../lib/text/count-of.js'
import { isRecord, jsonOf } from '../../lib/text/json-of.js'
import { folderFrom, type HarnessEnvironment, harnessHome } from '../../lib/workspace/harness-files.js'
import { meaningfulFolder, workingFolder } from '../../lib/workspace/working-folder.js'
import { CliError } from '../shell/cli-error.js'
import { plainLine } from '../terminal/text.js'

export type ImportFromReply = Reply<'POST /api/import/from'>

type Places = (place: HarnessEnvironment) => readonly (string | undefined)[]

const currentFolder = (): string | undefined => meaningfulFolder(workingFolder())

/** Where each program keeps its memories, unless its own variables name another place. */
const places: Readonly<Record<MemoryProgram, Places>> = {
  'claude-memory': place => [join(harnessHome('claude-code', place), 'projects')],
  'claude-md': place => [currentFolder(), harnessHome('claude-code', place)],
  'cursor-rules': () => [currentFolder()],
  'codex-memories': place => [join(harnessHome('codex', place), 'memories')],
  mem0: place => [join(folderFrom(place, 'MEM0_DIR', '.mem0'), 'history.db')],
  'claude-mem': place => [join(folderFrom(place, 'CLAUDE_MEM_DATA_DIR', '.claude-mem'), 'claude-mem.db')],
  'basic-memory': basicMemoryFolders,
  'mcp-memory-service': place => [
    place.env.MCP_MEMORY_SQLITE_PATH ?? join(serviceFolder(place), 'sqlite_vec.db'),
  ],
  mempalace: ({ env, home }) => [
    env.MEMPALACE_PALACE_PATH,
    join(home, '.mempalace'),
    join(home, '.config', 'mempalace'),
  ],
  'chatgpt-memory': () => [],
  'memory-json': ({ env }) => [env.MEMORY_FILE_PATH],
}

function basicMemoryFolders(place: HarnessEnvironment): string[] {
  const settings = join(folderFrom(place, 'BASIC_MEMORY_CONFIG_DIR', '.basic-memory'), 'config.json')
  const config = existsSync(settings) ? jsonOf(readFileSync(settings, 'utf8')) : undefined
  const projects = isRecord(config) && isRecord(config.projects) ? Object.values(config.projects) : []
  const named = projects
    .flatMap(one => (isRecord(one) ? one.path : one))
    .filter(path => typeof path === 'string')
  return named.length > 0 ? named : [folderFrom(place, 'BASIC_MEMORY_HOME', 'basic-memory')]
}

function serviceFolder(place: HarnessEnvironment): string {
  const { env, home, platform = process.platform } = place
  if (env.MCP_MEMORY_BASE_DIR) return env.MCP_MEMORY_BASE_DIR
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'mcp-memory')
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? home, 'mcp-memory')
  return join(home, '.local', 'share', 'mcp-memory')
}

/**
 * Returns the given paths, or the places where the program keeps its memories.
 * @throws CliError `invalid_input` when there are none.
 */
export function placesOf(from: MemoryProgram, named: readonly string[]): string[] {
  if (named.length > 0) return named.map(path => resolve(path))
  const usual = places[from]({ env: process.env, home: homeFolder() }).filter(path => path !== undefined)
  const found = usual.filter(path => existsSync(path))
  if (found.length > 0) return found
  const where = usual.length > 0 ? `nothing at ${usual.join(' and ')}` : 'the program has no usual place'
  throw new CliError(`no memories of ${from} found: ${where}`, {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: [`memory import from ${from} PATH --dry-run`],
  })
}

const mostListed = 12

/** Formats what an import did, or would do. */
export function importFromLines(reply: ImportFromReply): string[] {
  const { from, dryRun, files, found, becomes, leftOut, imported, known, changed } = reply
  const { recovered, forgotten, duplicates, unsafe, first } = reply
  const memories = (count: number) => countOf(count, 'memory', 'memories')
  const would = dryRun ? 'Would import' : 'Imported'
  return [
    `Found ${memories(found)} of ${from} in ${files.length === 1 ? files[0] : countOf(files.length, 'file')}`,
    ...becomes
      .slice(0, mostListed)
      .map(({ what, type, count }) => `  ${count} × ${plainLine(what)} -> ${type}`),
    ...(becomes.length > mostListed ? [`  and ${becomes.length - mostListed} more kinds, see --json`] : []),
    ...(dryRun ? first.map(({ type, content }) => `    ${type}  ${plainLine(content)}`) : []),
    `${would} ${memories(imported)}`,
    ...(recovered > 0
      ? [`  ${recovered} ${dryRun ? 'would be ' : ''}brought back after an undone import`]
      : []),
    ...(known > 0 ? [`  ${known} known from an earlier import`] : []),
    ...(changed > 0 ? [`  ${changed} of them differ there now; the memories here stay as they are`] : []),
    ...(forgotten > 0 ? [`  ${forgotten} imported before and forgotten since, so they stay forgotten`] : []),
    ...(duplicates > 0 ? [`  ${duplicates} skipped: another memory has the same text`] : []),
    ...(unsafe > 0 ? [`  ${unsafe} excluded from recall by the content safety policy`] : []),
    ...leftOut.map(({ why, count }) => `  left out: ${count} × ${plainLine(why)}`),
    ...(!dryRun && imported + recovered > 0 ? [`To forget them all: memory import from ${from} --undo`] : []),
  ]
}
