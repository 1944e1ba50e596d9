// memory-service plugin for pi
// Written by `memory connect`, removed by `memory disconnect`; changes here are lost.
import { spawn } from 'node:child_process'

const installed = { harness: 'pi', version: '', workspace: '', command: ['memory'], tools: true }

const { env } = process
/** Maximum milliseconds that an agent waits for us; `memory hook` has shorter limits of its own. */
const maxMs = { 'session-start': 4000, 'user-prompt-submit': 2000 }
const laterMs = 5000
/** Name of our part of the system prompt. */
const section = 'memory-service'

const isOff = env.SERVICE_BYPASS === '1' || env.SERVICE_NO_HOOKS === '1'

/**
 * Connects sessions of an agent to the memory by `memory hook`. It fails open: after any error the session
 * continues without memory.
 */
export default installed.harness === 'openclaw'
  ? { id: 'memory-service', name: 'Memory Service', register: api => isOff || openclaw(api) }
  : pi => isOff || piSessions(pi)

if (installed.harness === 'cline' && !isOff) clineTask().catch(() => {})

/** Cline runs this file when a task is done, and does not wait for it. */
async function clineTask() {
  let text = ''
  for await (const piece of process.stdin.setEncoding('utf8')) text += piece
  await hook('session-checkpoint-extract', JSON.parse(text))
}

/** For pi and Oh My Pi. */
function piSessions(pi) {
  let start
  const begin = async ctx => {
    start = await piHook('session-start', ctx, { source: isNew(ctx) ? 'startup' : 'clear' })
  }
  pi.on('session_start', (_event, ctx) => begin(ctx))
  // Oh My Pi continues with another session without a new start.
  pi.on('session_switch', (_event, ctx) => begin(ctx))
  pi.on('before_agent_start', async (event, ctx) => {
    if (event.messageType === 'custom') return undefined
    if (start === undefined) await begin(ctx)
    const turn = await piHook('user-prompt-submit', ctx, { prompt: event.prompt })
    return { ...withStart(event, start), ...(turn && { message: messageOf(turn) }) }
  })
  pi.on('tool_result', ({ toolName, toolCallId, input, content, isError }, ctx) => {
    if (!installed.tools) return
    const tool_response = { content, isError: isError === true }
    void piHook('tool-use', ctx, {
      tool_name: toolName,
      tool_use_id: toolCallId,
      tool_input: input,
      tool_response,
    })
  })
  pi.on('agent_settled', (_event, ctx) => checkpoint(ctx))
  pi.on('session_stop', (_event, ctx) => checkpoint(ctx))
  pi.on('session_compact', async ({ compactionEntry }, ctx) => {
    await piHook('compaction-complete', ctx, { compact_summary: compactionEntry?.summary })
  })
  pi.on('session_shutdown', async ({ reason }, ctx) => {
    // After a reload the same session starts again.
    if (reason !== 'reload') await piHook('session-end', ctx, {})
  })
}

async function checkpoint(ctx) {
  await piHook('session-checkpoint-extract', ctx, {})
}

/** The context of a start is in no stored message, so that a session that goes on needs it again. */
function isNew({ sessionManager }) {
  return !sessionManager.getEntries().some(({ type }) => type === 'message')
}

/** A section of the system prompt keeps the provider's cache of the rest valid; Oh My Pi has none. */
function withStart({ systemPrompt, systemPromptOptions }, start) {
  if (!start) return {}
  if (!systemPromptOptions) return { systemPrompt: appended(systemPrompt, start) }
  systemPromptOptions.sections = { ...systemPromptOptions.sections, [section]: start }
  return {}
}

function appended(systemPrompt, start) {
  return Array.isArray(systemPrompt) ? [...systemPrompt, start] : `${systemPrompt}\n\n${start}`
}

/** Only the model sees it. */
function messageOf(content) {
  return { customType: section, content, display: false }
}

function piHook(name, { cwd, sessionManager }, fields) {
  const transcript_path = sessionManager.getSessionFile()
  return hook(name, { session_id: sessionManager.getSessionId(), transcript_path, cwd, ...fields })
}

/** Its transcripts are in a database, so that the conversation is passed on. */
function openclaw(api) {
  const starts = new Map()
  const inputOf = ({ sessionId, workspaceDir }, extra) => ({
    session_id: sessionId,
    cwd: workspaceDir,
    extra,
  })
  // The context of a start is in no stored message, so that each process needs it whole.
  const begin = ctx => hook('session-start', { ...inputOf(ctx, {}), source: 'clear' })
  api.on('before_prompt_build', async (event, ctx) => {
    const user_message = event.currentUserMessage ?? event.prompt
    // Heartbeats and scheduled jobs are not prompts of a person.
    if (!ctx.sessionId || !user_message || (ctx.trigger ?? 'user') !== 'user') return undefined
    if (!starts.has(ctx.sessionId)) starts.set(ctx.sessionId, begin(ctx))
    const start = await starts.get(ctx.sessionId)
    const turn = await hook('user-prompt-submit', inputOf(ctx, { user_message }))
    return { ...(start && { prependSystemContext: start }), ...(turn && { prependContext: turn }) }
  })
  api.on('after_tool_call', ({ toolName, toolCallId, params, result, error }, ctx) => {
    if (!installed.tools || !starts.has(ctx.sessionId)) return
    const use = {
      tool_name: toolName,
      tool_use_id: toolCallId,
      tool_input: params,
      tool_response: result,
      error,
    }
    void hook('tool-use', { ...inputOf(ctx, {}), ...use })
  })
  api.on('agent_end', async ({ messages }, ctx) => {
    if (!starts.has(ctx.sessionId)) return
    await hook('session-checkpoint-extract', inputOf(ctx, { conversation_history: messages }))
  })
  api.on('session_end', async (event, ctx) => {
    if (starts.delete(event.sessionId)) await hook('session-end', inputOf({ ...ctx, ...event }, {}))
  })
}

/** Calls one of our hooks. @returns the text that it adds, '' after any error. */
function hook(name, input) {
  const workspace = installed.workspace ? ['--workspace', installed.workspace] : []
  const [program, ...words] = [...installed.command, 'hook', name, '-H', installed.harness, ...workspace]
  return new Promise(resolve => {
    const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
    let text = ''
    const timer = setTimeout(() => resolve(''), maxMs[name] ?? laterMs)
    const end = () => {
      clearTimeout(timer)
      resolve(text.trim())
    }
    child.on('error', end)
    child.on('close', end)
    child.stdin.on('error', () => {})
    child.stdout.setEncoding('utf8').on('data', piece => {
      text += piece
    })
    child.stdin.end(JSON.stringify(input))
  })
}
