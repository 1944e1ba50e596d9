/**
 * The hook: `memory hook`, the program that coding agents start at each prompt, session start and session
 * end.
 *
 * It is a script of its own with as few modules as possible, since an agent waits for it. The agent's JSON
 * comes in on stdin and is posted to the daemon unchanged; what the agent should read goes out on stdout. If
 * the daemon cannot take the end of a session, the hook keeps it in the spool of the workspace. It does not
 * interpret what agents write: `src/daemon/sessions/harness` does. It never fails a session.
 */

import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { durableHooks, maxHookInputBytes } from '../contract/sessions/harness-names.js'
import { keepFilesUsable } from '../lib/files/own-umask.js'
import { isConnected } from '../lib/workspace/own-connection.js'
import { workspacePaths } from '../lib/workspace/paths.js'
import { isNewer, version } from '../lib/workspace/version.js'
import { workingFolder } from '../lib/workspace/working-folder.js'
import { type HookArguments, readArguments, usage } from './arguments.js'
import { type Delivery, deliver, type HookRequest } from './deliver.js'
import { isPipe, openInput, readInput } from './read-input.js'

/** Work that Node runs for a script in its thread pool: name look-ups and file reads. */
const threaded = new Set(['GetAddrInfoReqWrap', 'GetNameInfoReqWrap', 'FSReqCallback', 'FSReqPromise'])

/** Closing a file takes no longer than this. */
const settleMs = 200

const lookMs = 10

/** Time reserved for ending the process and for spooling a hook. */
const endMs = 120
/** Time for reading the input of a hook that must not be lost, even after the deadline. */
const durableReadMs = 500
/** Interval between two probes for a starting daemon. */
const pollMs = 20
/** The process ends this long after its deadline in any case. */
const graceMs = 250

/** Milliseconds since the process started. The more precise global clock would load eight modules of Node. */
const sinceStartMs = (): number => process.uptime() * 1000

/** Runs `main`, then ends the process even if work is pending. */
export async function run(argv: readonly string[]): Promise<void> {
  endHook(await main(argv, endHook))
}

/**
 * `memory hook`: sends the input of a harness to the daemon and prints the reply for the harness. It fails
 * open: on a timeout, a fault or without a daemon it prints nothing, gives the reason in one line on stderr
 * and exits with 0.
 * @param end ends the process even if work is pending; called when `main` has not returned soon after its
 * deadline.
 * @returns the exit code; 2 for invalid arguments typed at a terminal.
 */
export async function main(argv: readonly string[], end?: (code: number) => void): Promise<number> {
  keepFilesUsable()
  // Each of these variables means that this process must not contact the daemon (rules.md 4.11).
  if (process.env.SERVICE_BYPASS === '1' || process.env.SERVICE_NO_HOOKS === '1') return 0
  const target = readArguments(argv)
  if (typeof target === 'string') {
    await say(`${target}\n${usage}`, graceMs)
    return process.stdin.isTTY ? 2 : 0
  }
  if (target.isOfPlugin && isSecond(target)) return 0
  // On a busy machine the start may take longer than the deadline; a durable hook gets its time from now on
  // then.
  const durableMs = durableHooks.has(target.hook) ? durableReadMs : 0
  const lastMs = graceMs + durableMs + Math.max(target.timeoutMs, durableMs && sinceStartMs())
  const left = (): number => Math.max(1, lastMs - sinceStartMs())
  // Upper limit for everything below, however it fails.
  if (end) setTimeout(end, left(), 0).unref()
  const { text, note } = await handOver(target).catch(error => ({ text: '', note: (error as Error).message }))
  await write(1, text, left())
  if (note) await say(`memory hook ${target.hook}: ${note}`, left())
  return 0
}

/** Plug-ins of Copilot CLI run hooks in their own folder. */
function isSecond({ workspace, harness }: HookArguments): boolean {
  const { CLAUDE_PROJECT_DIR, COPILOT_PROJECT_DIR } = process.env
  const folder = CLAUDE_PROJECT_DIR ?? COPILOT_PROJECT_DIR ?? workingFolder()
  return isConnected(workspacePaths(workspace), harness, folder)
}

