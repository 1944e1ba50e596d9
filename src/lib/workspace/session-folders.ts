import { join } from 'node:path'
import { homeFolder } from '../files/home-folder.js'
import { harnessHome } from './harness-files.js'

export type FolderOwner = 'claude-code' | 'codex' | 'gemini' | 'copilot'

/** Folders in which a program keeps its sessions as files, where its own variables do not say otherwise. */
export function sessionFolders(program: FolderOwner, env: NodeJS.ProcessEnv): string[] {
  const folder = harnessHome(program, { env, home: homeFolder() })
  return folders[program].map(name => join(folder, name))
}

const folders: Readonly<Record<FolderOwner, readonly string[]>> = {
  'claude-code': ['projects'],
  codex: ['sessions', 'archived_sessions'],
  gemini: ['tmp'],
  copilot: ['session-state'],
}
