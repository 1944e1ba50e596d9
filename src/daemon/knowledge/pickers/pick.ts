import { isAbsolute } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { foreignVariables } from '../../platform/processes/foreign-variables.js'
import { type GroupEnd, runGroup } from '../../platform/processes/run-group.js'
import { type PickerProgram, type PickRequest, pickerPrograms, windowsCodes } from './picker-programs.js'

type Deps = Pick<Daemon, 'paths' | 'log' | 'environment'>

/** A window that nobody answers is closed. */
const openForMs = 5 * 60_000
/** Paths of thousands of files. */
const maxOutput = 1024 * 1024

export interface PickOptions extends PickRequest {
  /** Closes the window. */
  signal: AbortSignal
  platform?: NodeJS.Platform
}

/**
 * Asks the person at this machine to choose, in a window of the system's own.
 * @returns absolute paths; none when the window was closed without a choice.
 * @throws AppError `forbidden` for a caller elsewhere, `not_implemented` where no window can be shown, `request_timeout`.
 */
export async function pick(
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
    const end = await show(deps, program, options.signal)
    if (end.status === 'timed_out')
      throw new AppError('request_timeout', 'nothing was chosen within five minutes; open the window again')
    if (end.status === 'not_started') continue
    const outcome = outcomeOf(end)
    if (outcome) return outcome
    deps.log.warn({ program: program.command[0], code: end.code }, 'no window to choose in could be shown')
  }
  throw noWindow(options)
}

interface Shown extends GroupEnd {
  stdout: string
  stderr: string
}

async function show(
  deps: Deps,
  { command, env }: PickerProgram,
  signal: AbortSignal,
  timeoutMs = openForMs,
): Promise<Shown> {
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

/** @returns undefined when the program could not show a window. */
function outcomeOf({ status, code, stdout, stderr }: Shown): string[] | undefined {
  if (status === 'cancelled') return []
  if (code === 0) return stdout.split(/\r?\n/u).filter(isAbsolute)
  if (code === windowsCodes.cancelled && stderr.trim() === '') return []
  // Both programs of Linux, and osascript, end with 1 when the window is closed, and when there is none.
  return code === 1 && !failed.test(stderr) ? [] : undefined
}

/** What stands on stderr when no window was shown; other warnings of a toolkit mean nothing. */
const failed =
  /display|wayland|xcb|platform plugin|not authori[sz]ed|not allowed|no user interaction|-1713|-1743|-10004|Add-Type|New-Object/iu

/** Whether somebody sits at this Mac: over SSH, and for services, nothing can be shown. */
async function isAqua(deps: Deps, signal: AbortSignal): Promise<boolean> {
  const { stdout } = await show(deps, { command: ['launchctl', 'managername'] }, signal, 5000)
  return stdout.trim() === 'Aqua'
}

function noWindow({ kind }: PickRequest): AppError {
  const what = kind === 'files' ? 'the paths of the files' : 'the path of the folder'
  return new AppError(
    'not_implemented',
    `no window to choose in can be shown here: there is no screen, no permission, or no kdialog or zenity; pass ${what} instead`,
  )
}
