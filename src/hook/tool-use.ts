/**
 * The hook after a tool: `memory hook tool-use`, which agents start after each use of a tool.
 *
 * It is a script of its own that loads nothing but file access. It appends one line to the queue in the
 * workspace and asks no daemon. Without a permit of the daemon for the session it writes nothing. It prints
 * nothing and never fails.
 */

import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  maxQueueBytes,
  momentMark,
  pathFields,
  type QueuedUse,
  type ToolPermit,
  toolQueueFiles,
} from '../lib/files/tool-queue-files.js'
import { folderOfCursor } from '../lib/text/agent-lines.js'
import { isRecord, jsonOf } from '../lib/text/json-of.js'
import { withoutSecrets } from '../lib/text/without-secrets.js'
import { isConnected } from '../lib/workspace/own-connection.js'
import { workspacePaths } from '../lib/workspace/paths.js'

type Fields = Readonly<Record<string, unknown>>

const maxInputBytes = 10 * 1024 * 1024
const chunkBytes = 64 * 1024
/** Time for the input of an agent that writes slowly. */
const inputMs = 1000
const lookMs = 5
const longestText = 1000
const longestPath = 4096
/** Read beyond both cuts, so that none leaves a part of a credential. */
const longestSecret = 16_384
/** A white space that commands do not contain. */
const betweenWords = '\u2028'

const textFields = ['command', 'cmd', 'input', 'patchText', 'patch']
const outputFields = ['stdout', 'output', 'textResultForLlm', 'llmContent', 'content', 'text', 'result']
/** Commands whose output says more than how they ended. */
const telling = /test|spec|jest|mocha|ava\b|tox|check|playwright|commit|phpunit|mvn|gradle/iu

/** Runs the hook. @param argv words behind `hook`. */
export function run(argv: readonly string[]): void {
  try {
    if (process.env.SERVICE_BYPASS === '1' || process.env.SERVICE_NO_HOOKS === '1') return
    const input = jsonOf(readInput().toString('utf8'))
    if (isRecord(input) && !isSecond(input, argv)) noteToolUse(input, wordAfter('--workspace', argv))
  } catch {
    // The session of the agent goes on in any case.
  }
}

/** True for the hook of a plug-in in an agent whose own hook notes the same use. */
function isSecond(input: Fields, argv: readonly string[]): boolean {
  const harness = wordAfter('-H', argv)
  if (!argv.includes('--plugin') || harness === undefined) return false
  return isConnected(workspacePaths(wordAfter('--workspace', argv)), harness, folderOf(input))
}

/** The value of `--flag VALUE` or `--flag=VALUE`. */
function wordAfter(flag: string, argv: readonly string[]): string | undefined {
  const at = argv.findIndex(word => word === flag || word.startsWith(`${flag}=`))
  const word = argv[at]
  return word === flag ? argv[at + 1] : word?.slice(flag.length + 1)
}

/** Notes a use of a tool, from the input of any agent, if the daemon permits it for the session. */
export function noteToolUse(input: Fields, workspace: string | undefined): void {
  const key = stringIn(input, ['session_id', 'sessionId', 'conversation_id'])
  // Logs leave out the tools of sub-agents too.
  if (key === undefined || input.agent_id || input.agentId) return
  const files = toolQueueFiles(workspacePaths(workspace).toolQueue, key)
  const permit = files && permitIn(files.permit)
  if (!permit) return
  const cwd = folderOf(input)
  const isOutside = cwd !== undefined && !permit.cwds.includes(cwd)
  if (isOutside && (permit.hasRules || mayOptOut(cwd, permit.cwds))) return
  const use = queuedUseOf(input, permit.full)
  if (use) append(files.lines, { ...use, ...(cwd && cwd !== permit.cwds[0] && { cwd }) })
}

function permitIn(file: string): ToolPermit | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** The newline comes first, so that a line torn by a crash spoils no other one. */
function append(file: string, use: QueuedUse): void {
  const descriptor = openSync(file, 'a', 0o600)
  try {
    if (fstatSync(descriptor).size < maxQueueBytes) writeSync(descriptor, `\n${JSON.stringify(use)}`)
  } finally {
    closeSync(descriptor)
  }
}

/** True if a `.memory.yaml` that the daemon has not read yet may leave this folder out. */
function mayOptOut(cwd: string, read: readonly string[]): boolean {
  for (let at = cwd; !read.includes(at); at = dirname(at)) {
    if (statSync(join(at, '.memory.yaml'), { throwIfNoEntry: false })) return true
    if (dirname(at) === at) return false
  }
  return false
}

/** The same folder that the daemon reads from other hooks. */
function folderOf(input: Fields): string | undefined {
  const [root] = [input.workspace_roots].flat()
  const cwd = typeof root === 'string' ? folderOfCursor(root) : input.cwd
  return typeof cwd === 'string' && cwd !== '' ? cwd : undefined
}

