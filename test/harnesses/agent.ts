import type { CheckName } from './checks.js'
import type { Home } from './home.js'

/** A real coding agent that the driver runs. One file in `agents/` each, and one line in `agents.ts`. */
export interface CodingAgent {
  /** As `memory connect` names it. */
  name: string
  title: string
  /** Its package in the npm registry, and the program that this brings. */
  package: string
  binary: string
  /** Flags of `memory connect` that a run without a person needs. */
  connectFlags?: readonly string[]
  /** As `memory import transcripts --from` names it; absent where nothing reads its sessions. */
  importedAs?: string
  /** Its own switches: the model on loopback, no telemetry, no updates, nothing else on the network. */
  environment(run: AgentRun): Record<string, string>
  /** Its settings as a user has them, by path below the home folder: comments and all. Also what it asks at its first start. */
  settings(run: AgentRun): Record<string, string>
  /** One prompt in a process of its own, which has ended when this returns. @param session to be resumed, when there is one. */
  turn(run: AgentRun, prompt: string, session?: string): Promise<TurnResult>
  /** How a session is resumed in its terminal, compacted there and left. */
  terminal(run: AgentRun, session: string): TerminalWork
  /** Checks that cannot hold because of what the agent itself does not offer, with the reason. They are made all the same. */
  cannot?: Partial<Record<CheckName, string>>
  /** Its own transcript of a session as it is written. */
  transcript(run: AgentRun, session: string): Promise<string | undefined>
  /** How the name of a recorded transcript ends. */
  transcriptEnding: 'json' | 'jsonl'
}

export interface AgentRun {
  home: Home
  /** Path of its program. */
  program: string
  /** Origin of the model. */
  model: string
}

export interface TurnResult {
  /** Its id of the session. */
  session: string
  /** What it printed, for a person who looks for the cause of a failure. */
  output: string
}

export interface TerminalWork {
  /** Words behind its program. */
  args: readonly string[]
  /** What the screen shows once it takes input. */
  ready: RegExp
  compact: string
  /** What the screen shows once the session is compacted. */
  compacted: RegExp
  quit: string
}
