// memory-service plugin for OpenCode
// Written by `memory connect opencode`, removed by `memory disconnect opencode`; changes here are lost.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const installed = { version: '', workspace: '', command: ['memory'] }

const harness = 'opencode'
const { env } = process
const credential = env.SERVICE_API_KEY || env.SERVICE_TOKEN
/** Milliseconds that OpenCode waits for us at most, since it sets no limit of its own. */
const deadlines = {
  start: 3000,
  prompt: 1000,
  notifications: 500,
  compaction: 1000,
  later: 10_000,
  end: 3000,
}
/** A session that rests for so long is handed over: some processes end without telling anybody. */
const restMs = 15_000
const launchPauseMs = 60_000
const pollMs = 50
const mostContexts = 200
/** Characters of a conversation: longer ones are sent at their end alone, and then their end. */
const mostCheckpointed = 2 * 1024 * 1024
const mostSent = 4 * 1024 * 1024
/** Statuses of a daemon that may take the same call another time. */
const passing = new Set([429, 503, 507])
/** Files that wait for a daemon; it takes no more either. */
const mostKept = 1000

/**
 * Gives sessions of OpenCode their memory. It fails open: whatever goes wrong, the session goes on without it.
 * OpenCode calls every export of this file, so there is this one only.
 */
export const MemoryService = async input => {
  if (env.SERVICE_BYPASS === '1' || env.SERVICE_NO_HOOKS === '1') return {}
  const memory = createMemory(input)
  return { ...contextHooks(memory), event: eventHook(memory), dispose: () => quietly(() => endAll(memory)) }
}

/** What is known of the sessions that this OpenCode runs. */
function createMemory({ client, directory, worktree }) {
  const sessions = new Map()
  // Sessions of sub-agents belong to the session that started them: they have no memory of their own.
  const children = new Set()
  const created = new Set()
  const bodyOf = sessionKey => ({
    harness,
    sessionKey,
    runtimePath: 'plugin',
    project: projectOf(worktree, directory),
    cwd: directory,
  })
  // What an earlier process was told stood in its system prompts, which OpenCode does not keep: it is to be told again.
  const startOf = id => (created.has(id) ? bodyOf(id) : { ...bodyOf(id), source: 'clear' })
  const memory = {
    isOver: false,
    sessions,
    children,
    created,
    bodyOf,
    isOwn: id => !memory.isOver && typeof id === 'string' && id !== '' && !children.has(id),
    messagesOf: async id => (await client.session.messages({ path: { id } }))?.data ?? [],
    /** Starts a session once, however many hooks ask for it at the same time. */
    opened(sessionKey) {
      const known = sessions.get(sessionKey)
      if (known) return known
      const start = postStarting('session-start', startOf(sessionKey), deadlines.start).then(textOf)
      const session = { contexts: new Map(), told: false, start, ...nothingSaid }
      sessions.set(sessionKey, session)
      return session
    },
  }
  return memory
}

/** Of a conversation: what was said until it last came to rest, the prompts since, and what the daemon was given of it. */
const nothingSaid = { transcript: '', asked: [], handed: '' }

