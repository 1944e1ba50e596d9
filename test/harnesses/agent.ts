import type { PluginCommands } from './check-plugin.js'
import type { CheckName } from './checks.js'
import type { Home } from './home.js'
import type { ModelAnswer } from './model/model-server.js'

/** A real coding agent that the driver runs. Each has a file in `agents/` and a line in `agents.ts`. */
export interface CodingAgent {
  /** As `memory connect` names it. */
  name: string
  title: string
  /** Its package in the registry of npm, or of Python, and the program in it. */
  package: string
  registry?: 'pypi'
  binary: string
  /** Folder of the program in its package, for a package of npm that links none. */
  folder?: string
  /** Major version of Node that it needs, if ours may be older. */
  node?: number
  /** Flags of `memory connect` for a run without a person. */
  connectFlags?: readonly string[]
  /** As `memory import transcripts --from` names it; absent for agents without an importer. */
  importedAs?: string
  /**
   * Its own environment variables: the model on loopback, no telemetry, no updates, no other network access.
   */
  environment(run: AgentRun): Record<string, string>
  /**
   * Its settings as a user has them, including comments and the answers to first-start questions. Path below
   * the home folder -> text.
   */
  settings(run: AgentRun): Record<string, string>
  /** Runs one prompt in a separate process to its end. @param session to resume, if any */
  turn(run: AgentRun, prompt: string, session?: string): Promise<TurnResult>
  /** How to resume a session in its terminal, compact it there and quit. */
  terminal(run: AgentRun, session: string): TerminalWork
  /** File below the home folder with our command hooks; absent for an agent that has a plugin of ours. */
  hookFile?: string
  /** The calls that run a sub-agent to its end; absent if its sub-agents get no context. */
  subagent?(prompt: string): readonly ModelAnswer[]
  /** Runs one prompt in a fork of a session; absent if it has no forks. */
  fork?(run: AgentRun, prompt: string, session: string): Promise<TurnResult>
  /** A custom command: its files below the home folder, and a run as if a person typed it. */
  command?: {
    files: Readonly<Record<string, string>>
    typed: string
    run(run: AgentRun): Promise<TurnResult>
  }
  /** A prompt with leave to edit and to run commands, and the calls for that; absent if not known. */
  work?: {
    turn(run: AgentRun, prompt: string): Promise<TurnResult>
    run(command: string): ModelAnswer
    /** The calls that replace a word in a file. */
    edit(file: string, before: string, after: string): readonly ModelAnswer[]
    /** True if the agent runs no hook after an edit, which only its log has then. */
    hidesEdits?: true
  }
  /** Arguments with which its program speaks ACP; absent if it does not. */
  acp?: readonly string[]
  /** Commands that install our plug-in; absent if it has none. */
  plugin?: PluginCommands
  /** False if none of its hooks gives context to the model. */
  takesContext?: false
  /** Ends what its program leaves running. */
  stop?(run: AgentRun): Promise<void>
  /** Checks that cannot pass because of a limit of the agent itself, with the reason. They run anyway. */
  cannot?: Partial<Record<CheckName, string>>
  /** True if a session resumed in its terminal can be compacted only after a prompt. */
  compactsAfterPrompt?: true
  /** True if the summary of a compaction comes with the next answer. */
  tellsSummaryLater?: true
  /** The agent's own transcript of a session, unchanged. */
  transcript(run: AgentRun, session: string): Promise<string | undefined>
  /** File extension of a recorded transcript. */
  transcriptEnding: 'json' | 'jsonl'
}

export interface AgentRun {
  home: Home
  /** Path of its program. */
  program: string
  /** The PATH with the Node that it needs. */
  path: string
  /** Origin of the model. */
  model: string
}

export interface TurnResult {
  /** The agent's session id. */
  session: string
  /** Its output, for a person who investigates a failure. */
  output: string
}

export interface TerminalWork {
  /** Arguments of its program. */
  args: readonly string[]
  /** A question at its start, of which Enter takes the first answer. */
  asks?: RegExp
  /** Shown on the screen when it accepts input. */
  ready: RegExp
  /** Absent if nothing of ours hears of a compaction. */
  compact?: string
  /** Shown on the screen when the session is compacted. */
  compacted?: RegExp
  quit: string
}
