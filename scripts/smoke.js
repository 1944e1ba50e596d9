/**
 * smoke.js PLACE [--json]: uses an installed package as a person and their agents do, on any system and
 * without a shell. PLACE is the installed `memory`, or the folder of the package (on Windows always that). It
 * prints a line for each step; the exit code is 1 if one fails.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

const [place, ...options] = process.argv.slice(2)
const asJson = options.includes('--json')
const stepMs = 120_000
const hookMs = 2_000
// Only Windows refuses to replace a file that is being read; each change there is a chance to be refused.
const settingsChanges = process.platform === 'win32' ? 200 : 20
const mark = '\uFEFF'

/** Hook input of each agent, as it words it itself. */
const events = {
  'claude-code': { session: 'session_id', extra: { hook_event_name: 'SessionStart' } },
  codex: { session: 'session_id', extra: { hook_event_name: 'SessionStart' } },
  gemini: { session: 'session_id', extra: { hook_event_name: 'SessionStart' } },
  cursor: { session: 'conversation_id', extra: {} },
  copilot: { session: 'sessionId', extra: {} },
}

const folder = await realpath(await mkdtemp(join(tmpdir(), 'memory-smoke-')))
const home = join(folder, 'home')
const workspace = join(folder, 'memories')
const project = join(folder, 'projekt ü')
const agents = join(folder, 'agents')
const environment = {
  ...process.env,
  HOME: home,
  USERPROFILE: home,
  SERVICE_WORKSPACE: workspace,
  SERVICE_PORT: '0',
  NO_COLOR: '1',
  PATH: `${agents}${delimiter}${process.env.PATH ?? ''}`,
}

/** @returns the command of the installed package: a script by this Node, or the installed program itself. */
async function commandOf(path) {
  const isFolder = (await stat(path)).isDirectory()
  if (!isFolder && process.platform === 'win32')
    throw new Error('on Windows PLACE is the folder of the package')
  return isFolder ? [process.execPath, join(path, 'bin', 'run.js')] : [path]
}

function start(words, env = {}) {
  const [program, ...first] = command
  return spawn(program, [...first, ...words], {
    cwd: project,
    env: { ...environment, ...env },
    windowsHide: true,
  })
}

/** Runs a command to its end. @throws when its exit code is another than 0. */
async function memory(words, { input = '', env, mayFail = false } = {}) {
  const child = start(words, env)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', text => {
      output[name] += text
    })
  child.stdin.on('error', () => undefined).end(input)
  const timer = setTimeout(() => child.kill('SIGKILL'), stepMs)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  if (code !== 0 && !mayFail)
    throw new Error(
      `memory ${words.slice(0, 3).join(' ')} ends with ${code}: ${output.stderr || output.stdout}`,
    )
  return { ...output, code }
}

async function memoryJson(words, given) {
  return JSON.parse((await memory([...words, '--json'], given)).stdout)
}

function check(holds, what) {
  if (!holds) throw new Error(what)
}

function hookInput(harness, extra = {}) {
  const { session, extra: own } = events[harness]
  const where = harness === 'cursor' ? { workspace_roots: [project] } : { cwd: project }
  return JSON.stringify({ [session]: `smoke-${harness}`, ...where, ...own, ...extra })
}

async function startAndSave() {
  await memory(['init'])
  await memory(['daemon', 'start'])
  await memory(['remember', 'Grüße 記憶 at the harbour'])
}

async function recall() {
  const { stdout } = await memory(['recall', 'Grüße 記憶'])
  check(stdout.includes('Grüße 記憶 at the harbour'), `recall prints ${stdout}`)
}

async function hooks() {
  const silent = []
  for (const harness of Object.keys(events))
    for (const hook of ['session-start', 'user-prompt-submit']) {
      const began = performance.now()
      const input = hookInput(harness, { prompt: 'Grüße 記憶' })
      const { stdout, stderr } = await memory(['hook', hook, '-H', harness], { input })
      const took = performance.now() - began
      check(took < hookMs, `${hook} of ${harness} takes ${Math.round(took)} ms`)
      check(stderr === '', `${hook} of ${harness}: ${stderr}`)
      if (stdout.includes('記憶')) silent.push(harness)
    }
  check(silent.includes('claude-code'), 'no session of Claude Code starts with the saved memory')
}

