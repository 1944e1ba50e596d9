import type { Machine } from './machine.js'
import type { ServerVariables } from './server-variables.js'

export type HarnessName = 'claude-code' | 'codex' | 'opencode' | 'gemini' | 'cursor' | 'copilot'
export type Transport = 'command' | 'http'

/** Where entries go: the user's own files, or those of the project in the current folder. */
export type Scope = 'user' | 'project'

/** What is to be installed. */
export interface Install {
  scope: Scope
  transport: Transport
  /** The command line of one of our hooks. */
  hookCommand: (hook: string) => string
  /** Words that start the MCP server. */
  mcpWords: readonly string[]
  /** What the server shall find in its environment; harnesses that do not hand theirs on are told of it. */
  variables: ServerVariables
  /** The daemon's address, for entries by URL. */
  origin: string
  /** Addresses by which a server is known as ours: this one, and the one from when the harness was connected. */
  ownOrigins: readonly string[]
  /** Entries by URL take the API key from the environment of the harness. */
  needsKey: boolean
  withMcp: boolean
  /** The harness does not ask before it calls our tools; undefined leaves that as it is. */
  allowTools: boolean | undefined
  /** Disconnecting also takes out what a person told the harness of our hooks. */
  forgetTrust: boolean
  /** Files as they are. */
  read: ReadFile
  /** Text of the OpenCode plugin. */
  pluginText: () => string
}

/** What a connection changes in one file of a harness. Pure: text in, text out. */
export interface ConnectionEdit {
  kind: 'hooks' | 'MCP server' | 'plugin' | 'permission' | 'trust'
  file: string
  /** @param text '' for a file that is not there. @throws MergeFault. */
  add: (text: string) => string
  /** @param original the text from before we came, when known. @returns undefined for a file that goes. @throws MergeFault. */
  remove: (text: string, original?: string) => string | undefined
}

export interface Harness {
  name: HarnessName
  /** As its maker writes it. */
  title: string
  aliases: readonly string[]
  binaries: readonly string[]
  /** Started from a desktop as a rule. */
  isGraphical: boolean
  transports: readonly Transport[]
  /** It asks before it calls our tools, and offers none where nobody can be asked, unless its settings allow them. */
  asksForTools?: true
  /** The user's folder of settings: there once it ran. */
  home: (machine: Machine) => string
  edits: (machine: Machine, install: Install) => ConnectionEdit[]
  /** What a person has to know or do besides. */
  hints: (machine: Machine, scope: Scope, read: ReadFile) => string[]
  /** Why hooks that are installed do nothing, as far as the harness's own files tell. */
  obstacles?: (machine: Machine, scope: Scope, read: ReadFile) => Obstacle[]
}

/** Text of a file, '' when it is not there. */
export type ReadFile = (file: string) => string

/** What keeps a harness from running our hooks. */
export interface Obstacle {
  what: string
  /** What a person can do. */
  remedy: string
}
