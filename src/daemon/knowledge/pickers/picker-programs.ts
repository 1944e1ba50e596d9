/** What a person may choose in the window that a program opens. */
export interface PickRequest {
  kind: 'files' | 'directory'
  title: string
}

export interface PickerProgram {
  /** With its arguments. No shell sees them, and the title is an argument or a variable of its own in every one. */
  command: readonly [program: string, ...args: string[]]
  /** On top of the daemon's own environment. */
  env?: Readonly<Record<string, string>>
}

/** Where the daemon runs. */
export interface Desktop {
  platform: NodeJS.Platform
  environment: NodeJS.ProcessEnv
}

/** The programs that can ask on a desktop, the one that fits it best first; none where there is no screen. */
export function pickerPrograms(
  request: PickRequest,
  { platform, environment }: Desktop,
): readonly PickerProgram[] {
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

/** The word before the title ends the options, whatever the title begins with. */
function appleScript({ kind, title }: PickRequest): PickerProgram {
  const lines = ['on run argv', 'activate', ...appleScripts[kind], 'end run']
  return { command: ['osascript', ...lines.flatMap(line => ['-e', line]), 'pick', title] }
}

/** Exit codes of the script below; PowerShell itself ends with 1 when it fails. */
export const windowsCodes = { cancelled: 2, noScreen: 3 } as const

const windowsDialogs: Readonly<Record<PickRequest['kind'], string>> = {
  files:
    '$d = New-Object System.Windows.Forms.OpenFileDialog; $d.Multiselect = $true; $d.Title = $env:PICKER_TITLE',
  directory: '$d = New-Object System.Windows.Forms.FolderBrowserDialog; $d.Description = $env:PICKER_TITLE',
}
const windowsPaths = { files: '$d.FileNames', directory: '$d.SelectedPath' } as const

/** Further arguments would become part of the script: the title is a variable of the environment. */
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
