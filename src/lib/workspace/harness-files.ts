import { join, resolve } from 'node:path'
import { homeFolder } from '../files/folders.js'
import { expandHome } from './paths.js'

/** Environment and home folder of the user that runs the harnesses. */
export interface HarnessEnvironment {
  env: Readonly<Record<string, string | undefined>>
  home: string
  /** This machine's by default. */
  platform?: NodeJS.Platform
}

/** Purpose of a harness file. */
export type HarnessFileKind = 'instructions' | 'settings' | 'hooks' | 'mcp' | 'plugin'

/** Returns the folder that a variable names, or the default below the home folder. */
export function folderFrom(
  { env, home }: HarnessEnvironment,
  variable: string,
  ...fallback: readonly string[]
): string {
  const named = env[variable]
  return named ? resolve(expandHome(named)) : join(home, ...fallback)
}

/** Returns the folder in which desktop programs keep their settings. */
export function configFolder(place: HarnessEnvironment): string {
  const { env, home, platform = process.platform } = place
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  return folderFrom(place, 'XDG_CONFIG_HOME', '.config')
}

/** The user's settings folder of each harness; it exists once the harness ran. */
const homes = {
  'claude-code': place => folderFrom(place, 'CLAUDE_CONFIG_DIR', '.claude'),
  codex: place => folderFrom(place, 'CODEX_HOME', '.codex'),
  kimi: place => folderFrom(place, 'KIMI_CODE_HOME', '.kimi-code'),
  opencode: place => join(folderFrom(place, 'XDG_CONFIG_HOME', '.config'), 'opencode'),
  openclaw: place => folderFrom(place, 'OPENCLAW_STATE_DIR', '.openclaw'),
  pi: place => folderFrom(place, 'PI_CODING_AGENT_DIR', '.pi', 'agent'),
  'oh-my-pi': ({ home }) => join(home, '.omp', 'agent'),
  'hermes-agent': place => folderFrom(place, 'HERMES_HOME', '.hermes'),
  gemini: ({ home }) => join(home, '.gemini'),
  cursor: ({ home }) => join(home, '.cursor'),
  copilot: place => folderFrom(place, 'COPILOT_HOME', '.copilot'),
  vscode: place => join(configFolder(place), 'Code', 'User'),
  antigravity: ({ home }) => join(home, '.gemini', 'config'),
  qwen: place => folderFrom(place, 'QWEN_HOME', '.qwen'),
  kilo: place => join(folderFrom(place, 'XDG_CONFIG_HOME', '.config'), 'kilo'),
  cline: place => folderFrom(place, 'CLINE_DIR', '.cline'),
  grok: place => folderFrom(place, 'GROK_HOME', '.grok'),
  droid: ({ home }) => join(home, '.factory'),
  junie: ({ home }) => join(home, '.junie'),
  kiro: place => folderFrom(place, 'KIRO_HOME', '.kiro'),
  devin: place => join(folderFrom(place, 'XDG_CONFIG_HOME', '.config'), 'devin'),
} as const satisfies Readonly<Record<string, (place: HarnessEnvironment) => string>>

export type KnownHarness = keyof typeof homes

export function isKnownHarness(name: string): name is KnownHarness {
  return Object.hasOwn(homes, name)
}

/** Returns the path of a file outside the harness's folder. */
type Elsewhere = (place: HarnessEnvironment) => string

/** Files below each harness's folder; of two with the same purpose the preferred one comes first. */
const files: Readonly<
  Record<KnownHarness, readonly (readonly [path: string | Elsewhere, ...kinds: HarnessFileKind[]])[]>
