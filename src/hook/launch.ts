import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { driverFaultLine, lastDriverFault } from '../lib/workspace/driver-fault.js'
import { workspacePaths } from '../lib/workspace/paths.js'

/** A start lock older than this belongs to a dead process. */
const startTakesMs = 60_000

/**
 * Runs `memory daemon start`, detached and without waiting.
 * @returns a note about the outcome for the user. If the last start found no driver of SQLite, the note says
 * so, since this start will most likely end the same way.
 */
export function launchDaemon(workspace: string | undefined): string {
  if (process.env.SERVICE_NO_AUTOSTART === '1') return 'SERVICE_NO_AUTOSTART=1 prevents starting it'
  const fault = driverFaultOf(workspace)
  if (isStarting(workspacePaths(workspace).startLock)) return fault ?? 'it is starting'
  const flags = workspace ? ['--workspace', workspace] : []
  const child = spawn(process.execPath, [process.argv[1] ?? '', 'daemon', 'start', ...flags], {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  })
  child.on('error', () => undefined)
  child.unref()
  return fault ?? 'starting it'
}

/** Describes why the last start of a daemon ended, if no driver of SQLite loaded. */
export function driverFaultOf(workspace: string | undefined): string | undefined {
  const fault = lastDriverFault(workspacePaths(workspace).launchLog)
  return fault && driverFaultLine(fault)
}

function isStarting(startLock: string): boolean {
  try {
    return Date.now() - statSync(startLock).mtimeMs < startTakesMs
  } catch {
    return false
  }
}
