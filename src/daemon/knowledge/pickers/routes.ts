import { isAbsolute } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import * as contract from '../../../contract/knowledge/pickers.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import {
  desktopVariables,
  type GroupEnd,
  passedVariables,
  runGroup,
} from '../../platform/processes/run-group.js'

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

interface ProgramResult extends GroupEnd {
  stdout: string
  stderr: string
}

/** Messages on stderr when no dialog was shown; other warnings of a toolkit are harmless. */
const failed =
  /display|wayland|xcb|platform plugin|not authori[sz]ed|not allowed|no user interaction|-1713|-1743|-10004|Add-Type|New-Object/iu

/** The kind of choice and the title of the dialog. */
interface PickRequest {
  kind: 'files' | 'directory'
  title: string
}

interface PickerProgram {
  /**
   * The program with its arguments. No shell parses them, and the title is always a separate argument or
   * variable.
   */
  command: readonly [program: string, ...args: string[]]
  /** Added to the daemon's own environment. */
  env?: Readonly<Record<string, string>>
}

/** The platform and environment of the daemon. */
export interface Desktop {
  platform: NodeJS.Platform
  environment: NodeJS.ProcessEnv
}

const appleScripts: Readonly<Record<PickRequest['kind'], readonly string[]>> = {
  files: [
    'set theFiles to choose file with prompt (item 2 of argv) with multiple selections allowed',
    'set thePaths to {}',
    'repeat with theFile in theFiles',
    'set end of thePaths to POSIX path of theFile',
    'end repeat',
    "set AppleScript's text item delimiters to linefeed",
    'return thePaths as text',
  ],
  directory: ['return POSIX path of (choose folder with prompt (item 2 of argv))'],
}

/** Exit codes of the script below; PowerShell itself exits with 1 on failure. */
const windowsCodes = { cancelled: 2, noScreen: 3 } as const

const windowsDialogs: Readonly<Record<PickRequest['kind'], string>> = {
  files:
    '$d = New-Object System.Windows.Forms.OpenFileDialog; $d.Multiselect = $true; $d.Title = $env:PICKER_TITLE',
  directory: '$d = New-Object System.Windows.Forms.FolderBrowserDialog; $d.Description = $env:PICKER_TITLE',
}
const windowsPaths = { files: '$d.FileNames', directory: '$d.SelectedPath' } as const

export const routes = [
  route(contract.pickFiles, async (daemon, { caller, body, untilGone }) => ({
    paths: await openPicker(daemon, caller, {
      kind: 'files',
      title: body.title || 'Choose files to import',
      signal: untilGone(),
    }),
  })),
  route(contract.pickDirectory, async (daemon, { caller, body, untilGone }) => {
    const [path = null] = await openPicker(daemon, caller, {
      kind: 'directory',
      title: body.title || 'Choose a folder',
      signal: untilGone(),
    })
    return { path }
  }),
]

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
      `the window would open on the daemon's machine; pass a path, or upload the files`,
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
    deps.log.warn({ program: program.command[0], code: end.code }, 'the file dialog could not be shown')
  }
  throw noWindow(options)
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
    env: { ...passedVariables(deps.environment, desktopVariables), ...env },
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

/** True if a person is logged in on this Mac; dialogs cannot be shown over SSH or by services. */
async function isAqua(deps: Deps, signal: AbortSignal): Promise<boolean> {
  const { stdout } = await runProgram(deps, { command: ['launchctl', 'managername'] }, signal, 5000)
  return stdout.trim() === 'Aqua'
}

function noWindow({ kind }: PickRequest): AppError {
  const what = kind === 'files' ? 'the paths of the files' : 'the path of the folder'
  return new AppError(
    'not_implemented',
    `no file dialog can be shown here: it needs a screen, permission, and on Linux kdialog or zenity; pass ${what} instead`,
  )
}

/** Returns the programs that can show a dialog, most suitable first; none without a screen. */
function pickerPrograms(request: PickRequest, { platform, environment }: Desktop): readonly PickerProgram[] {
  if (platform === 'darwin') return [appleScript(request)]
  if (platform === 'win32') return [powerShell(request)]
  if (!environment.DISPLAY && !environment.WAYLAND_DISPLAY) return []
  const programs = [zenity(request), kdialog(request)]
  return /kde/iu.test(environment.XDG_CURRENT_DESKTOP ?? '') ? programs.reverse() : programs
}

function zenity({ kind, title }: PickRequest): PickerProgram {
  const what = kind === 'files' ? ['--multiple', '--separator=\n'] : ['--directory']
  return { command: ['zenity', '--file-selection', ...what, `--title=${title}`] }
}

function kdialog({ kind, title }: PickRequest): PickerProgram {
  const what =
    kind === 'files'
      ? ['--multiple', '--separate-output', '--getopenfilename', '.']
      : ['--getexistingdirectory', '.']
  return { command: ['kdialog', `--title=${title}`, ...what] }
}

/** The word before the title ends the options, so that the title may begin with a dash. */
function appleScript({ kind, title }: PickRequest): PickerProgram {
  const lines = ['on run argv', 'activate', ...appleScripts[kind], 'end run']
  return { command: ['osascript', ...lines.flatMap(line => ['-e', line]), 'pick', title] }
}

/** Further arguments would become part of the script, so the title is passed in an environment variable. */
function powerShell({ kind, title }: PickRequest): PickerProgram {
  const script = [
    `if (-not [Environment]::UserInteractive) { exit ${windowsCodes.noScreen} }`,
    '[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false',
    'Add-Type -AssemblyName System.Windows.Forms',
    windowsDialogs[kind],
    `if ($d.ShowDialog() -ne 'OK') { exit ${windowsCodes.cancelled} }`,
    `${windowsPaths[kind]} | ForEach-Object { [Console]::Out.WriteLine($_) }`,
  ].join('; ')
  return {
    command: ['powershell.exe', '-NoProfile', '-STA', '-Command', script],
    env: { PICKER_TITLE: title },
  }
}
