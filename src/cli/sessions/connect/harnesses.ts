import { existsSync } from 'node:fs'
import type { Harness } from './entries/harness.js'
import { findProgram, type Machine } from './entries/machine.js'
import { claudeCode } from './harnesses/claude-code.js'
import { codex } from './harnesses/codex.js'
import { copilot } from './harnesses/copilot.js'
import { cursor } from './harnesses/cursor.js'
import { gemini } from './harnesses/gemini.js'
import { opencode } from './harnesses/opencode.js'

export const harnesses: readonly Harness[] = [claudeCode, codex, opencode, gemini, cursor, copilot]

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
export function detect({ home, binaries }: Harness, machine: Machine): Detection {
  const folder = home(machine)
  const found = [
    ...(existsSync(folder) ? [folder] : []),
    ...binaries.flatMap(binary => findProgram(machine, binary) ?? []).slice(0, 1),
  ]
  if (found.length > 0) return { isInstalled: true, evidence: found.join(', ') }
  return { isInstalled: false, evidence: `no ${folder}, no ${binaries.join(' or ')} on the PATH` }
}