async function handOver(target: HookArguments): Promise<{ text: string; note?: string | undefined }> {
  // Measured from the start of the process, because that is what a harness waits for.
  const left = (): number => Math.max(1, target.timeoutMs - endMs - sinceStartMs())
  const isDurable = durableHooks.has(target.hook)
  if (!isDurable && target.timeoutMs - endMs <= sinceStartMs())
    return { text: '', note: `this machine is busy: its ${target.timeoutMs} ms were over before it began` }
  const timeoutMs = Math.max(left(), isDurable ? durableReadMs : 1)
  const input = await readInput(openInput(), { maxBytes: maxHookInputBytes, timeoutMs })
  if (input.length === 0) return { text: '', note: 'no input' }
  const parcel = { target, input, left }
  const delivery = await deliverOrStart(parcel)
  if (target.hook === 'session-start') await replaceOlder(target, delivery)
  if (delivery.kind === 'answered') return delivery
  if (!isDurable) return { text: '', note: delivery.why }
  if (!delivery.canKeep) return { text: '', note: `lost: ${delivery.why}` }
  const { spoolHook } = await import('./spool-hook.js')
  return { text: '', note: `${spoolHook(target, input)}: ${delivery.why}` }
}

/**
 * Runs after a session has started. The launched command decides, like every command, if the daemon is
 * replaced.
 */
async function replaceOlder({ workspace }: HookArguments, { daemonVersion }: Delivery): Promise<void> {
  if (daemonVersion === undefined || !(await isNewer(version, daemonVersion))) return
  const { launchDaemon } = await import('./launch.js')
  launchDaemon(workspace)
}

/** Starts a daemon if none runs; only a session start waits for it. */
async function deliverOrStart(parcel: HookRequest): Promise<Delivery> {
  const first = await deliver(parcel)
  if (first.kind === 'answered' || !first.canStart) return first
  const { driverFaultOf, launchDaemon } = await import('./launch.js')
  const { workspace } = parcel.target
  const launched = { ...first, why: `${first.why}, ${launchDaemon(workspace)}` }
  if (parcel.target.hook !== 'session-start' || process.env.SERVICE_NO_AUTOSTART === '1') return launched
  while (parcel.left() > pollMs) {
    await new Promise(resolve => setTimeout(resolve, pollMs))
    const next = await deliver(parcel)
    if (next.kind === 'answered' || !next.canStart) return next
  }
  const fault = driverFaultOf(workspace)
  return fault ? { ...first, why: `${first.why}, ${fault}` } : launched
}

function say(text: string, timeoutMs: number): Promise<void> {
  return write(2, `${text}\n`, timeoutMs)
}

/**
 * Ends the process. At its exit Node waits for running thread pool work, such as the look-up of a name that
 * no server answers. If that does not finish soon, only a signal ends the process.
 */
function endHook(code: number, waitMs = settleMs): void {
  if (!process.getActiveResourcesInfo().some(name => threaded.has(name))) process.exit(code)
  if (waitMs <= 0) process.kill(process.pid, 'SIGKILL')
  setTimeout(endHook, lookMs, code, waitMs - lookMs)
}

/**
 * Writes output for the caller. If the reader of a pipe does not read, writing stops at the time limit; a
 * blocking write would hold the process for as long as the reader likes. On Windows every write to such a
 * pipe blocks, so that only the agent's own limit ends the hook.
 */
function write(descriptor: 1 | 2, text: string, timeoutMs: number): Promise<void> {
  if (text === '') return Promise.resolve()
  if (!isPipe(descriptor)) {
    try {
      writeSync(descriptor, text)
    } catch {
      // The reader is gone.
    }
    return Promise.resolve()
  }
  return new Promise(resolve => {
    const pipe = new Socket({ fd: descriptor, readable: false, writable: true })
    const timer = setTimeout(resolve, timeoutMs)
    const done = (): void => {
      clearTimeout(timer)
      resolve()
    }
    pipe.on('error', done)
    pipe.write(text, done)
  })
}
