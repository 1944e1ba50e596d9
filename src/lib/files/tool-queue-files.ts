import { sep } from 'node:path'

/** The files of one session in the queue of tool uses. */
export interface ToolQueueFiles {
  /** Written by the daemon: without it hooks note nothing of the session. */
  permit: string
  /** Appended by hooks, a line for each use. */
  lines: string
}

/** Lets hooks note the tools of a session, since the rules of capture include it (sessions.md#tool-use). */
export interface ToolPermit {
  agentId: string
  sessionKey: string
  harness: string
  /** Folders for which the rules were asked; the first is that of the session. */
  cwds: string[]
  /** Rules decide about folders, so that hooks skip uses in others than `cwds`. */
  hasRules: boolean
  /** Ends of all outputs are wanted. */
  full: boolean
}

/** A use of a tool, as a hook notes it. */
export interface QueuedUse {
  /** Milliseconds. */
  t: number
  tool: string
  /** The agent's id of the use; or the time of the event, which several hooks of one event share. */
  id?: string
  /** Its folder, unless it is that of the session. */
  cwd?: string | undefined
  /** Command, paths and names of patched files. */
  input?: Record<string, unknown>
  /** Beginning and end. */
  output?: string
  ok?: boolean
}

/** Fields of a tool's input that name its file: hooks note them, and the daemon reads them. */
export const pathFields = ['file_path', 'filePath', 'path', 'notebook_path', 'absolute_path', 'target_file']

/** Begins an id that is made from a time. */
export const momentMark = '@'

/** A full file takes no more lines; the log of the agent has the rest. */
export const maxQueueBytes = 4 * 1024 * 1024

/** Longer names are not possible in some file systems. */
const longestName = 200

/** Returns undefined for a key that is too long for the name of a file. */
export function toolQueueFiles(folder: string, sessionKey: string): ToolQueueFiles | undefined {
  const name = encodeURIComponent(sessionKey.toWellFormed()).replaceAll('*', '%2A')
  if (name === '' || name.length > longestName) return undefined
  const path = `${folder}${sep}${name}`
  return { permit: `${path}.json`, lines: `${path}.jsonl` }
}
