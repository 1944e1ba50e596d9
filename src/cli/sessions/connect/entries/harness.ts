import type { KnownHarness } from '../../../../lib/workspace/harness-files.js'
import type { Machine } from './machine.js'
import type { ServerVariables } from './server-variables.js'

/** A coding agent, or a client that gets the MCP server alone. */
export type HarnessName = KnownHarness | ClientName

export type ClientName =
  | 'amp'
  | 'auggie'
  | 'chatgpt'
  | 'claude-desktop'
  | 'crush'
  | 'deepagents'
  | 'goose'
  | 'jetbrains-ai'
  | 'letta'
  | 'lm-studio'
  | 'mistral-vibe'
  | 'openhands'
  | 'rovodev'
  | 'trae'
  | 'warp'
  | 'windsurf'
  | 'zed'

/** Plugins by the program that calls them. */
export type PluginSource = 'opencode.js' | 'by-hooks.js'

export type Transport = 'command' | 'http'

/** Target of the entries: the user's own files, or those of the project in the current folder. */
export type Scope = 'user' | 'project'

/** A hook's command line, and one for Windows if the harness has its own field for it. */
export interface HookCommand {
  command: string
  commandWindows?: string
}

/** Parameters of an installation. */
export interface Install {
  scope: Scope
  transport: Transport
  /** True if hooks after tools are wanted: `capture.toolUse` is not `off`. */
  toolHooks: boolean
  /** Returns the command line of one of our hooks, in the fields of the harness. */
  hookCommand: (hook: string) => HookCommand
  /** Words that start the MCP server. */
  mcpWords: readonly string[]
  /** Variables for the server's environment; needed for harnesses that do not pass theirs on. */
  variables: ServerVariables
  /** The daemon's address, for entries with URLs. */
  origin: string
  /**
   * Addresses that identify a server entry as ours: the current one, and the one at the time of connecting.
   */
  ownOrigins: readonly string[]
  /** Returns the workspace's name for entries with URLs; absent for a daemon named by its URL. */
  workspaceName?: () => string
  /** True if entries with URLs read the API key from the harness's environment. */
  needsKey: boolean
  withMcp: boolean
  /** True lets the harness call our tools without asking; undefined leaves the setting unchanged. */
  allowTools: boolean | undefined
  /** True if disconnecting also removes the user's decisions about our hooks. */
  forgetTrust: boolean
  /** Reads the current files. */
  read: ReadFile
  /** Returns the text of our plugin for the harness. */
  pluginText: () => string
}

/** A change in one file of a harness, as pure functions from text to text. */
export interface ConnectionEdit {
  kind: 'hooks' | 'MCP server' | 'plugin' | 'permission' | 'consent' | 'trust'
  file: string
  /** Number of entries; one by default. */
  count?: number
  /** @param text '' for a missing file. @throws MergeFault. */
  add: (text: string) => string
  /**
   * @param original the text before we connected, if known. @returns undefined if the file is to be deleted.
   * @throws MergeFault.
   */
  remove: (text: string, original?: string) => string | undefined
}

export interface Harness {
  name: HarnessName
  /** Spelling of the product name. */
  title: string
  aliases: readonly string[]
  binaries: readonly string[]
  /** True if it is usually started from a desktop. */
  isGraphical: boolean
  transports: readonly Transport[]
  /** File of our plugin's source, for a harness that has one. */
  plugin?: PluginSource
  /**
   * True if it asks before it calls our tools, and offers none when it cannot ask, unless its settings allow
   * them.
   */
  asksForTools?: true
  /** The user's settings folder, which exists once the harness ran. */
  home: (machine: Machine) => string
  /** The text that a person enters in its settings, if those are not a file that we could edit. */
  printed?: (install: Install) => string
  edits: (machine: Machine, install: Install) => ConnectionEdit[]
  /** Notes and further steps for the user. */
  hints: (machine: Machine, scope: Scope, read: ReadFile) => string[]
  /** Reasons why installed hooks have no effect, as far as the harness's files reveal them. */
  obstacles?: (machine: Machine, scope: Scope, read: ReadFile) => Obstacle[]
}

/** Returns the text of a file, '' if it is missing. */
export type ReadFile = (file: string) => string

/** A reason why a harness does not run our hooks. */
export interface Obstacle {
  what: string
  /** The user's remedy. */
  remedy: string
}
