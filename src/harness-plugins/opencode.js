// memory-service plugin for OpenCode
// Written by `memory connect`, removed by `memory disconnect`; changes here are lost.
import { spawn } from 'node:child_process'
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const installed = { harness: 'opencode', version: '', workspace: '', command: ['memory'], tools: true }

const { harness } = installed
const { env } = process
const credential = env.SERVICE_API_KEY || env.SERVICE_TOKEN
/** Maximum milliseconds that OpenCode waits for us; it sets no limit itself. */
const deadlines = {
  start: 3000,
  prompt: 1000,
  notifications: 500,
  compaction: 1000,
  later: 10_000,
  end: 3000,
}
/** Idle time after which a conversation is sent, because some processes end without an event. */
const idleMs = 15_000
const launchPauseMs = 60_000
const pollMs = 50
const maxContexts = 200
/** Maximum characters of a conversation: longer ones get no checkpoint, and only their end is sent. */
const maxCheckpointed = 2 * 1024 * 1024
const maxSent = 4 * 1024 * 1024
/** Statuses with which a daemon may accept the same call later. */
const passing = new Set([429, 503, 507])
/** Maximum number of spooled hooks; the daemon processes no more either. */
const maxSpooled = 1000

/**
 * Connects sessions of OpenCode or Kilo Code to the memory. It fails open: after any error the session
 * continues without memory. OpenCode calls every export of this file, so there is only this one.
 */
export const MemoryService = async input => {
  if (env.SERVICE_BYPASS === '1' || env.SERVICE_NO_HOOKS === '1') return {}
  const memory = createMemory(input)
  return { ...contextHooks(memory), event: eventHook(memory), dispose: () => quietly(() => endAll(memory)) }
}

/** Keeps the state of the sessions that this OpenCode process runs. */
function createMemory({ client, directory, worktree }) {
  const sessions = new Map()
  // Sessions of sub-agents belong to the session that started them, and have no memory of their own.
  const children = new Set()
  const created = new Set()
  const bodyOf = sessionKey => ({
    harness,
    sessionKey,
    runtimePath: 'plugin',
    project: projectOf(worktree, directory),
    cwd: directory,
  })
  // OpenCode does not store system prompts. After a restart the context of the session start is sent again.
  const startOf = id => (created.has(id) ? bodyOf(id) : { ...bodyOf(id), source: 'clear' })
  const memory = {
    isOver: false,
    sessions,
    children,
    created,
    bodyOf,
    isOwn: id => !memory.isOver && typeof id === 'string' && id !== '' && !children.has(id),
    messagesOf: async id => (await client.session.messages({ path: { id } }))?.data ?? [],
    /** Starts a session once, even if several hooks need it at the same time. */
    openSession(sessionKey) {
      const known = sessions.get(sessionKey)
      if (known) return known
      const start = postStarting('session-start', startOf(sessionKey), deadlines.start).then(textOf)
      const session = { contexts: new Map(), hasPromptContext: false, start, ...emptyConversation }
      sessions.set(sessionKey, session)
      return session
    },
  }
  return memory
}

/**
 * State of a conversation: the transcript at its last idle moment, the prompts since, and the part already
 * sent.
 */
const emptyConversation = { transcript: '', prompts: [], sent: '' }

/** Hooks that add text for the model. */
function contextHooks({ bodyOf, isOwn, openSession }) {
  return {
    'chat.message': ({ sessionID }, { message, parts }) =>
      quietly(async () => {
        if (!isOwn(sessionID)) return
        const session = openSession(sessionID)
        clearTimeout(session.idleTimer)
        session.prompts = [...session.prompts, { info: { role: 'user', ...message }, parts: [...parts] }]
        await session.start
        const body = { ...bodyOf(sessionID), userMessage: textIn(parts) }
        const reply = await post('user-prompt-submit', body, deadlines.prompt)
        session.hasPromptContext = true
        remember(session.contexts, message?.id, [reply?.clockContext, reply?.inject])
      }),
    'experimental.chat.system.transform': ({ sessionID }, { system }) =>
      quietly(async () => {
        if (!isOwn(sessionID)) return
        const context = await openSession(sessionID).start
        if (context) system.push(context)
      }),
    'experimental.chat.messages.transform': (_input, { messages }) =>
      quietly(async () => {
        const sessionKey = messages.at(-1)?.info?.sessionID
        if (!isOwn(sessionKey)) return
        const session = openSession(sessionKey)
        for (const { info, parts } of messages) addText(info, parts, session.contexts.get(info?.id))
        // Unread messages were already part of the prompt's context.
        if (session.hasPromptContext) session.hasPromptContext = false
        else await addNotifications(messages, bodyOf(sessionKey))
      }),
    // The conversation that is sent has no tools.
    'tool.execute.after': ({ tool, sessionID, callID, args }, { output, metadata } = {}) =>
      quietly(async () => {
        if (!installed.tools || !isOwn(sessionID)) return
        const tool_response = { output, exit_code: metadata?.exit }
        const use = { tool_name: tool, tool_use_id: callID, tool_input: args, tool_response }
        noteToolUse({ session_id: sessionID, cwd: bodyOf(sessionID).cwd, ...use })
      }),
    'experimental.session.compacting': ({ sessionID }, output) =>
      quietly(async () => {
        if (!isOwn(sessionID)) return
        const reply = await post('pre-compaction', bodyOf(sessionID), deadlines.compaction)
        // The prompt contains the guidelines.
        if (reply?.summaryPrompt) output.context.push(reply.summaryPrompt)
      }),
  }
}

