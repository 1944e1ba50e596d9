/** The kind of choice and the title of the dialog. */
export interface PickRequest {
  kind: 'files' | 'directory'
  title: string
}

export interface PickerProgram {
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

/** Returns the programs that can show a dialog, most suitable first; none without a screen. */
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

/** The word before the title ends the options, so that the title may begin with a dash. */
function appleScript({ kind, title }: PickRequest): PickerProgram {
  const lines = ['on run argv', 'activate', ...appleScripts[kind], 'end run']
  return { command: ['osascript', ...lines.flatMap(line => ['-e', line]), 'pick', title] }
}

/** Exit codes of the script below; PowerShell itself exits with 1 on failure. */
export const windowsCodes = { cancelled: 2, noScreen: 3 } as const

const windowsDialogs: Readonly<Record<PickRequest['kind'], string>> = {
  files:
    '$d = New-Object System.Windows.Forms.OpenFileDialog; $d.Multiselect = $true; $d.Title = $env:PICKER_TITLE',
  directory: '$d = New-Object System.Windows.Forms.FolderBrowserDialog; $d.Description = $env:PICKER_TITLE',
}
const windowsPaths = { files: '$d.FileNames', directory: '$d.SelectedPath' } as const

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
