// memory-service plugin for OpenCode
// Written by `memory connect opencode`, removed by `memory disconnect opencode`; changes here are lost.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const installed = { version: '', workspace: '', command: ['memory'] }

const harness = 'opencode'
const { env } = process
/** Milliseconds that OpenCode waits for us at most, since it sets no limit of its own. */
const deadlines = { start: 3000, prompt: 1000, notifications: 500, compaction: 1000, background: 10_000 }
const launchPauseMs = 60_000
const pollMs = 50
const mostContexts = 200
/** Characters of a conversation: longer ones are sent at their end alone, and then their end. */
const mostCheckpointed = 2 * 1024 * 1024
const mostSent = 4 * 1024 * 1024

/**
 * Gives sessions of OpenCode their memory. It fails open: whatever goes wrong, the session goes on without it.
 * OpenCode calls every export of this file, so there is this one only.
 */
export const MemoryService = async input => {
  if (env.SERVICE_BYPASS === '1' || env.SERVICE_NO_HOOKS === '1') return {}
  const memory = createMemory(input)
  return { ...contextHooks(memory), event: eventHook(memory) }
}

/** What is known of the sessions that this OpenCode runs. */
function createMemory({ client, directory, worktree }) {
  const sessions = new Map()
  // Sessions of sub-agents belong to the session that started them: they have no memory of their own.
  const children = new Set()
  const bodyOf = sessionKey => ({
    harness,
    sessionKey,
    runtimePath: 'plugin',
    project: projectOf(worktree, directory),
    cwd: directory,
  })
  return {
    sessions,
    children,
    bodyOf,
    isOwn: id => typeof id === 'string' && id !== '' && !children.has(id),
    messagesOf: async id => (await client.session.messages({ path: { id } }))?.data ?? [],
    /** Starts a session once, however many hooks ask for it at the same time. */
    opened(sessionKey) {
      const known = sessions.get(sessionKey)
      if (known) return known
      const start = postStarting('session-start', bodyOf(sessionKey), deadlines.start).then(textOf)
      const session = { contexts: new Map(), told: false, transcript: '', start }
      sessions.set(sessionKey, session)
      return session
    },
  }
}

/** Hooks that put text in front of the model. */
function contextHooks({ bodyOf, isOwn, opened }) {
  return {
    'chat.message': ({ sessionID }, { message, parts }) =>
      quietly(async () => {
        if (!isOwn(sessionID)) return
        const session = opened(sessionID)
        await session.start
        const body = { ...bodyOf(sessionID), userMessage: saidIn(parts) }
        const reply = await post('user-prompt-submit', body, deadlines.prompt)
        session.told = true
        remember(session.contexts, message?.id, [reply?.clockContext, reply?.inject])
      }),
    'experimental.chat.system.transform': ({ sessionID }, { system }) =>
      quietly(async () => {
        if (!isOwn(sessionID)) return
        const context = await opened(sessionID).start
        if (context) system.push(context)
      }),
    'experimental.chat.messages.transform': (_input, { messages }) =>
      quietly(async () => {
        const sessionKey = messages.at(-1)?.info?.sessionID
        if (!isOwn(sessionKey)) return
        const session = opened(sessionKey)
        for (const { info, parts } of messages) addText(info, parts, session.contexts.get(info?.id))
        // What is unread came with the prompt's own context a moment ago.
        if (session.told) session.told = false
        else await addNotifications(messages, bodyOf(sessionKey))
      }),
    'experimental.session.compacting': ({ sessionID }, output) =>
      quietly(async () => {
        if (!isOwn(sessionID)) return
        const reply = await post('pre-compaction', bodyOf(sessionID), deadlines.compaction)
        // The prompt holds the guidelines.
        if (reply?.summaryPrompt) output.context.push(reply.summaryPrompt)
      }),
  }
}

/** Reports what happened. Not awaited: OpenCode hands out events one after the other. */
function eventHook(memory) {
  const { children } = memory
  const reports = {
    'session.created': ({ info }) => info?.parentID && children.add(info.id),
    'session.updated': ({ info }) => info?.parentID && children.add(info.id),
    'session.idle': ({ sessionID }) => memory.isOwn(sessionID) && checkpoint(memory, sessionID),
    'session.compacted': ({ sessionID }) => memory.isOwn(sessionID) && keepSummary(memory, sessionID),
    'session.deleted': ({ info }) => children.delete(info.id) || endSession(memory, info.id),
  }
  return async ({ event }) => {
    const report = reports[event?.type]
    if (report) void quietly(() => report(event.properties ?? {}))
  }
}

async function checkpoint({ messagesOf, opened, bodyOf }, id) {
  const transcript = transcriptOf(await messagesOf(id))
  opened(id).transcript = transcript
  if (transcript === '' || transcript.length > mostCheckpointed) return
  await post('session-checkpoint-extract', { ...bodyOf(id), transcript }, deadlines.background)
}

async function keepSummary({ messagesOf, bodyOf }, id) {
  const summary = summaryOf(await messagesOf(id))
  if (summary) await post('compaction-complete', { ...bodyOf(id), summary }, deadlines.background)
}

