import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../lib/files/replace-file.js'
import { isRecord, jsonOf } from '../../lib/text/json-of.js'
import { workspacePaths } from '../../lib/workspace/paths.js'
import { afterHeader, changeHeader } from '../../lib/workspace/peer-headers.js'
import { formatOrigin, type Origin } from './origin.js'

/**
 * The newest change that programs of this user made at a daemon elsewhere. Behind its address may be several
 * daemons, each of which answers only when it knows that change. A file keeps it for the next command.
 */

/** Returns the header that asks a daemon to know the last change. */
export function afterHeaders(origin: Origin, workspace: string | undefined): Record<string, string> {
  // A daemon of this machine made its changes itself.
  const change = origin.expected ? undefined : readAll(workspace)[formatOrigin(origin)]
  return change === undefined ? {} : { [afterHeader]: String(change) }
}

/** Keeps the change that a reply tells. A file that cannot be written is not worth a failed command. */
export function noteChange(
  origin: Origin,
  workspace: string | undefined,
  headers: Readonly<Record<string, unknown>>,
): void {
  const change = Number(headers[changeHeader])
  if (origin.expected || !(change > 0)) return
  const all = readAll(workspace)
  const place = formatOrigin(origin)
  try {
    replaceFile(fileOf(workspace), `${JSON.stringify({ ...all, [place]: change })}\n`, 0o600)
  } catch {}
}

function readAll(workspace: string | undefined): Record<string, number> {
  try {
    const all = jsonOf(readFileSync(fileOf(workspace), 'utf8'))
    if (!isRecord(all)) return {}
    return Object.fromEntries(
      Object.entries(all).filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
    )
  } catch {
    return {}
  }
}

function fileOf(workspace: string | undefined): string {
  return join(workspacePaths(workspace).daemonDir, 'known-changes.json')
}