/** Reports events. They are not awaited, because OpenCode delivers events one after another. */
function eventHook(memory) {
  const { children, created } = memory
  const reports = {
    'session.created': ({ info }) => (info?.parentID ? children : created).add(info?.id),
    'session.updated': ({ info }) => info?.parentID && children.add(info.id),
    'session.idle': ({ sessionID }) => memory.isOwn(sessionID) && checkpoint(memory, sessionID),
    'session.compacted': ({ sessionID }) => memory.isOwn(sessionID) && sendSummary(memory, sessionID),
    'session.deleted': ({ info }) => children.delete(info.id) || endSession(memory, info.id),
  }
  return async ({ event }) => {
    const report = reports[event?.type]
    if (report) void quietly(() => report(event.properties ?? {}))
  }
}

/** The daemon takes a checkpoint only after much new text; the rest is sent once the session stays idle. */
async function checkpoint(memory, id) {
  const session = memory.openSession(id)
  clearTimeout(session.idleTimer)
  session.reading = read(memory, id, session)
  await session.reading
  const { transcript } = session
  if (memory.isOver || transcript === '' || transcript.length > maxCheckpointed) return
  session.idleTimer = setTimeout(() => void quietly(() => sendIdleSession(memory, id)), idleMs)
  session.idleTimer.unref?.()
  const body = { ...memory.bodyOf(id), transcript }
  await post('session-checkpoint-extract', body, deadlines.later)
}

async function read({ messagesOf }, id, session) {
  const before = session.prompts.length
  const messages = await messagesOf(id)
  const known = new Set(messages.map(({ info }) => info.id))
  session.transcript = transcriptOf(messages)
  session.prompts = session.prompts.slice(before).filter(({ info }) => !known.has(info.id))
}

/**
 * Short conversations can only be sent with a session end. The session continues, so it claims its runtime
 * path again at once.
 */
async function sendIdleSession(memory, id) {
  const session = memory.sessions.get(id)
  if (!session || conversationOf(session) === session.sent) return
  session.sending = endWith(memory, id, session)
  await session.sending
  if (memory.sessions.has(id))
    await post('session-start', { ...memory.bodyOf(id), claimOnly: true }, deadlines.later)
}

async function sendSummary({ messagesOf, bodyOf }, id) {
  const summary = summaryOf(await messagesOf(id))
  if (summary) await report('compaction-complete', { ...bodyOf(id), summary }, deadlines.later)
}

/** The messages may be deleted with the session; then the transcript of the last idle moment is used. */
async function endSession(memory, id) {
  const session = memory.sessions.get(id) ?? { ...emptyConversation }
  clearTimeout(session.idleTimer)
  memory.sessions.delete(id)
  const before = session.transcript
  await quietly(() => read(memory, id, session))
  session.transcript ||= before
  await endWith(memory, id, session, { reason: 'session.deleted' })
}

/**
 * OpenCode awaits this before it exits or reloads its settings; after a reload the next prompt starts the
 * session again.
 */
async function endAll(memory) {
  const all = [...memory.sessions]
  memory.isOver = true
  memory.sessions.clear()
  const end = async ([id, session]) => {
    clearTimeout(session.idleTimer)
    await Promise.race([
      Promise.allSettled([session.reading, session.sending]),
      sleep(deadlines.end, undefined, { ref: false }),
    ])
    await endWith(memory, id, session)
  }
  await Promise.all(all.map(entry => quietly(() => end(entry))))
}

