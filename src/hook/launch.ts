import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { workspacePaths } from '../lib/workspace/paths.js'

/** A start lock older than this belongs to a dead process. */
const startTakesMs = 60_000

/**
 * Runs `memory daemon start`, detached and without waiting.
 * @returns a note about the outcome for the user.
 */
export function launchDaemon(workspace: string | undefined): string {
  if (process.env.SERVICE_NO_AUTOSTART === '1') return 'SERVICE_NO_AUTOSTART=1 prevents starting it'
  if (isStarting(workspacePaths(workspace).startLock)) return 'it is starting'
  const flags = workspace ? ['--workspace', workspace] : []
  const child = spawn(process.execPath, [process.argv[1] ?? '', 'daemon', 'start', ...flags], {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  })
  child.on('error', () => undefined)
  child.unref()
  return 'starting it'
}

function isStarting(startLock: string): boolean {
  try {
    return Date.now() - statSync(startLock).mtimeMs < startTakesMs
  } catch {
    return false
  }
}
