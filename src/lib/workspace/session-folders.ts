import { join } from 'node:path'
import { homeFolder } from '../files/home-folder.js'
import { harnessHome } from './harness-files.js'

export type FolderOwner = 'claude-code' | 'codex' | 'gemini' | 'copilot'

/** Returns the folders in which a program stores its sessions, unless its own variables name others. */
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
