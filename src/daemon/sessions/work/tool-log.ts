import { isAbsolute, resolve, win32 } from 'node:path'
import { clip } from '../../../lib/text/clip.js'
import { beginningOf, withoutSecrets } from '../../../lib/text/without-secrets.js'
import type { LogMark } from '../../ground/sessions/tool-queue.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import { timeOf } from '../transcripts/transcript-message.js'
import { type LogStep, stepsOf } from './log-steps.js'

/** A command that a tool ran, and how it ended. */
export interface RanCommand {
  command: string
  /** Undefined when the log does not tell. */
  ok?: boolean
  /** Beginning and end of the output; stored only with `toolUse: full`. */
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

/** The end of a log, for what continues it. */
type LogEnd = LogMark['log']

const mostIds = 30
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

type Step<Kind extends LogStep['kind']> = Extract<LogStep, { kind: Kind }>

/** Reads the tools of a session from the lines of its log. */
export class ToolLog {
  readonly turns: TurnWork[] = []
  readonly #running = new Map<string, { turn: TurnWork; command: string | undefined }>()
  readonly #seen = new Set<unknown>()
  #cwd: string | undefined
  #last = 0

  /** @param cwd folder of the session, unless the log names one */
  constructor(cwd: string | undefined) {
    this.#cwd = cwd
  }

  /** Takes a line of a log, or a message of a document. */
  take(line: object): void {
    const { uuid, timestamp, time } = line as { uuid?: unknown; timestamp?: unknown; time?: unknown }
    const at = timeOf(timestamp) ?? timeOf(time)
    if (at !== null) this.#last = Math.max(this.#last, Date.parse(at))
    // Claude Code writes some lines twice.
    if (typeof uuid === 'string' && this.#isKnown(uuid)) return
    this.takeSteps(stepsOf(line))
  }

  /** Says up to where the log goes, and how its last turn continues. */
  end(): Omit<LogEnd, 'turns'> {
    const ids = [...this.#seen].flatMap(id => (String(id).startsWith('use ') ? String(id).slice(4) : []))
    return {
      until: this.#last,
      ...(this.turns.length > 0 && { last: plainTurn(this.turns.at(-1) as TurnWork) }),
      ids: ids.slice(-mostIds),
      running: [...this.#running]
        .slice(-mostIds)
        .map(([id, { command }]) => [id, command === undefined ? null : shownCommand(command)]),
    }
  }

  /** Goes on where another log ended. */
  goOn({ last, ids, running }: Omit<LogEnd, 'turns'>): void {
    for (const id of ids) this.#seen.add(`use ${id}`)
    if (!last) return
    const turn = turnOf(last)
    this.turns.push(turn)
    for (const [id, command] of running) this.#running.set(id, { turn, command: command ?? undefined })
  }

  takeSteps(steps: readonly LogStep[]): void {
    for (const step of steps)
      if (step.kind === 'folder') this.#cwd = step.cwd
      else if (step.kind === 'asked') this.#begin(step)
      else if (step.kind === 'use') this.#use(step)
      else this.#end(step)
  }

  /** Also notes it. */
  #isKnown(id: string): boolean {
    return this.#seen.size === this.#seen.add(id).size
  }

  #begin({ text, at, id }: Step<'asked'>): void {
    // Gemini CLI writes a prompt again when it gets more.
    if (typeof id === 'string' && this.#isKnown(`asked ${id}`)) return
    const shown = shownPrompt(text)
    const last = this.turns.at(-1)
    // Codex writes a prompt into two logs.
    if (last?.asked !== shown || last.tools.size > 0) this.turns.push(newTurn(shown, at ?? undefined))
  }

  #use({ tool, id, at, command, files, changed }: Step<'use'>): void {
    if (typeof id === 'string' && this.#isKnown(`use ${id}`)) return
    if (this.turns.length === 0) this.turns.push(newTurn('', undefined))
    const turn = this.turns.at(-1) as TurnWork
    turn.at ??= timeOf(at) ?? undefined
    turn.tools.set(tool, (turn.tools.get(tool) ?? 0) + 1)
    for (const file of files) {
      const path = this.#whole(withoutSecrets(file.trim()))
      if (path && (turn.files.has(path) || turn.files.size < mostFiles))
        turn.files.set(path, changed || turn.files.get(path) === true)
    }
    const said = command?.trim() || undefined
    if (typeof id === 'string') this.#running.set(id, { turn, command: said })
    // Cursor's logs do not say how a command ended.
    else if (said) addCommand(turn, { command: shownCommand(said) })
  }

  #end({ id, output, ok }: Step<'end'>): void {
    const use = typeof id === 'string' ? this.#running.get(id) : undefined
    if (!use) return
    this.#running.delete(id as string)
    const { turn, command } = use
    if (ok === false) turn.failed++
    if (command === undefined) return
    const shown = shownCommand(command)
    const hasOutput = output.trim() !== ''
    const run = testCommand.test(command) ? testRun(shown, output, ok) : undefined
    if (run) turn.tests.push(run)
    const ended = ok ?? (hasOutput ? run?.ok : undefined)
    addCommand(turn, {
      command: shown,
      ...(ended !== undefined && { ok: ended }),
      ...(hasOutput && { output: headAndTail(output) }),
    })
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

/** A turn as JSON has it. */
function plainTurn({ tools, files, ...turn }: TurnWork): Readonly<Record<string, unknown>> {
  return { ...turn, tools: [...tools], files: [...files] }
}

function turnOf(plain: Readonly<Record<string, unknown>>): TurnWork {
  // A copy, since every read goes on from the same end of a log.
  const { tools, files, ...turn } = structuredClone(plain) as Omit<TurnWork, 'tools' | 'files'> & {
    tools: [string, number][]
    files: [string, boolean][]
  }
  return { ...turn, tools: new Map(tools), files: new Map(files) }
}

function newTurn(asked: string, at: string | undefined): TurnWork {
  return { at, asked, tools: new Map(), files: new Map(), commands: [], tests: [], commits: [], failed: 0 }
}

function addCommand({ commands }: TurnWork, ran: RanCommand): void {
  if (commands.length < mostCommands) commands.push(ran)
}

/** Only these characters of a text are searched for credentials: in 8 MiB that would take 400 ms. */
const searched = 20_000

/** The beginning of a prompt, as rows have it. */
export function shownPrompt(text: string): string {
  return clip(shownBeginning(text.trimStart()).trim(), longestAsked)
}

function shownCommand(command: string): string {
  return clip(shownBeginning(command), longestCommand)
}

function shownBeginning(text: string): string {
  return withoutSecrets(beginningOf(withoutPrivate(text), searched)).replaceAll(/\s+/gu, ' ')
}

function headAndTail(output: string): string {
  const told = withoutPrivate(output).trim()
  const isLong = told.length > 2 * searched
  const text = isLong ? '' : withoutSecrets(told)
  if (!isLong && text.length <= 2 * longestOutput) return text
  const head = isLong ? withoutSecrets(beginningOf(told, longestOutput)) : text
  const tail = isLong ? withoutSecrets(told.slice(-searched)) : text
  return `${head.slice(0, longestOutput)}\n[...]\n${tail.slice(-longestOutput)}`
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
