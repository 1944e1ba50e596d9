import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Harness } from './entries/harness.js'
import { findProgram, type Machine } from './entries/machine.js'
import { tableHarnesses, vscodeHooks } from './harnesses/agent-rows.js'
import { claudeCode } from './harnesses/claude-code.js'
import { codex } from './harnesses/codex.js'
import { copilot } from './harnesses/copilot.js'
import { cursor } from './harnesses/cursor.js'
import { gemini } from './harnesses/gemini.js'
import { mcpClients } from './harnesses/mcp-clients.js'
import { kilo, opencode } from './harnesses/opencode.js'

/** Coding agents, then programs that get the MCP server alone. */
export const harnesses: readonly Harness[] = [
  claudeCode,
  codex,
  opencode,
  gemini,
  cursor,
  copilot,
  ...tableHarnesses,
  kilo,
  ...mcpClients,
]

/** All names of harnesses on the command line. */
export const harnessWords: readonly string[] = harnesses.flatMap(({ name, aliases }) => [name, ...aliases])

/** Returns the harnesses of some names, without duplicates, in order of the names. */
export function harnessesNamed(words: readonly string[]): Harness[] {
  const named = words.flatMap(
    word => harnesses.find(({ name, aliases }) => [name, ...aliases].includes(word)) ?? [],
  )
  return [...new Set(named)]
}

export interface Detection {
  isInstalled: boolean
  /** The found path or program, or what was searched for. */
  evidence: string
}

/** Detects a harness from its settings folder or its program on the PATH. */
export function detect({ name, home, binaries, printed }: Harness, machine: Machine): Detection {
  if (printed) return { isInstalled: false, evidence: `memory connect ${name} prints the entry` }
  const folder = home(machine)
  const found = [
    ...(existsSync(folder) && !hasOnlyOtherHooks(folder) ? [folder] : []),
    ...binaries.flatMap(binary => findProgram(machine, binary) ?? []).slice(0, 1),
  ]
  if (found.length > 0) return { isInstalled: true, evidence: found.join(', ') }
  const programs = binaries.length > 0 ? `, no ${binaries.join(' or ')} on the PATH` : ''
  return { isInstalled: false, evidence: `no ${folder}${programs}` }
}

/** Hooks of VS Code are in a folder of Copilot CLI, which need not be installed. */
function hasOnlyOtherHooks(folder: string): boolean {
  const entries = readdirSync(folder, { withFileTypes: true })
  return (
    entries.length > 0 &&
    entries.every(entry =>
      entry.isDirectory() ? hasOnlyOtherHooks(join(folder, entry.name)) : entry.name === vscodeHooks,
    )
  )
}