/** Returns undefined for an event without a tool. */
function queuedUseOf(input: Fields, full: boolean): QueuedUse | undefined {
  const tool = stringIn(input, ['tool_name', 'toolName'])
  if (tool === undefined) return undefined
  const given = pickedOf(parsed(input.tool_input ?? input.toolArgs ?? input.toolInput))
  const id = stringIn(input, ['tool_use_id', 'tool_call_id', 'toolUseId', 'toolCallId']) ?? momentOf(input)
  const extra = isRecord(input.extra) ? input.extra : {}
  const response = parsed(
    input.tool_response ?? input.tool_output ?? input.toolResult ?? input.tool_result ?? extra.result,
  )
  const fault = input.error ?? input.error_message
  const ok = outcomeOf(input, fault, response)
  const said = [textOf(response), textOf(fault)].filter(Boolean).join('\n')
  const { command } = given
  const output = typeof command === 'string' ? cut(said, full || ok === false || telling.test(command)) : ''
  return {
    t: Date.now(),
    tool: headOf(tool, 200),
    ...(id && { id }),
    ...(Object.keys(given).length > 0 && { input: given }),
    ...(output && { output }),
    ...(ok !== undefined && { ok }),
  }
}

/** Copilot CLI names no use, but all hooks of an event get its time. */
function momentOf({ timestamp }: Fields): string | undefined {
  return timestamp === undefined ? undefined : `${momentMark}${String(timestamp)}`
}

/** Undefined where the agent does not say how it ended. */
function outcomeOf(input: Fields, fault: unknown, response: unknown): boolean | undefined {
  if (fault || /fail/iu.test(String(input.hook_event_name ?? input.hookEventName ?? ''))) return false
  if (!isRecord(response)) return undefined
  const code = response.exit_code ?? response.exitCode
  if (typeof code === 'number') return code === 0
  if (typeof response.resultType === 'string') return response.resultType === 'success'
  const failed = response.isError ?? response.is_error
  if (typeof failed === 'boolean') return !failed
  if (response.error) return false
  return typeof response.success === 'boolean' ? response.success : undefined
}

/** The fields of a tool's input that say what it worked on. */
function pickedOf(given: unknown): Record<string, unknown> {
  if (!isRecord(given)) return typeof given === 'string' ? { input: shown(given) } : {}
  const picked: Record<string, unknown> = {}
  for (const field of pathFields)
    if (typeof given[field] === 'string') picked[field] = headOf(given[field], longestPath)
  for (const field of textFields) {
    const value = given[field]
    if (typeof value === 'string') picked[field] = shown(value)
    else if (Array.isArray(value)) picked[field] = shownWords(value)
  }
  return picked
}

/** Redacts and shortens a text; a patch to the lines that name files. */
function shown(text: string): string {
  if (!text.includes('*** Begin Patch')) return headOf(text, longestText)
  const names = text.split('\n').filter(line => line.startsWith('*** ') && line.length < longestPath)
  return withoutSecrets(names.slice(0, 200).join('\n'))
}

/** Words are redacted together, since one may say that the next is a password. */
function shownWords(words: readonly unknown[]): string[] {
  const text = words
    .slice(0, 50)
    .map(word => shown(String(word)))
    .join(betweenWords)
  return withoutSecrets(text).split(betweenWords)
}

function headOf(text: string, length: number): string {
  return withoutSecrets(text.slice(0, length + longestSecret)).slice(0, length)
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join('\n')
  if (!isRecord(value)) return ''
  const main = outputFields.map(field => value[field]).find(Boolean)
  return [main, value.stderr, value.error, value.message].map(textOf).filter(Boolean).join('\n')
}

/** Exit codes are at the beginning or the end of an output, results of tests at the end. */
function cut(text: string, isTelling: boolean): string {
  const [head, tail] = isTelling ? [500, 1500] : [60, 60]
  // Only both ends of a long text are redacted.
  const clean = text.length > 4 * longestSecret ? undefined : withoutSecrets(text)
  if (clean !== undefined && clean.length <= head + tail) return clean
  const first = clean ?? withoutSecrets(text.slice(0, head + longestSecret))
  const last = clean ?? withoutSecrets(text.slice(-tail - longestSecret))
  return `${first.slice(0, head)}\n[...]\n${last.slice(-tail)}`
}

/** Some agents send JSON within a text. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*\{/u.test(value)) return value
  return jsonOf(value) ?? value
}

function stringIn(input: Fields, fields: readonly string[]): string | undefined {
  return fields.map(field => input[field]).find(value => typeof value === 'string' && value !== '') as
    | string
    | undefined
}

/**
 * Reads the input until it ends, or is complete, since not every agent closes it. Asynchronous reading would
 * load more than the rest of this script.
 */
function readInput(): Buffer {
  if (fstatSync(0).isCharacterDevice()) return Buffer.alloc(0)
  const chunks: Buffer[] = []
  const deadline = Date.now() + inputMs
  for (let bytes = 0; bytes < maxInputBytes; ) {
    const chunk = readChunk(deadline)
    if (chunk === undefined || chunk.length === 0) break
    chunks.push(chunk)
    bytes += chunk.length
    const isFull = chunk.length === chunkBytes
    if (!isFull && /\}\s*$/u.test(chunk.toString('latin1', Math.max(0, chunk.length - 8)))) {
      const all = Buffer.concat(chunks)
      if (jsonOf(all.toString('utf8')) !== undefined) return all
    }
  }
  return Buffer.concat(chunks)
}

/** @returns undefined when nothing came until the deadline. */
function readChunk(deadline: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  for (;;)
    try {
      return buffer.subarray(0, readSync(0, buffer, 0, chunkBytes, null))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EOF') return undefined
      if (code !== 'EAGAIN' || Date.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookMs)
    }
}