/** Ends a session with its conversation, unless exactly that was sent before. */
async function endWith({ bodyOf }, id, session, more) {
  const conversation = conversationOf(session)
  const transcript = conversation === session.sent ? '' : endOf(conversation)
  session.sent = conversation
  await report('session-end', { ...bodyOf(id), ...more, ...(transcript && { transcript }) }, deadlines.end)
}

function conversationOf({ transcript, prompts }) {
  return [transcript, transcriptOf(prompts)].filter(Boolean).join('\n')
}

async function addNotifications(messages, body) {
  const hook = 'experimental.chat.messages.transform'
  const reply = await post('notifications', { ...body, hook }, deadlines.notifications)
  const last = messages.findLast(({ info }) => info?.role === 'user')
  if (last) addText(last.info, last.parts, textOf(reply))
}

/** A worktree of `/` means a folder outside any repository. */
function projectOf(worktree, directory) {
  return worktree && worktree !== '/' ? worktree : directory
}

/** Stores the context of a prompt by the id of its message; beyond a limit the oldest one is removed. */
function remember(contexts, id, texts) {
  const text = texts.filter(Boolean).join('\n\n')
  if (!id || text === '') return
  contexts.set(id, text)
  if (contexts.size > maxContexts) contexts.delete(contexts.keys().next().value)
}

/**
 * Adds text only for the model, the same at every call. The text that OpenCode stores stays unchanged, and
 * the provider's cache of the conversation remains valid.
 */
function addText(info, parts, text) {
  if (!text) return
  const id = `prt_memory_${info.id}_${parts.length}`
  parts.push({ id, sessionID: info.sessionID, messageID: info.id, type: 'text', text, synthetic: true })
}

function textOf(reply) {
  return typeof reply?.inject === 'string' ? reply.inject : ''
}

function textIn(parts) {
  return (parts ?? [])
    .filter(({ type, synthetic, ignored }) => type === 'text' && !synthetic && !ignored)
    .map(({ text }) => text)
    .join('\n')
}

/** Returns one JSON object per line: `{ role, text, at }`. */
function transcriptOf(messages) {
  return messages
    .map(({ info, parts }) => ({ info, text: textIn(parts) }))
    .filter(({ info, text }) => text.trim() !== '' && !isSummary(info))
    .map(({ info: { role, time }, text }) =>
      JSON.stringify({ role, text, ...(time?.created && { at: new Date(time.created).toISOString() }) }),
    )
    .join('\n')
}

/** Returns the last complete lines within the size limit. */
function endOf(transcript) {
  if (transcript.length <= maxSent) return transcript
  const end = transcript.slice(-maxSent)
  return end.slice(end.indexOf('\n') + 1)
}

/** Returns the summary of the newest compaction. */
function summaryOf(messages) {
  const summary = messages.findLast(({ info }) => isSummary(info))
  return summary && textIn(summary.parts).trim()
}

/** Returns true for a marked message of the assistant. The summary of a user's message is an object. */
function isSummary(info) {
  return info?.role === 'assistant' && Boolean(info.summary)
}

async function quietly(work) {
  try {
    await work()
  } catch (error) {
    if (env.SERVICE_DEBUG === '1') console.error(`memory-service: ${error?.message}`)
  }
}

/** Calls the daemon, and waits for one that is starting. */
async function postStarting(hook, body, timeoutMs) {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const reply = await post(hook, body, Math.max(1, deadline - Date.now()))
    if (reply !== undefined || !isStarting() || Date.now() + pollMs >= deadline) return reply
    await sleep(pollMs)
  }
}

/** Reports an event once. If the daemon cannot accept it now, it is spooled in the workspace. */
async function report(hook, body, timeoutMs) {
  if ((await post(hook, body, timeoutMs)) === undefined && !env.SERVICE_DAEMON_URL) spool(hook, body)
}

/** Writes one file per hook atomically, like `memory hook`; file names increase with time. */
function spool(hook, body) {
  const folder = join(workspaceFolder(), '.daemon', 'hook-spool')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (readdirSync(folder).length >= maxSpooled) return
  const time = new Date()
  const entry = { harness, hook, time: time.toISOString(), input: JSON.stringify(body) }
  if (credential) entry.credential = traceOf(credential)
  const stamp = time.getTime().toString(16).padStart(12, '0')
  const id = `${stamp.slice(0, 8)}-${stamp.slice(8)}-${randomUUID().slice(14)}`
  const file = join(folder, `${id}.json`)
  writeFileSync(`${file}.tmp`, JSON.stringify(entry), { mode: 0o600, flag: 'wx' })
  renameSync(`${file}.tmp`, file)
}