/** Cursor puts a byte order mark before its input on Windows. */
async function hooksWithMark() {
  for (const harness of Object.keys(events)) {
    const input = mark + hookInput(harness, { prompt: 'hello' })
    const { stderr } = await memory(['hook', 'user-prompt-submit', '-H', harness], { input })
    check(stderr === '', `user-prompt-submit of ${harness}: ${stderr}`)
  }
  await memory(['daemon', 'stop'])
  const env = { SERVICE_NO_AUTOSTART: '1' }
  for (const harness of Object.keys(events))
    await memory(['hook', 'session-end', '-H', harness], { input: mark + hookInput(harness), env })
  const spool = join(workspace, '.daemon', 'hook-spool')
  const waiting = await readdir(spool)
  check(waiting.length >= Object.keys(events).length, `the spool has ${waiting.join(', ') || 'nothing'}`)
  await memory(['daemon', 'start'])
  await until(async () => (await readdir(spool)).every(name => name === 'failed'), 'the spool is empty')
  const failed = await readdir(join(spool, 'failed')).catch(() => [])
  check(failed.length === 0, `hooks were refused: ${failed.join(', ')}`)
}

async function until(holds, what) {
  const end = performance.now() + stepMs
  while (!(await holds())) {
    check(performance.now() < end, `not within ${stepMs / 1000} s: ${what}`)
    await delay(50)
  }
}

async function documents() {
  const file = join(project, 'Über uns.md')
  await writeFile(file, '# Lighthouse\n\nThe lighthouse keeper is called Ørsted.\n')
  await memory(['documents', 'add', file])
  const { stdout } = await memory(['recall', 'who is the lighthouse keeper'])
  check(stdout.includes('Ørsted'), `recall prints ${stdout}`)
}

async function backup() {
  await memory(['backup', 'create'])
  const [name] = (await readdir(join(workspace, 'backups'))).filter(file => file.endsWith('.tar.gz'))
  check(name !== undefined, 'the folder has no archive')
  await memory(['forget', '--query', 'harbour', '--reason', 'smoke', '--yes'])
  await memory(['backup', 'restore', name.replace('.tar.gz', ''), '--yes'])
  await recall()
}

/** Another process that holds the file for moments, as a virus scanner does. */
async function settings() {
  const file = join(workspace, 'agent.yaml')
  const reading = `const { closeSync, openSync } = require('node:fs')
    setInterval(() => { try { closeSync(openSync(${JSON.stringify(file)}, 'r')) } catch {} }, 1)`
  const reader = spawn(process.execPath, ['--eval', reading], { windowsHide: true })
  try {
    for (let count = 1; count <= settingsChanges; count++)
      await memory(['config', 'set', 'recall.reranking.deadlineMs', String(800 + count)])
  } finally {
    reader.kill('SIGKILL')
  }
  check(
    (await readFile(file, 'utf8')).includes(`deadlineMs: ${800 + settingsChanges}`),
    'the last change is missing',
  )
}

async function secrets() {
  await memory(['secrets', 'set', 'HARBOUR_KEY'], { input: 'Grüße-42' })
  const program = 'console.log([...process.env.HARBOUR_KEY].length)'
  const words = ['secrets', 'exec', 'HARBOUR_KEY', '--', process.execPath, '--print', program]
  const { stdout } = await memory(words)
  check(stdout.startsWith('8'), `the command prints ${stdout}`)
}