> = {
  'claude-code': [
    ['CLAUDE.md', 'instructions'],
    ['settings.json', 'settings', 'hooks'],
    [place => join(folderFrom(place, 'CLAUDE_CONFIG_DIR'), '.claude.json'), 'mcp'],
  ],
  codex: [
    ['AGENTS.md', 'instructions'],
    ['config.toml', 'settings', 'mcp'],
    ['hooks.json', 'hooks'],
  ],
  kimi: [
    ['AGENTS.md', 'instructions'],
    ['config.toml', 'settings', 'hooks'],
    ['mcp.json', 'mcp'],
  ],
  opencode: [
    ['AGENTS.md', 'instructions'],
    ['opencode.jsonc', 'settings', 'mcp'],
    ['opencode.json', 'settings', 'mcp'],
    ['plugins/memory-service.js', 'plugin'],
  ],
  openclaw: [
    ['openclaw.json', 'settings', 'mcp'],
    ['extensions/memory-service/index.js', 'plugin'],
    ['extensions/memory-service/openclaw.plugin.json', 'plugin'],
    ['extensions/memory-service/package.json', 'plugin'],
  ],
  pi: [
    ['AGENTS.md', 'instructions'],
    ['mcp.json', 'mcp'],
    ['extensions/memory-service.js', 'plugin'],
  ],
  'oh-my-pi': [
    ['mcp.json', 'mcp'],
    ['extensions/memory-service.js', 'plugin'],
  ],
  'hermes-agent': [
    ['config.yaml', 'settings', 'hooks', 'mcp'],
    ['shell-hooks-allowlist.json', 'settings'],
  ],
  gemini: [
    ['GEMINI.md', 'instructions'],
    ['settings.json', 'settings', 'hooks', 'mcp'],
  ],
  cursor: [
    ['hooks.json', 'hooks'],
    ['mcp.json', 'mcp'],
  ],
  copilot: [
    ['copilot-instructions.md', 'instructions'],
    ['hooks/memory-service.json', 'hooks'],
    ['mcp-config.json', 'mcp'],
  ],
  vscode: [
    // VS Code and Copilot CLI read hooks from the same folder.
    [({ home }) => join(home, '.copilot', 'hooks', 'memory-service-vscode.json'), 'hooks'],
    ['mcp.json', 'mcp'],
  ],
  antigravity: [
    ['hooks.json', 'hooks'],
    ['mcp_config.json', 'mcp'],
  ],
  qwen: [
    ['QWEN.md', 'instructions'],
    ['settings.json', 'settings', 'hooks', 'mcp'],
  ],
  kilo: [
    ['AGENTS.md', 'instructions'],
    ['kilo.jsonc', 'settings', 'mcp'],
    ['kilo.json', 'settings', 'mcp'],
    ['plugins/memory-service.js', 'plugin'],
  ],
  cline: [
    ['hooks/TaskComplete.mjs', 'plugin'],
    ['data/settings/cline_mcp_settings.json', 'mcp'],
  ],
  grok: [
    ['hooks/memory-service.json', 'hooks'],
    ['config.toml', 'settings', 'mcp'],
  ],
  droid: [
    ['AGENTS.md', 'instructions'],
    ['hooks.json', 'hooks'],
    ['settings.json', 'settings', 'hooks'],
    ['mcp.json', 'mcp'],
  ],
  junie: [
    ['config.json', 'settings', 'hooks'],
    ['mcp/mcp.json', 'mcp'],
  ],
  kiro: [
    ['hooks/memory-service.json', 'hooks'],
    ['settings/mcp.json', 'mcp'],
  ],
  devin: [
    ['AGENTS.md', 'instructions'],
    ['config.json', 'settings', 'hooks'],
    ['mcp_config.json', 'mcp'],
  ],
}

export interface HarnessFile {
  harness: KnownHarness
  path: string
  kinds: readonly HarnessFileKind[]
}

/** Returns the user's settings folder of a harness. */
export function harnessHome(harness: KnownHarness, place: HarnessEnvironment): string {
  return homes[harness](place)
}

/** Returns the user's files that a harness reads, whether they exist or not. */
export function filesOfHarness(harness: KnownHarness, place: HarnessEnvironment): HarnessFile[] {
  const home = harnessHome(harness, place)
  return files[harness].map(([path, ...kinds]) => ({
    harness,
    path: typeof path === 'string' ? join(home, path) : path(place),
    kinds,
  }))
}

/** Returns the files of all known harnesses. */
export function harnessFiles(place: HarnessEnvironment): HarnessFile[] {
  return (Object.keys(homes) as KnownHarness[]).flatMap(harness => filesOfHarness(harness, place))
}

/** Returns the user's preferred file of a harness for a purpose. @throws Error if the harness has none. */
export function userFile(harness: KnownHarness, kind: HarnessFileKind, place: HarnessEnvironment): string {
  const found = filesOfHarness(harness, place).find(({ kinds }) => kinds.includes(kind))
  if (!found) throw new Error(`${harness} has no file for ${kind}`)
  return found.path
}

/** Returns the folders and files in which a program stores its sessions, unless its variables name others. */
export function sessionFolders(program: FolderOwner, env: NodeJS.ProcessEnv): string[] {
  const place = { env, home: homeFolder() }
  const folder = harnessHome(program, place)
  return folders[program].map(path => (typeof path === 'string' ? join(folder, path) : path(place)))
}

const folders = {
  'claude-code': ['projects'],
  codex: ['sessions', 'archived_sessions'],
  gemini: ['tmp'],
  copilot: ['session-state'],
  vscode: ['workspaceStorage'],
  cursor: ['projects'],
  qwen: ['projects'],
  kimi: ['sessions'],
  pi: ['sessions'],
  'oh-my-pi': ['sessions'],
  opencode: [place => join(folderFrom(place, 'XDG_DATA_HOME', '.local', 'share'), 'opencode')],
  'hermes-agent': ['state.db', 'profiles'],
  openclaw: ['agents'],
  grok: ['sessions'],
  kilo: [place => join(folderFrom(place, 'XDG_DATA_HOME', '.local', 'share'), 'kilo')],
  cline: [
    'data/sessions',
    place => join(configFolder(place), 'Code', 'User', 'globalStorage', 'saoudrizwan.claude-dev', 'tasks'),
  ],
} as const satisfies Partial<Record<KnownHarness, readonly (string | Elsewhere)[]>>

export type FolderOwner = keyof typeof folders
