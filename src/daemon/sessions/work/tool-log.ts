import { isAbsolute, resolve, win32 } from 'node:path'
import { clip } from '../../../lib/text/clip.js'
import { isRecord, jsonOf } from '../../../lib/text/json-of.js'
import { withoutSecrets } from '../../../lib/text/without-secrets.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import { claudeMessage, isOfClaude } from '../transcripts/readers/claude-code.js'
import { codexTurn, isCodexLine } from '../transcripts/readers/codex.js'
import { textOf, timeOf } from '../transcripts/transcript-message.js'

/** A command that a tool ran, and how it ended. */
export interface RanCommand {
  command: string
  /** Undefined when the log does not tell. */
  ok?: boolean
  /** Beginning and end of the output; only with `toolUse: full`. */
  output?: string
}

/** A run of tests. */
export interface TestRun {
  command: string
  ok: boolean
  /** The line with its counts, such as `2 failed, 10 passed`. */
  counts?: string
}

/** Uses of tools between two prompts. */
export interface TurnWork {
  at: string | undefined
  asked: string
  tools: Map<string, number>
  /** Absolute paths; true for changed files. */
  files: Map<string, boolean>
  commands: RanCommand[]
  tests: TestRun[]
  commits: string[]
  failed: number
}

type Fields = Readonly<Record<string, unknown>>

const longestAsked = 160
const longestCommand = 200
const longestOutput = 300
const mostFiles = 100
const mostCommands = 50

/** Programs that run tests, as the first words of a command. */
const testCommand =
  /\b(?:(?:npm|pnpm|yarn|bun)\s(?:run\s)?(?:-s\s)?t(?:est)?\b|npx\s(?:ava|jest|vitest|mocha|playwright)|vitest|jest|mocha|pytest|go\stest|cargo\s(?:nextest|test)|mvn\s[\w\s-]{0,40}test|gradlew?\s[\w\s:-]{0,40}test|rspec|phpunit|dotnet\stest|ctest|tox|deno\stest|node\s--test|make\s(?:test|check))\b/u
const failedTests = /\b[1-9]\d{0,5}\s(?:tests?\s)?(?:failed|failing|failures?|errors?)\b|^(?:FAIL|not ok)\b/mu
const countsLine =
  /^.{0,200}\b\d{1,6}\s(?:tests?\s)?(?:failed|failing|failures?|passed|passing)\b.{0,200}$/gmu
const commitLine = /^\[([^\]\s]{1,100})(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,200})$/gmu
const patchFile = /^\*\*\* (?:Add|Update|Delete) File: (.{1,4096})$|^\*\*\* Move to: (.{1,4096})$/gmu

/** Reads the tools of a session from the lines of its log; it knows Claude Code and Codex. */
export class ToolLog {
  readonly turns: TurnWork[] = []
  readonly #isFull: boolean
  readonly #running = new Map<string, { turn: TurnWork; command: string | undefined }>()
  readonly #seen = new Set<unknown>()
  #cwd: string | undefined

  constructor({ isFull, cwd }: { isFull: boolean; cwd: string | undefined }) {
    this.#isFull = isFull
    this.#cwd = cwd
  }

