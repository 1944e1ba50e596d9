import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { isRecord, jsonOf } from '../text/json-of.js'
import type { WorkspacePaths } from './paths.js'

/**
 * Returns true if `memory connect` has connected an agent, for the user or for the project of a folder. Our
 * plug-in in that agent then does nothing, so that no hook runs twice. An entry that a person removed does
 * not count.
 * @param needsServer the connection must include the MCP server.
 */
export function isConnected(
  { connections }: Pick<WorkspacePaths, 'connections'>,
  harness: string,
  folder: string | undefined,
  { needsServer = false } = {},
): boolean {
  const ofHarness = join(connections, harness)
  return namesIn(ofHarness).some(name => {
    const record = jsonOf(textOf(join(ofHarness, name, 'record.json')))
    if (!isRecord(record) || !Array.isArray(record.files)) return false
    const isHere =
      typeof record.folder !== 'string' ||
      folder === record.folder ||
      folder?.startsWith(`${record.folder}${sep}`)
    return (
      isHere === true &&
      !(needsServer && record.withMcp === false) &&
      record.files.some(file => textOf(String(isRecord(file) && file.path)).includes(`-H ${harness}`))
    )
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
