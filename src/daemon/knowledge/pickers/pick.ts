import { isAbsolute } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { foreignVariables } from '../../platform/processes/foreign-variables.js'
import { type GroupEnd, runGroup } from '../../platform/processes/run-group.js'
import { type PickerProgram, type PickRequest, pickerPrograms, windowsCodes } from './picker-programs.js'

type Deps = Pick<Daemon, 'paths' | 'log' | 'environment'>

/** An unanswered dialog is closed after this time. */
const openForMs = 5 * 60_000
/** Enough for the paths of thousands of files. */
const maxOutput = 1024 * 1024

export interface PickOptions extends PickRequest {
  /** Closes the dialog. */
  signal: AbortSignal
  platform?: NodeJS.Platform
}

/**
 * Opens a native dialog for the person at this machine.
 * @returns absolute paths; empty if the dialog was cancelled
 * @throws AppError `forbidden` for callers on other machines, `not_implemented` if no dialog can be shown,
 * `request_timeout`
 */
export async function openPicker(
  deps: Deps,
  caller: Pick<Caller, 'peer'>,
  { platform = process.platform, ...options }: PickOptions,
): Promise<string[]> {
  if (!isOnThisMachine(caller))
    throw new AppError(
      'forbidden',
      `a window opens on the daemon's machine; pass a path, or upload the files`,
    )
  if (platform === 'darwin' && !(await isAqua(deps, options.signal))) throw noWindow(options)
  const programs = pickerPrograms(options, { platform, environment: deps.environment })
  for (const program of programs) {
    const end = await runProgram(deps, program, options.signal)
    if (end.status === 'timed_out')
      throw new AppError('request_timeout', 'nothing was chosen within five minutes; open the window again')
    if (end.status === 'not_started') continue
    const outcome = outcomeOf(end)
    if (outcome) return outcome
    deps.log.warn({ program: program.command[0], code: end.code }, 'no window to choose in could be shown')
  }
  throw noWindow(options)
}

interface ProgramResult extends GroupEnd {
  stdout: string
  stderr: string
}

async function runProgram(
  deps: Deps,
  { command, env }: PickerProgram,
  signal: AbortSignal,
  timeoutMs = openForMs,
): Promise<ProgramResult> {
  const written = { stdout: '', stderr: '' }
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  const end = await runGroup(deps, {
    command,
    cwd: deps.environment.HOME || deps.paths.root,
    env: { ...foreignVariables(deps.environment), ...env },
    timeoutMs,
    signal,
    onOutput: (stream, chunk) => {
      if (written[stream].length < maxOutput)
        written[stream] += decoders[stream].decode(chunk, { stream: true })
    },
  })
  return { ...end, ...written }
}

/** @returns undefined if the program could not show a dialog */
function outcomeOf({ status, code, stdout, stderr }: ProgramResult): string[] | undefined {
  if (status === 'cancelled') return []
  if (code === 0) return stdout.split(/\r?\n/u).filter(isAbsolute)
  if (code === windowsCodes.cancelled && stderr.trim() === '') return []
  // Both Linux programs and osascript exit with 1 when the dialog is cancelled, and also when it cannot be
  // shown.
  return code === 1 && !failed.test(stderr) ? [] : undefined
}

/** Messages on stderr when no dialog was shown; other warnings of a toolkit are harmless. */
const failed =
  /display|wayland|xcb|platform plugin|not authori[sz]ed|not allowed|no user interaction|-1713|-1743|-10004|Add-Type|New-Object/iu

/** True if a person is logged in on this Mac; dialogs cannot be shown over SSH or by services. */
async function isAqua(deps: Deps, signal: AbortSignal): Promise<boolean> {
  const { stdout } = await runProgram(deps, { command: ['launchctl', 'managername'] }, signal, 5000)
  return stdout.trim() === 'Aqua'
}

function noWindow({ kind }: PickRequest): AppError {
  const what = kind === 'files' ? 'the paths of the files' : 'the path of the folder'
  return new AppError(
    'not_implemented',
    `no window to choose in can be shown here: there is no screen, no permission, or no kdialog or zenity; pass ${what} instead`,
  )
}
