import type { DialectHarness } from '../../../contract/sessions/harness-names.js'
import { isRecord } from '../../../lib/text/json-of.js'
import { type Dialect, dialectOf } from './dialects.js'
import { readCopilot, readCopilotPascal } from './native-event.js'

type Input = Readonly<Record<string, unknown>>

/** A program that runs hooks installed for others. */
interface Caller {
  harness: DialectHarness
  /** Programs whose hooks it runs too. */
  runs: ReadonlySet<DialectHarness>
  /** True for an input that only this program sends. */
  isOf: (input: Input) => boolean
}

const callers: readonly Caller[] = [
  {
    harness: 'vscode',
    runs: new Set(['claude-code', 'copilot', 'vscode']),
    isOf: ({ hookEventName, sessionId, timestamp }) =>
      matches(hookEventName, /^[A-Z]/u) && typeof sessionId === 'string' && typeof timestamp === 'string',
  },
  {
    harness: 'grok',
    runs: new Set(['claude-code', 'cursor']),
    isOf: ({ hookEventName, sessionId }) =>
      matches(hookEventName, /^[a-z_]+$/u) && typeof sessionId === 'string',
  },
  {
    harness: 'cursor',
    runs: new Set(['claude-code']),
    isOf: ({ conversation_id }) => typeof conversation_id === 'string',
  },
  { harness: 'copilot', runs: new Set(['claude-code', 'vscode']), isOf: isOfCopilot },
  {
    harness: 'devin',
    runs: new Set(['claude-code']),
    // Claude Code also names the transcript.
    isOf: ({ session_id, prompt_id, transcript_path }) =>
      typeof session_id === 'string' && typeof prompt_id === 'string' && transcript_path === undefined,
  },
]

/**
 * The dialect of the program that called a hook: several run the hooks that are installed for another, with
 * inputs of their own.
 */
export function dialectOfCaller(installed: Dialect, input: unknown): Dialect {
  if (!isRecord(input)) return installed
  const caller = callers.find(({ runs, isOf }) => runs.has(installed.harness) && isOf(input))
  return caller ? dialectOf(caller.harness) : installed
}

/**
 * Copilot CLI reads hooks from a repository's `.claude/settings.json` and from `~/.copilot/hooks`. It sends
 * the event's time; Claude Code sends the transcript path, which Copilot does for few events, with its own
 * file name.
 */
function isOfCopilot(input: Input): boolean {
  const event = readCopilotPascal(input)
  if (!event) return readCopilot(input)?.occurrence !== undefined
  if (event.occurrence === undefined) return false
  return event.transcriptPath === undefined || /[\\/]events\.jsonl$/u.test(event.transcriptPath)
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}