/** Hooks that put text in front of the model. */
function contextHooks({ bodyOf, isOwn, opened }) {
  return {
    'chat.message': ({ sessionID }, { message, parts }) =>
      quietly(async () => {
        if (!isOwn(sessionID)) return
        const session = opened(sessionID)
        clearTimeout(session.rest)
        session.asked = [...session.asked, { info: { role: 'user', ...message }, parts: [...parts] }]
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
  const { children, created } = memory
  const reports = {
    'session.created': ({ info }) => (info?.parentID ? children : created).add(info?.id),
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

/** The daemon takes a checkpoint only when much is new: the rest is handed over when the session goes on resting. */
async function checkpoint(memory, id) {
  const session = memory.opened(id)
  clearTimeout(session.rest)
  session.reading = read(memory, id, session)
  await session.reading
  const { transcript } = session
  if (memory.isOver || transcript === '' || transcript.length > mostCheckpointed) return
  session.rest = setTimeout(() => void quietly(() => handOverResting(memory, id)), restMs)
  session.rest.unref?.()
  const body = { ...memory.bodyOf(id), transcript }
  await post('session-checkpoint-extract', body, deadlines.later)
}

async function read({ messagesOf }, id, session) {
  const before = session.asked.length
  const messages = await messagesOf(id)
  const known = new Set(messages.map(({ info }) => info.id))
  session.transcript = transcriptOf(messages)
  session.asked = session.asked.slice(before).filter(({ info }) => !known.has(info.id))
}

/** An end is the only way to hand over little; the session goes on, so it takes its runtime path again at once. */
async function handOverResting(memory, id) {
  const session = memory.sessions.get(id)
  if (!session || saidSoFar(session) === session.handed) return
  session.handing = endWith(memory, id, session)
  await session.handing
  if (memory.sessions.has(id))
    await post('session-start', { ...memory.bodyOf(id), claimOnly: true }, deadlines.later)
}

async function keepSummary({ messagesOf, bodyOf }, id) {
  const summary = summaryOf(await messagesOf(id))
  if (summary) await report('compaction-complete', { ...bodyOf(id), summary }, deadlines.later)
}

/** The messages may be gone with the session: then what was said until it last came to rest is all there is. */
async function endSession(memory, id) {
  const session = memory.sessions.get(id) ?? { ...nothingSaid }
  clearTimeout(session.rest)
  memory.sessions.delete(id)
  const before = session.transcript
  await quietly(() => read(memory, id, session))
  session.transcript ||= before
  await endWith(memory, id, session, { reason: 'session.deleted' })
}

/** OpenCode waits for this before it ends, or reads its settings anew: then the next prompt starts the session again. */
async function endAll(memory) {
  const all = [...memory.sessions]
  memory.isOver = true
  memory.sessions.clear()
  const end = async ([id, session]) => {
    clearTimeout(session.rest)
    await Promise.race([
      Promise.allSettled([session.reading, session.handing]),
      sleep(deadlines.end, undefined, { ref: false }),
    ])
    await endWith(memory, id, session)
  }
  await Promise.all(all.map(entry => quietly(() => end(entry))))
}

/** Ends a session with what was said in it, unless the daemon was given just that before. */
async function endWith({ bodyOf }, id, session, more) {
  const said = saidSoFar(session)
  const transcript = said === session.handed ? '' : endOf(said)
  session.handed = said
  await report('session-end', { ...bodyOf(id), ...more, ...(transcript && { transcript }) }, deadlines.end)
}

function saidSoFar({ transcript, asked }) {
  return [transcript, transcriptOf(asked)].filter(Boolean).join('\n')
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
    .filter(({ info, text }) => text.trim() !== '' && !isSummary(info))
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

/** What the newest compaction made of the session. */
function summaryOf(messages) {
  const summary = messages.findLast(({ info }) => isSummary(info))
  return summary && saidIn(summary.parts).trim()
}

/** A message of the assistant that is marked so; a message of the user carries a summary of its own, an object. */
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

/** Asks the daemon, and waits for one that is starting. */
async function postStarting(hook, body, timeoutMs) {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const reply = await post(hook, body, Math.max(1, deadline - Date.now()))
    if (reply !== undefined || !isStarting() || Date.now() + pollMs >= deadline) return reply
    await sleep(pollMs)
  }
}

/** Tells what happens once. A daemon that does not take it now finds it in the spool of its workspace. */
async function report(hook, body, timeoutMs) {
  if ((await post(hook, body, timeoutMs)) === undefined && !env.SERVICE_DAEMON_URL) keep(hook, body)
}

/** One file a hook, whole or not at all, as `memory hook` leaves them; the names grow with the time. */
function keep(hook, body) {
  const folder = join(workspaceFolder(), '.daemon', 'hook-spool')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (readdirSync(folder).length >= mostKept) return
  const time = new Date()
  const entry = { harness, hook, time: time.toISOString(), input: JSON.stringify(body) }
  if (credential) entry.credential = traceOf(credential)
  const stamp = time.getTime().toString(16).padStart(12, '0')
  const id = `${stamp.slice(0, 8)}-${stamp.slice(8)}-${randomUUID().slice(14)}`
  const file = join(folder, `${id}.json`)
  writeFileSync(`${file}.tmp`, JSON.stringify(entry), { mode: 0o600, flag: 'wx' })
  renameSync(`${file}.tmp`, file)
}

/** Whose credential it is, without what proves it: the shown beginning of a key, the claims of a token. */
function traceOf(key) {
  return key.startsWith('svc_sk_') ? key.slice(0, 15) : key.slice(0, Math.max(0, key.indexOf('.')))
}

/**
 * @returns the reply's body; null for a refusal, undefined when nobody answered in time, or cannot for now: then a daemon
 *   is started where none runs.
 */
async function post(hook, body, timeoutMs) {
  const origin = originOfDaemon()
  if (!origin) return launch()
  try {
    const response = await fetch(`${origin}/api/hooks/${hook}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(credential && { authorization: `Bearer ${credential}` }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    // It has begun to listen and still loads, takes no writes for now, has too much to do, or no room on the disk.
    if (passing.has(response.status)) return undefined
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
  return (
    installed.workspace || env.SERVICE_WORKSPACE || join(homedir() || userInfo().homedir, '.memory-service')
  )
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
