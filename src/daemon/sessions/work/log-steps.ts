import { failureEventHarnesses } from '../../../contract/sessions/harness-names.js'
import { pathFields, type QueuedUse } from '../../../lib/files/tool-queue-files.js'
import { isRecord, jsonOf } from '../../../lib/text/json-of.js'
import { claudeMessage, isOfClaude } from '../transcripts/readers/claude-code.js'
import { codexTurn, isCodexLine } from '../transcripts/readers/codex.js'
import { copilotMessage, isCopilotEvent } from '../transcripts/readers/copilot.js'
import { geminiMessage, isGeminiMessage, isQwenLine, qwenMessage } from '../transcripts/readers/gemini.js'
import { isKimiLine, kimiMessage } from '../transcripts/readers/kimi.js'
import { isOpenCodeMessage, openCodeMessage } from '../transcripts/readers/opencode.js'
import { plainObject } from '../transcripts/readers/read-transcript.js'
import { type TranscriptMessage, textOf } from '../transcripts/transcript-message.js'

/** A prompt, a use of a tool, its end, or the folder from here on. */
export type LogStep =
  | { kind: 'asked'; text: string; at: string | null; id: unknown }
  | ToolUse
  | { kind: 'end'; id: unknown; output: string; ok: boolean | undefined }
  | { kind: 'folder'; cwd: string }

interface ToolUse {
  kind: 'use'
  tool: string
  /** Repeated uses of one id are one. */
  id: unknown
  at: unknown
  command: string | undefined
  files: readonly string[]
  changed: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** The tools of a program that run commands, and that change and read one file. */
interface Tools {
  commands: readonly string[]
  changes: readonly string[]
  reads: readonly string[]
}

const claudeTools: Tools = {
  commands: ['Bash'],
  changes: ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'],
  reads: ['Read', 'NotebookRead'],
}
const geminiTools: Tools = {
  commands: ['run_shell_command'],
  changes: ['replace', 'edit', 'write_file'],
  reads: ['read_file'],
}
/** Copilot CLI and the agent of VS Code. */
const copilotTools: Tools = {
  commands: ['bash', 'powershell', 'run_in_terminal'],
  changes: [
    'edit',
    'create',
    'apply_patch',
    'create_file',
    'replace_string_in_file',
    'insert_edit_into_file',
  ],
  reads: ['view', 'read_file'],
}
const openCodeTools: Tools = {
  commands: ['bash'],
  changes: ['edit', 'write', 'multiedit', 'patch', 'apply_patch'],
  reads: ['read'],
}
const piTools: Tools = {
  commands: ['bash', 'terminal', 'exec'],
  changes: ['edit', 'write', 'patch', 'write_file'],
  reads: ['read', 'read_file'],
}
const kimiTools: Tools = { commands: ['Bash'], changes: ['Edit', 'Write'], reads: ['Read', 'ReadMediaFile'] }
/** Cline and Cursor. */
const editorTools: Tools = {
  commands: ['execute_command', 'run_terminal_cmd', 'Shell'],
  changes: [
    'write_to_file',
    'replace_in_file',
    'edit_file',
    'search_replace',
    'write',
    'Write',
    'StrReplace',
  ],
  reads: ['read_file', 'Read'],
}

const logTools = [claudeTools, geminiTools, copilotTools, openCodeTools, piTools, kimiTools, editorTools]
/** Tools that hooks report: those of all programs, and of Factory Droid, whose log is not read. */
const hookTools: Tools = {
  commands: ['Execute', ...logTools.flatMap(({ commands }) => commands)],
  changes: ['Create', 'ApplyPatch', ...logTools.flatMap(({ changes }) => changes)],
  reads: logTools.flatMap(({ reads }) => reads),
}

const patchFile = /^\*\*\* (?:Add|Update|Delete) File: (.{1,4096})$|^\*\*\* Move to: (.{1,4096})$/gmu
const exitLine = /^.{0,40}\b(?:exited with(?: exit)? code|exit code:?)\s(\d{1,3})\W{0,3}$/imu

/** Lines of a program, and the steps in one of them. */
interface LogReader {
  takes(line: object): boolean
  steps(line: Fields): LogStep[]
}

/** Lines of Qwen Code have the fields of Claude Code's too. */
const readers: readonly LogReader[] = [
  { takes: isCodexLine, steps: ofCodex },
  { takes: isQwenLine, steps: ofQwen },
  { takes: isOfClaude, steps: line => ofParts(claudeMessage(line, {}), line, claudeTools) },
  { takes: isKimiLine, steps: ofKimi },
  { takes: isCopilotEvent, steps: ofCopilot },
  { takes: isOpenCodeMessage, steps: ofOpenCode },
  { takes: isGeminiMessage, steps: ofGemini },
  { takes: () => true, steps: line => ofParts(plainObject(line, {}), line, editorTools) },
]

/** Returns the steps in a line of a log, or in a message of a document; none for programs without tools. */
export function stepsOf(line: object): LogStep[] {
  return readers.find(({ takes }) => takes(line))?.steps(line as Fields) ?? []
}

/** Returns the steps of a use that a hook noted. @param place its number, which is its name without an id */
export function stepsOfUse(used: QueuedUse, harness: string, place: number): LogStep[] {
  const { t, tool, input, output = '', cwd, id = `line ${place}` } = used
  const ok = used.ok ?? (failureEventHarnesses.has(harness) ? true : undefined)
  return [...folder(cwd), use(hookTools, tool, { id, at: t, given: input }), end(id, output, ok)]
}

/** Parts of a content in the manner of Anthropic: Claude Code, Cline, Cursor; and of pi. */
function ofParts(said: TranscriptMessage | undefined, line: Fields, tools: Tools): LogStep[] {
  const message = isRecord(line.message) ? line.message : line
  const at = line.timestamp
  const steps = [...folder(line.cwd), ...asked(said, line.id)]
  if (message.role === 'toolResult')
    steps.push(end(message.toolCallId, textOf(message.content), message.isError !== true))
  for (const part of Array.isArray(message.content) ? message.content : []) {
    if (!isRecord(part)) continue
    const { id, name } = part
    if (part.type === 'tool_use') steps.push(use(tools, name, { id, at, given: part.input }))
    else if (part.type === 'toolCall') steps.push(use(piTools, name, { id, at, given: part.arguments }))
    else if (part.type === 'tool_result')
      steps.push(end(part.tool_use_id, textOf(part.content), part.is_error !== true))
  }
  return steps
}

function ofCodex(line: Fields): LogStep[] {
  const payload = isRecord(line.payload) ? line.payload : {}
  const { type, call_id: id } = payload
  // A prompt is in two logs, with no id.
  const steps = [...folder(payload.cwd), ...asked(codexTurn(line, {}).message, undefined)]
  if (type === 'function_call' || type === 'custom_tool_call' || type === 'local_shell_call') {
    const given = jsonOf(String(payload.arguments ?? '')) ?? payload.action
    const command = commandOf(isRecord(given) ? given : {})
    const files = filesOf([payload.input, command].filter(text => typeof text === 'string').join('\n'))
    const isPatch = files.length > 0
    const tool = isPatch ? 'apply_patch' : String(payload.name ?? type)
    const { timestamp: at } = line
    steps.push({
      kind: 'use',
      tool,
      id,
      at,
      command: isPatch ? undefined : command,
      files,
      changed: true,
    })
  } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    const said = typeof payload.output === 'string' ? jsonOf(payload.output) : payload.output
    const text = isRecord(said) ? String(said.output ?? said.content ?? '') : textOf(payload.output)
    const metadata = isRecord(said) && isRecord(said.metadata) ? said.metadata : {}
    steps.push(end(id, text, okOf(metadata.exit_code)))
  }
  return steps
}

