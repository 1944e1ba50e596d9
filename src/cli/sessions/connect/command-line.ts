import { join } from 'node:path'
import { quotedForShell } from '../../../lib/text/quoted-for-shell.js'
import { findProgram, isOfThisInstallation, type Machine } from './entries/machine.js'

/** How a harness starts our programs. */
export interface Program {
  /** Words before `hook ...`. */
  memory: readonly string[]
  /** Words of the MCP server. */
  mcp: readonly string[]
  /** What was chosen and why, for a person. */
  reason: string
}

/** What a program that was not started from a terminal finds its own programs in. */
const graphicalPaths: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/usr/bin:/bin:/usr/sbin:/sbin',
  linux: '/usr/local/bin:/usr/bin:/bin',
}

/**
 * `memory` where the PATH leads to this installation, otherwise this Node and this installation by their full paths.
 * @param isGraphical the harness is started from a desktop, whose PATH is not the terminal's.
 */
export function chooseProgram(machine: Machine, { isGraphical }: { isGraphical: boolean }): Program {
  const path = isGraphical ? graphicalPaths[machine.platform] : undefined
  const isReachable = (name: string, bin: string) => {
    const found = findProgram(machine, name, path)
    return found !== undefined && isOfThisInstallation(machine, found, bin)
  }
  // The programs of this package are scripts: they need a `node` on the same PATH.
  const hasNode = findProgram(machine, 'node', path) !== undefined
  const run = [machine.node, join(machine.packageRoot, 'bin', 'run.js')]
  const memory = hasNode && isReachable('memory', 'run.js') ? ['memory'] : run
  // A wrapper of Windows needs a shell, which MCP clients do not start.
  const hasServer = machine.platform !== 'win32' && hasNode && isReachable('service-mcp', 'mcp.js')
  const mcp = hasServer ? ['service-mcp'] : [...run, 'mcp']
  return {
    memory,
    mcp: [...mcp, ...workspaceWords(machine)],
    reason: reasonOf(memory.length === 1, isGraphical),
  }
}

function reasonOf(isOnPath: boolean, isGraphical: boolean): string {
  if (isOnPath) return 'memory is on the PATH and belongs to this installation'
  return isGraphical
    ? 'full paths: a program started from the desktop has another PATH than this terminal'
    : 'full paths: memory on the PATH is missing or belongs to another installation'
}

/** The line that a shell takes for a hook of a harness. */
export function hookCommand(machine: Machine, { memory }: Program, hook: string, harness: string): string {
  const words = [...memory, 'hook', hook, '-H', harness, ...workspaceWords(machine)]
  return words.map(word => quoteWord(word, machine.platform)).join(' ')
}

/** A harness started elsewhere does not know the workspace that this terminal chose; the default it finds itself. */
function workspaceWords({ home, workspace: { root } }: Machine): string[] {
  return root === join(home, '.memory-service') ? [] : ['--workspace', root]
}

/**
 * One word as a shell reads it. On Windows harnesses take cmd or Git's bash: forward slashes and double quotes mean
 * the same to both.
 */
export function quoteWord(word: string, platform: NodeJS.Platform): string {
  if (platform !== 'win32') return quotedForShell(word)
  return /^[\w@%+=:,.-]+$/u.test(word) ? word : `"${word.replaceAll('\\', '/')}"`
}
