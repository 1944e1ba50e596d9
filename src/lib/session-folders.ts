import { homedir } from 'node:os'
import { join } from 'node:path'

export type FolderOwner = 'claude-code' | 'codex' | 'gemini' | 'copilot'

/** Folders in which a program keeps its sessions as files, where its own variables do not say otherwise. */
export function sessionFolders(
  program: FolderOwner,
  { CLAUDE_CONFIG_DIR, CODEX_HOME, COPILOT_HOME }: NodeJS.ProcessEnv,
): string[] {
  const home = homedir()
  if (program === 'claude-code') return [join(CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects')]
  if (program === 'gemini') return [join(home, '.gemini', 'tmp')]
  if (program === 'copilot') return [join(COPILOT_HOME || join(home, '.copilot'), 'session-state')]
  const codex = CODEX_HOME || join(home, '.codex')
  return [join(codex, 'sessions'), join(codex, 'archived_sessions')]
}