/** The fake agent takes its prompt as an argument or on stdin, and writes it to a file. */
async function tasks() {
  const received = join(folder, 'prompt.txt')
  const agent = `const { readFileSync, writeFileSync } = require('node:fs')
    const words = process.argv.slice(2)
    let text = ''
    try { text = readFileSync(0, 'utf8') } catch {}
    writeFileSync(${JSON.stringify(received)}, text.trim() === '' ? words.at(-1) : text)
    console.log(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: 'ok' }))`
  await mkdir(agents, { recursive: true })
  await writeFile(join(agents, 'agent.cjs'), agent)
  const script = join(agents, 'agent.cjs')
  if (process.platform === 'win32')
    await writeFile(join(agents, 'claude.cmd'), `@"${process.execPath}" "${script}" %*\r\n`)
  else
    await writeFile(join(agents, 'claude'), `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`, {
      mode: 0o755,
    })
  const prompt = ['begin', `"Grüße" & 記憶 ${'x'.repeat(20_000)}`, 'end'].join('\n')
  const { task } = await memoryJson(['tasks', 'add', '-', '--cron', '0 9 * * 1', '-H', 'claude', '--off'], {
    input: prompt,
  })
  await memory(['tasks', 'run', task.id, '--follow'])
  const arrived = (await readFile(received, 'utf8')).replaceAll('\r\n', '\n').trim()
  check(arrived.includes(prompt), `the agent received ${arrived.length} of ${prompt.length} characters`)
}

async function mcp() {
  const child = start(['mcp'])
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const say = message => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const reply = async id => {
    for (;;) {
      const { value, done } = await lines.next()
      check(!done, 'the MCP server ends before it replies')
      const message = JSON.parse(value)
      if (message.id === id) return message
    }
  }
  const clientInfo = { name: 'smoke', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  say({ id: 1, method: 'initialize', params })
  await reply(1)
  say({ method: 'notifications/initialized' })
  say({ id: 2, method: 'tools/call', params: { name: 'memory_search', arguments: { query: 'Grüße 記憶' } } })
  const { result, error } = await reply(2)
  check(JSON.stringify(result ?? error).includes('記憶'), JSON.stringify(result ?? error))
  child.stdin.end()
  const [code] = await once(child, 'close')
  check(code === 0, `the MCP server ends with ${code}`)
}

async function doctor() {
  const { findings } = await memoryJson(['doctor'], { mayFail: true })
  const errors = findings.filter(({ severity }) => severity === 'error')
  check(errors.length === 0, JSON.stringify(errors))
}

async function stopAndRemove() {
  await memory(['daemon', 'stop'])
  await cp(join(workspace, '.daemon'), join(folder, 'kept'), { recursive: true })
  await rm(workspace, { recursive: true })
}

const steps = {
  'start and save': startAndSave,
  recall,
  'hooks of each agent': hooks,
  'hooks with a byte order mark, and without a daemon': hooksWithMark,
  'add documents': documents,
  'back up and restore': backup,
  'change settings that another process reads': settings,
  'keep and use a secret': secrets,
  'run a task with a long prompt': tasks,
  'call an MCP tool': mcp,
  'doctor finds no error': doctor,
  'stop the daemon and remove the workspace': stopAndRemove,
}

const command = await commandOf(resolve(place))
await Promise.all([home, project, agents].map(path => mkdir(path, { recursive: true })))
const results = []
for (const [step, run] of Object.entries(steps)) {
  const began = performance.now()
  const fault = await run().then(
    () => undefined,
    error => error.message,
  )
  const seconds = Number(((performance.now() - began) / 1000).toFixed(1))
  results.push({ step, ok: fault === undefined, seconds, ...(fault && { fault }) })
  if (!asJson)
    console.log(
      `${fault === undefined ? 'ok  ' : 'FAIL'} ${String(seconds).padStart(6)} s  ${step}${fault ? `: ${fault}` : ''}`,
    )
}
const failed = results.filter(({ ok }) => !ok)
if (failed.length > 0) await memory(['daemon', 'stop'], { mayFail: true }).catch(() => undefined)
await rm(folder, { recursive: true, force: true, maxRetries: 5 })
if (asJson)
  console.log(
    JSON.stringify({ node: process.version, system: `${process.platform}-${process.arch}`, steps: results }),
  )
process.exitCode = failed.length > 0 ? 1 : 0