/** Identifies a credential without revealing it: the visible prefix of a key, or the claims of a token. */
function traceOf(key) {
  return key.startsWith('svc_sk_') ? key.slice(0, 15) : key.slice(0, Math.max(0, key.indexOf('.')))
}

/**
 * @returns the body of the reply; null if the daemon refused; undefined if no daemon answered in time or it
 * cannot accept the call now. If none is running, one is started.
 */
async function post(hook, body, timeoutMs) {
  const daemon = await findDaemon(timeoutMs)
  if (!daemon) return launch()
  try {
    const response = await fetch(`${daemon.origin}/api/hooks/${hook}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...daemon.headers,
        ...(credential && { authorization: `Bearer ${credential}` }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    // The daemon is loading, accepts no writes, is overloaded, or its disk is full.
    if (passing.has(response.status)) return undefined
    return response.ok ? await response.json() : null
  } catch (error) {
    return error?.name === 'TimeoutError' ? undefined : launch()
  }
}

/**
 * Finds the daemon. SERVICE_DAEMON_URL takes precedence over the registration, which every daemon rewrites.
 * @returns undefined if none runs, or if another program has its port: that one must receive nothing.
 */
async function findDaemon(timeoutMs) {
  if (env.SERVICE_DAEMON_URL) return { origin: env.SERVICE_DAEMON_URL.replace(/\/$/, ''), headers: {} }
  try {
    const file = join(workspaceFolder(), '.daemon', 'daemon.json')
    const registration = JSON.parse(readFileSync(file, 'utf8'))
    const { host, port, instance, closing } = registration
    if (!instance || closing) return undefined
    const reachable =
      { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host)
    const origin = `http://${reachable}:${port}`
    const isOurs = isRunning(registration) ?? (await answersChallenge(origin, registration, timeoutMs))
    return isOurs ? { origin, headers: { 'x-service-instance': instance } } : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns true if the registered process still runs in this network: it then has its port.
 * @returns undefined where the system does not tell one process from another.
 */
function isRunning({ pid, process: mark, network }) {
  if (!mark || !network || process.platform !== 'linux') return undefined
  if (readlinkSync('/proc/self/ns/net') !== network) return undefined
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const machineStart = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return state !== 'Z' && state !== 'X' && mark === `${machineStart} ${fields[18]}`
}

/** Lets the program on the port prove that it knows the instance id, which is not revealed to it. */
async function answersChallenge(origin, { instance, port }, timeoutMs) {
  const challenge = randomBytes(16).toString('hex')
  const { headers } = await fetch(`${origin}/health`, {
    headers: { 'x-service-challenge': challenge },
    signal: AbortSignal.timeout(timeoutMs),
  })
  const proof = createHmac('sha256', instance).update(`${challenge} ${port}`).digest('hex')
  return headers.get('x-service-proof') === proof
}

function workspaceFolder() {
  return (
    installed.workspace || env.SERVICE_WORKSPACE || join(homedir() || userInfo().homedir, '.memory-service')
  )
}

/** Notes a use of a tool without waiting; only a session that the daemon permits is noted. */
function noteToolUse(input) {
  const [program, ...words] = installed.command
  const workspace = installed.workspace ? ['--workspace', installed.workspace] : []
  const child = spawn(program, [...words, 'hook', 'tool-use', '-H', harness, ...workspace], {
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
  })
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(input))
  child.unref()
}

/** Starts the daemon detached, at most once a minute, without waiting. */
function launch() {
  if (env.SERVICE_DAEMON_URL || env.SERVICE_NO_AUTOSTART === '1') return
  if (Date.now() - launch.last < launchPauseMs) return
  launch.last = Date.now()
  const [program, ...words] = installed.command
  const workspace = installed.workspace ? ['--workspace', installed.workspace] : []
  const child = spawn(program, [...words, 'daemon', 'start', ...workspace], {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  })
  child.on('error', () => {})
  child.unref()
}
launch.last = 0

function isStarting() {
  return Date.now() - launch.last < launchPauseMs
}