function ofGemini(line: Fields): LogStep[] {
  const calls = Array.isArray(line.toolCalls) ? line.toolCalls : []
  return [
    ...asked(geminiMessage(line, {}), line.id),
    ...calls.filter(isRecord).flatMap(call => {
      const { id, name, args, status, timestamp: at = line.timestamp } = call
      const used = use(geminiTools, name, { id, at, given: args })
      if (typeof status !== 'string' || !/^(?:success|error|cancelled)$/u.test(status)) return [used]
      return [used, end(id, partsOutput(call.result), status === 'success')]
    }),
  ]
}

function ofQwen(line: Fields): LogStep[] {
  const { parts } = line.message as { parts: unknown[] }
  const result = isRecord(line.toolCallResult) ? line.toolCallResult : {}
  const steps = [...folder(line.cwd), ...asked(qwenMessage(line, {}), line.uuid)]
  for (const part of parts.filter(isRecord)) {
    const { functionCall, functionResponse } = part
    if (isRecord(functionCall)) {
      const { id, name, args } = functionCall
      steps.push(use(geminiTools, name, { id, at: line.timestamp, given: args }))
    } else if (isRecord(functionResponse)) {
      const ok = result.status === undefined ? undefined : result.status === 'success'
      steps.push(end(functionResponse.id, partsOutput([part]), ok))
    }
  }
  return steps
}

