import { delimiter, dirname, join } from 'node:path'
import { quotedForShell } from '../../../lib/text/quoted-for-shell.js'
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

/**
 * Chooses `memory` if the PATH leads to this installation in a folder that every process has, otherwise full
 * paths. Folders of nvm and the like are on the PATH of some terminals only, and of one version of Node.
 * @param isGraphical true if the harness is started from a desktop, whose PATH differs from the terminal's.
 */
export function chooseProgram(machine: Machine, { isGraphical }: { isGraphical: boolean }): Program {
  const path = isGraphical ? machine.systemPath : undefined
  const isEverywhere = (file: string): boolean =>
    machine.systemPath?.split(delimiter).includes(dirname(file)) ?? true
  const isReachable = (name: string, bin: string): boolean => {
    const found = findProgram(machine, name, path)
    return found !== undefined && isEverywhere(found) && isOfThisInstallation(machine, found, bin)
  }
  // The programs of this package are scripts and need a `node` on the same PATH.
  const hasNode = findProgram(machine, 'node', machine.systemPath) !== undefined
  const run = [machine.node, join(machine.packageRoot, 'bin', 'run.js')]
  const memory = hasNode && isReachable('memory', 'run.js') ? ['memory'] : run
  // Wrappers on Windows need a shell, which MCP clients do not use.
  const hasServer = machine.platform !== 'win32' && hasNode && isReachable('service-mcp', 'mcp.js')
  const mcp = hasServer ? ['service-mcp'] : [...run, 'mcp']
  return {
    memory,
    mcp: [...mcp, ...workspaceWords(machine)],
    reason: reasonOf(memory.length === 1, isGraphical),
  }
}

function reasonOf(isOnPath: boolean, isGraphical: boolean): string {
  if (isOnPath) return 'memory is on the PATH of every program'
  return isGraphical
    ? 'full paths, because desktop programs have a different PATH than this terminal'
    : 'full paths, because memory is not in a folder that every program searches, or belongs to another installation'
}

/** Returns the shell command of a hook. */
export function hookCommand(machine: Machine, { memory }: Program, hook: string, harness: string): string {
  const words = [...memory, 'hook', hook, '-H', harness, ...workspaceWords(machine)]
  return words.map(word => quoteWord(word, machine.platform)).join(' ')
}

/**
 * A harness that starts elsewhere does not know the workspace chosen at this terminal; it finds the default
 * itself.
 */
function workspaceWords({ home, workspace: { root } }: Machine): string[] {
  return root === join(home, '.memory-service') ? [] : ['--workspace', root]
}

/**
 * Quotes one word for a shell. On Windows harnesses use cmd or Git's bash; forward slashes and double quotes
 * work in both.
 */
export function quoteWord(word: string, platform: NodeJS.Platform): string {
  if (platform !== 'win32') return quotedForShell(word)
  return /^[\w@%+=:,.-]+$/u.test(word) ? word : `"${word.replaceAll('\\', '/')}"`
}