  /** Takes a line of a log; lines of other programs have no tools that are known here. */
  take(line: object): void {
    const { uuid } = line as Fields
    // Claude Code writes some lines twice.
    if (typeof uuid === 'string' && this.#seen.size === this.#seen.add(uuid).size) return
    if (isCodexLine(line)) this.#takeCodex(line as Fields)
    else if (isOfClaude(line)) this.#takeClaude(line as Fields)
  }

  #takeClaude(line: Fields): void {
    if (typeof line.cwd === 'string') this.#cwd = line.cwd
    const said = claudeMessage(line, {})
    if (said?.role === 'user') this.#begin(said.text, said.at)
    const message = isRecord(line.message) ? line.message : {}
    for (const part of Array.isArray(message.content) ? message.content : []) {
      if (!isRecord(part)) continue
      if (part.type === 'tool_use' && isRecord(part.input)) {
        const { input } = part
        const changed = /^(?:Edit|MultiEdit|Write|NotebookEdit)$/u.test(String(part.name))
        const path = input.file_path ?? input.notebook_path
        this.#use(String(part.name), {
          id: part.id,
          at: line.timestamp,
          command: part.name === 'Bash' ? input.command : undefined,
          files: typeof path === 'string' ? [path] : [],
          changed,
        })
      } else if (part.type === 'tool_result')
        this.#end(part.tool_use_id, textOf(part.content, {}), part.is_error !== true)
    }
  }

  #takeCodex(line: Fields): void {
    const payload = isRecord(line.payload) ? line.payload : {}
    if (typeof payload.cwd === 'string') this.#cwd = payload.cwd
    const said = codexTurn(line, {}).message
    if (said?.role === 'user') this.#begin(said.text, said.at)
    const { type, call_id: id } = payload
    if (type === 'function_call' || type === 'custom_tool_call' || type === 'local_shell_call') {
      const given = jsonOf(String(payload.arguments ?? '')) ?? payload.action
      const command = commandOf(isRecord(given) ? given : {})
      const patch = [payload.input, command].filter(text => typeof text === 'string').join('\n')
      const files = [...patch.matchAll(patchFile)].map(([, file, target]) => file ?? target ?? '')
      const isPatch = files.length > 0
      this.#use(isPatch ? 'apply_patch' : String(payload.name ?? type), {
        id,
        at: line.timestamp,
        command: isPatch ? undefined : command,
        files,
        changed: true,
      })
    } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      const { text, ok } = codexOutput(payload.output)
      this.#end(id, text, ok)
    }
  }

  #begin(asked: string, at: string | null): void {
    const whole = withoutSecrets(withoutPrivate(asked)).replaceAll(/\s+/gu, ' ').trim()
    const shown = clip(whole, longestAsked)
    const last = this.turns.at(-1)
    // Codex writes a prompt into two logs.
    if (last?.asked !== shown || last.tools.size > 0) this.turns.push(newTurn(shown, at ?? undefined))
  }

  #use(
    tool: string,
    {
      id,
      at,
      command,
      files,
      changed,
    }: {
      id: unknown
      at: unknown
      command: unknown
      files: readonly string[]
      changed: boolean
    },
  ): void {
    if (this.turns.length === 0) this.turns.push(newTurn('', undefined))
    const turn = this.turns.at(-1) as TurnWork
    turn.at ??= timeOf(at) ?? undefined
    turn.tools.set(tool, (turn.tools.get(tool) ?? 0) + 1)
    for (const file of files) {
      const path = this.#whole(file.trim())
      if (path && (turn.files.has(path) || turn.files.size < mostFiles))
        turn.files.set(path, changed || turn.files.get(path) === true)
    }
    const said = typeof command === 'string' && command.trim() !== '' ? command.trim() : undefined
    if (typeof id === 'string') this.#running.set(id, { turn, command: said })
  }

  #end(id: unknown, output: string, ok: boolean | undefined): void {
    const use = typeof id === 'string' ? this.#running.get(id) : undefined
    if (!use) return
    this.#running.delete(id as string)
    const { turn, command } = use
    if (ok === false) turn.failed++
    if (command === undefined) return
    const shown = shownCommand(command)
    if (turn.commands.length < mostCommands)
      turn.commands.push({
        command: shown,
        ...(ok !== undefined && { ok }),
        ...(this.#isFull && output.trim() !== '' && { output: headAndTail(output) }),
      })
    if (testCommand.test(command)) turn.tests.push(testRun(shown, output, ok))
    if (/\bgit\b.{0,200}\bcommit\b/u.test(command) && ok !== false)
      for (const [, branch, commit, message = ''] of output.matchAll(commitLine))
        turn.commits.push(clip(withoutSecrets(`${commit} ${message} (${branch})`), longestCommand))
  }

  #whole(path: string): string | undefined {
    if (path === '') return undefined
    if (isAbsolute(path) || win32.isAbsolute(path)) return path
    return this.#cwd === undefined ? undefined : resolve(this.#cwd, path)
  }
}

function newTurn(asked: string, at: string | undefined): TurnWork {
  return { at, asked, tools: new Map(), files: new Map(), commands: [], tests: [], commits: [], failed: 0 }
}

/** Codex has commands as lists with a shell in front, or as one text. */
function commandOf(given: Fields): string | undefined {
  const { command, cmd } = given
  if (Array.isArray(command)) {
    const words = command.filter(word => typeof word === 'string')
    const isShell = /^(?:.*\/)?(?:ba|z|da)?sh$/u.test(words[0] ?? '') && /^-\w*c$/u.test(words[1] ?? '')
    return isShell ? words.slice(2).join(' ') : words.join(' ')
  }
  return typeof command === 'string' ? command : typeof cmd === 'string' ? cmd : undefined
}

function codexOutput(output: unknown): { text: string; ok: boolean | undefined } {
  const said = typeof output === 'string' ? (jsonOf(output) ?? output) : output
  const text = isRecord(said) ? String(said.output ?? said.content ?? '') : textOf(said, {})
  const metadata = isRecord(said) && isRecord(said.metadata) ? said.metadata : {}
  const code =
    typeof metadata.exit_code === 'number'
      ? String(metadata.exit_code)
      : /\b(?:exited with code|exit code:?)\s(\d{1,3})\b/iu.exec(text.slice(0, 500))?.[1]
  return { text, ok: code === undefined ? undefined : code === '0' }
}

function shownCommand(command: string): string {
  return clip(withoutSecrets(withoutPrivate(command)).replaceAll(/\s+/gu, ' '), longestCommand)
}

function headAndTail(output: string): string {
  const text = withoutSecrets(withoutPrivate(output)).trim()
  if (text.length <= 2 * longestOutput) return text
  return `${text.slice(0, longestOutput)}\n[...]\n${text.slice(-longestOutput)}`
}

/** A pipe hides how tests ended, so their output counts too. */
function testRun(command: string, output: string, ok: boolean | undefined): TestRun {
  const end = withoutSecrets(output.slice(-20_000))
  const counts = [...end.matchAll(countsLine)].at(-1)?.[0].trim()
  return {
    command,
    ok: ok !== false && !failedTests.test(end),
    ...(counts && { counts: clip(counts, longestCommand) }),
  }
}

/** The part of a command that names the tests, by which two runs are compared. */
export function testName(command: string): string {
  return command
    .replace(/^(?:cd\s\S{1,500}\s(?:&&|;)\s)+/u, '')
    .replace(/\s(?:2>&1|\|).*$/u, '')
    .trim()
}