/** The output in responses of functions, as Gemini's protocol has them. */
function partsOutput(parts: unknown): string {
  const texts = (Array.isArray(parts) ? parts : []).filter(isRecord).map(({ functionResponse }) => {
    const response = isRecord(functionResponse) && functionResponse.response
    return isRecord(response) ? String(response.output ?? response.error ?? '') : ''
  })
  return texts.join('\n')
}

function ofCopilot(line: Fields): LogStep[] {
  const data = isRecord(line.data) ? line.data : {}
  const context = isRecord(data.context) ? data.context : {}
  const { toolCallId: id } = data
  const steps = [...folder(context.cwd), ...asked(copilotMessage(line, {}), line.id)]
  if (line.type === 'tool.execution_start')
    steps.push(use(copilotTools, data.toolName, { id, at: line.timestamp, given: data.arguments }))
  else if (line.type === 'tool.execution_complete') {
    const told = [data.result, data.error].filter(isRecord)
    steps.push(
      end(id, told.map(({ content, message }) => textOf(content ?? message)).join('\n'), data.success),
    )
  }
  return steps
}

function ofKimi(line: Fields): LogStep[] {
  const event = isRecord(line.event) ? line.event : {}
  const { toolCallId: id } = event
  if (event.type === 'tool.call')
    return [use(kimiTools, event.name, { id, at: line.time, given: event.args })]
  if (event.type !== 'tool.result') return asked(kimiMessage(line, {}), undefined)
  const result = isRecord(event.result) ? event.result : {}
  return [end(id, textOf(result.output), result.isError !== true)]
}

function ofOpenCode(line: Fields): LogStep[] {
  const { info, parts } = line as { info: Fields; parts: unknown[] }
  const time = isRecord(info.time) ? info.time : {}
  const steps = asked(openCodeMessage(line, {}), info.id)
  for (const part of parts.filter(isRecord)) {
    if (part.type !== 'tool' || !isRecord(part.state)) continue
    const { input, output, error, status, metadata } = part.state
    const code = isRecord(metadata) ? metadata.exit : undefined
    steps.push(use(openCodeTools, part.tool, { id: part.callID, at: time.created, given: input }))
    if (status === 'completed' || status === 'error')
      steps.push(end(part.callID, textOf(output ?? error), status === 'completed' && okOf(code) !== false))
  }
  return steps
}

function folder(cwd: unknown): LogStep[] {
  return typeof cwd === 'string' ? [{ kind: 'folder', cwd }] : []
}

function asked(said: TranscriptMessage | undefined, id: unknown): LogStep[] {
  return said?.role === 'user' ? [{ kind: 'asked', text: said.text, at: said.at, id }] : []
}

function use(
  tools: Tools,
  name: unknown,
  { id, at, given }: { id: unknown; at: unknown; given: unknown },
): ToolUse {
  const tool = String(name)
  const input = isRecord(given) ? given : {}
  const changed = tools.changes.includes(tool)
  const path = pathFields.map(field => input[field]).find(text => typeof text === 'string')
  const patches = [given, input.input, input.patchText, input.patch, input.command]
  const patch = patches.filter(text => typeof text === 'string')
  const files = typeof path === 'string' ? [path] : filesOf(patch.join('\n'))
  return {
    kind: 'use',
    tool,
    id,
    at,
    command: tools.commands.includes(tool) ? commandOf(input) : undefined,
    files: changed || tools.reads.includes(tool) ? files : [],
    changed,
  }
}

/** An exit code in the output decides over a tool that only says that it ran. */
function end(id: unknown, output: string, told: unknown): LogStep {
  const code = exitLine.exec(output.slice(0, 500))?.[1] ?? exitLine.exec(output.slice(-300))?.[1]
  const said = typeof told === 'boolean' ? told : undefined
  return { kind: 'end', id, output, ok: said === false || code === undefined ? said : code === '0' }
}

function okOf(code: unknown): boolean | undefined {
  return typeof code === 'number' ? code === 0 : undefined
}

function filesOf(patch: string): string[] {
  return [...patch.matchAll(patchFile)].map(([, file, target]) => file ?? target ?? '')
}

/** Codex has commands as lists with a shell in front, or as one text. */
function commandOf({ command, cmd }: Fields): string | undefined {
  if (Array.isArray(command)) {
    const words = command.filter(word => typeof word === 'string')
    const isShell = /^(?:.*\/)?(?:ba|z|da)?sh$/u.test(words[0] ?? '') && /^-\w*c$/u.test(words[1] ?? '')
    return isShell ? words.slice(2).join(' ') : words.join(' ')
  }
  return typeof command === 'string' ? command : typeof cmd === 'string' ? cmd : undefined
}
