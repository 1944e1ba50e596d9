/**
 * Command lines with which coding agents start our programs.
 *
 * This module decides which program an entry names, and writes the line for the shell of the agent. Shells
 * differ on Windows: Claude Code uses Git's bash or PowerShell, Codex PowerShell or cmd, the others
 * PowerShell. A line contains one command and no operators, because `||`, `&&` and `;` mean different things
 * there or nothing. Hooks fail open inside our program. npm's wrappers (`memory.ps1`, `memory.cmd`) are
 * never named on Windows: PowerShell refuses to run scripts by default, and MCP clients use no shell.
 */

import { delimiter, dirname, join } from 'node:path'
import { realPath } from '../../../lib/files/package-root.js'
import { inSingleQuotes, quotedForShell } from '../../../lib/text/shell-words.js'
import type { HarnessName, HookCommand } from './entries/harness.js'
import { findProgram, isOfThisInstallation, type Machine } from './entries/machine.js'

/** Command lines with which a harness starts our programs. */
export interface Program {
  /** Words before `hook ...`. */
  memory: readonly string[]
  /** Words that start the MCP server. */
  mcp: readonly string[]
  /** Explanation of the choice for a person. */
  reason: string
}

export type Shell = 'sh' | 'bash' | 'powershell' | 'cmd'

/**
 * Chooses `memory` if the PATH leads to this installation in a folder that every process has, otherwise full
 * paths. Folders of nvm and the like are on the PATH of some terminals only, and of one version of Node.
 * @param isGraphical true if the harness is started from a desktop, whose PATH differs from the terminal's.
 */
export function chooseProgram(machine: Machine, { isGraphical }: { isGraphical: boolean }): Program {
  const script = join(machine.packageRoot, 'bin', 'run.js')
  const run = [machine.node, script]
  const workspace = workspaceWords(machine)
  if (machine.platform === 'win32')
    return {
      memory: isOwnNodeOnPath(machine) ? ['node', script] : run,
      mcp: [...run, 'mcp', ...workspace],
      reason: 'this installation by its path, because PowerShell may refuse the wrappers of npm',
    }
  const path = isGraphical ? machine.systemPath : undefined
  const isEverywhere = (file: string): boolean =>
    machine.systemPath?.split(delimiter).includes(dirname(file)) ?? true
  const manager = versionManagerOf(machine)
  // The programs of this package are scripts and need a `node` on the same PATH.
  const canBeNamed = manager === undefined && findProgram(machine, 'node', machine.systemPath) !== undefined
  const isReachable = (name: string, bin: string): boolean => {
    const found = canBeNamed ? findProgram(machine, name, path) : undefined
    return found !== undefined && isEverywhere(found) && isOfThisInstallation(machine, found, bin)
  }
  const memory = isReachable('memory', 'run.js') ? ['memory'] : run
  const mcp = isReachable('service-mcp', 'mcp.js') ? ['service-mcp'] : [...run, 'mcp']
  return {
    memory,
    mcp: [...mcp, ...workspace],
    reason: reasonOf({ isNamed: memory.length === 1, isGraphical, manager }),
  }
}

function reasonOf(options: { isNamed: boolean; isGraphical: boolean; manager: string | undefined }): string {
  const { isNamed, isGraphical, manager } = options
  if (isNamed) return 'memory is on the PATH of every program'
  if (manager)
    return `full paths, because memory is installed below ${manager}, which only some terminals search`
  return isGraphical
    ? 'full paths, because desktop programs have a different PATH than this terminal'
    : 'full paths, because memory is not in a folder that every program searches, or belongs to another installation'
}

/** Folders in which version managers of Node keep global packages. */
const versionManagers: readonly (readonly [name: string, folder: RegExp])[] = [
  ['nvm', /[\\/]\.?nvm[\\/]/u],
  ['fnm', /[\\/](?:node-versions|fnm_multishells)[\\/]/u],
  ['Volta', /[\\/]\.?volta[\\/]/iu],
  ['mise', /[\\/]mise[\\/]installs[\\/]/u],
  ['asdf', /[\\/]\.?asdf[\\/]installs[\\/]/u],
  ['nodenv', /[\\/]\.?nodenv[\\/]versions[\\/]/u],
]

/** Returns the version manager that this installation belongs to, if any. */
export function versionManagerOf({ packageRoot }: Pick<Machine, 'packageRoot'>): string | undefined {
  return versionManagers.find(([, folder]) => folder.test(packageRoot))?.[0]
}

/** Returns true if `node` runs the Node of this installation in every shell of this user. */
function isOwnNodeOnPath(machine: Machine): boolean {
  const found = findProgram(machine, 'node')
  if (found === undefined || realPath(found) !== realPath(machine.node)) return false
  const { PATH, Path = '' } = machine.env
  return (PATH ?? Path).split(delimiter).includes(dirname(found))
}

/** Returns the shells in which a harness runs hooks on this machine, by the field of their command. */
export function shellsOf(machine: Machine, harness: HarnessName): { command: Shell; commandWindows?: Shell } {
  if (machine.platform !== 'win32') return { command: 'sh' }
  if (harness === 'claude-code') return { command: hasGitBash(machine) ? 'bash' : 'powershell' }
  // Codex runs `commandWindows` in PowerShell; versions without that field run `command` in cmd.
  if (harness === 'codex') return { command: 'cmd', commandWindows: 'powershell' }
  return { command: 'powershell' }
}

function hasGitBash(machine: Machine): boolean {
  return Boolean(machine.env.CLAUDE_CODE_GIT_BASH_PATH) || findProgram(machine, 'git') !== undefined
}

/** Returns the shell command of a hook. */
export function hookCommand(
  machine: Machine,
  { memory }: Program,
  hook: string,
  harness: HarnessName,
): HookCommand {
  const words = [...memory, 'hook', hook, '-H', harness, ...workspaceWords(machine)]
  const { command, commandWindows } = shellsOf(machine, harness)
  return {
    command: commandLine(words, command),
    ...(commandWindows && { commandWindows: commandLine(words, commandWindows) }),
  }
}

/**
 * A harness that starts elsewhere does not know the workspace chosen at this terminal; it finds the default
 * itself.
 */
function workspaceWords({ home, workspace: { root } }: Machine): string[] {
  return root === join(home, '.memory-service') ? [] : ['--workspace', root]
}

/** Writes a command for one shell. Only words that need quotes get them. */
export function commandLine([program = '', ...args]: readonly string[], shell: Shell): string {
  return [programFor(program, shell), ...args.map(word => wordFor(word, shell))].join(' ')
}

/**
 * PowerShell takes a quoted first word for a text unless `&` precedes it; cmd takes `/` for an option there.
 */
function programFor(program: string, shell: Shell): string {
  const word = wordFor(program, shell)
  if (shell === 'cmd') return word.replaceAll('/', '\\')
  return shell === 'powershell' && /^["']/u.test(word) ? `& ${word}` : word
}

/** Paths get forward slashes on Windows, because bash would read a backslash as an escape. */
function wordFor(word: string, shell: Shell): string {
  if (shell === 'sh') return quotedForShell(word)
  const plain = word.replaceAll('\\', '/')
  if (/^[\p{L}\p{N}_.:~/-]+$/u.test(plain)) return plain
  // Variables and typographic quotes are special between double quotes, but not in cmd.
  if (shell === 'cmd' || !/[$`\u201c-\u201e]/u.test(plain)) return `"${plain}"`
  return shell === 'powershell' ? `'${plain.replace(/['\u2018-\u201b]/gu, '$&$&')}'` : inSingleQuotes(plain)
}