/** The messages may be gone with the session: then what was said until it last came to rest is all there is. */
async function endSession({ messagesOf, sessions, bodyOf }, id) {
  const messages = await messagesOf(id).catch(() => [])
  const transcript = endOf(transcriptOf(messages) || sessions.get(id)?.transcript || '')
  sessions.delete(id)
  const body = { ...bodyOf(id), reason: 'session.deleted', ...(transcript && { transcript }) }
  await post('session-end', body, deadlines.background)
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

/** The context of a prompt by the id of its message; the oldest go when there are many. */
function remember(contexts, id, texts) {
  const text = texts.filter(Boolean).join('\n\n')
  if (!id || text === '') return
  contexts.set(id, text)
  if (contexts.size > mostContexts) contexts.delete(contexts.keys().next().value)
}

/**
 * Only what goes to the model is added to, the same at every call: what OpenCode stores stays as the person wrote it,
 * and the provider's cache of the conversation holds.
 */
function addText(info, parts, text) {
  if (!text) return
  const id = `prt_memory_${info.id}_${parts.length}`
  parts.push({ id, sessionID: info.sessionID, messageID: info.id, type: 'text', text, synthetic: true })
}

function textOf(reply) {
  return typeof reply?.inject === 'string' ? reply.inject : ''
}

function saidIn(parts) {
  return (parts ?? [])
    .filter(({ type, synthetic, ignored }) => type === 'text' && !synthetic && !ignored)
    .map(({ text }) => text)
    .join('\n')
}

/** One JSON object a line: `{ role, text, at }`. */
function transcriptOf(messages) {
  return messages
    .map(({ info, parts }) => ({ info, text: saidIn(parts) }))
    .filter(({ info, text }) => text.trim() !== '' && !info.summary)
    .map(({ info: { role, time }, text }) =>
      JSON.stringify({ role, text, ...(time?.created && { at: new Date(time.created).toISOString() }) }),
    )
    .join('\n')
}

/** The last whole lines that are short enough to be sent. */
function endOf(transcript) {
  if (transcript.length <= mostSent) return transcript
  const end = transcript.slice(-mostSent)
  return end.slice(end.indexOf('\n') + 1)
}

/** What the newest compaction made of the session: a message of the assistant that is marked as a summary. */
function summaryOf(messages) {
  const summary = messages.findLast(({ info }) => info?.role === 'assistant' && info.summary)
  return summary && saidIn(summary.parts).trim()
}

async function quietly(work) {
  try {
    await work()
  } catch (error) {
    if (env.SERVICE_DEBUG === '1') console.error(`memory-service: ${error?.message}`)
  }
}

/** Asks the daemon, and waits for one that is starting. */
async function postStarting(hook, body, timeoutMs) {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const reply = await post(hook, body, Math.max(1, deadline - Date.now()))
    if (reply !== undefined || !isStarting() || Date.now() + pollMs >= deadline) return reply
    await sleep(pollMs)
  }
}

/** @returns the reply's body; null for a refusal, undefined when nobody answered in time: then a daemon is started. */
async function post(hook, body, timeoutMs) {
  const origin = originOfDaemon()
  if (!origin) return launch()
  const key = env.SERVICE_API_KEY || env.SERVICE_TOKEN
  try {
    const response = await fetch(`${origin}/api/hooks/${hook}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    // A daemon that has begun to listen refuses until it has loaded.
    if (response.status === 503 && isStarting()) return undefined
    return response.ok ? await response.json() : null
  } catch (error) {
    return error?.name === 'TimeoutError' ? undefined : launch()
  }
}

/** SERVICE_DAEMON_URL wins; otherwise where the registration of the workspace says, which changes with each daemon. */
function originOfDaemon() {
  if (env.SERVICE_DAEMON_URL) return env.SERVICE_DAEMON_URL.replace(/\/$/, '')
  try {
    const file = join(workspaceFolder(), '.daemon', 'daemon.json')
    const { host, port } = JSON.parse(readFileSync(file, 'utf8'))
    const reachable =
      { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host)
    return `http://${reachable}:${port}`
  } catch {
    return undefined
  }
}

function workspaceFolder() {
  return installed.workspace || env.SERVICE_WORKSPACE || join(homedir(), '.memory-service')
}

/** Starts the daemon detached, at most once a minute, and does not wait for it. */
function launch() {
  if (env.SERVICE_DAEMON_URL || env.SERVICE_NO_AUTOSTART === '1') return
  if (Date.now() - launch.last < launchPauseMs) return
  launch.last = Date.now()
  const [program, ...words] = installed.command
  const workspace = installed.workspace ? ['--workspace', installed.workspace] : []
  const child = spawn(program, [...words, 'daemon', 'start', ...workspace], {
    detached: true,
    stdio: 'ignore',
  })
  child.on('error', () => {})
  child.unref()
}
launch.last = 0

function isStarting() {
  return Date.now() - launch.last < launchPauseMs
}
