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
import { isNewer } from '../lib/workspace/is-newer.js'
import { version } from '../lib/workspace/version.js'
import { type HookArguments, readArguments, usage } from './arguments.js'
import { type Delivery, deliver, type Parcel } from './deliver.js'
import { isPipe, openInput, readInput } from './read-input.js'

/** What the threads of Node do for a script: names are looked up, files are read. */
const threaded = new Set(['GetAddrInfoReqWrap', 'GetNameInfoReqWrap', 'FSReqCallback', 'FSReqPromise'])

/** A file that is being closed takes no longer. */
const settleMs = 200

const lookMs = 10

/** Time reserved for ending the process and for keeping a hook in the spool. */
const endMs = 120
/** Time for reading the input of a hook that must not be lost, even when the deadline has passed. */
const durableReadMs = 500
/** Between two looks for a daemon that starts. */
const pollMs = 20
/** Whatever goes on: the process ends so long after its deadline. */
const graceMs = 250

/** Milliseconds since the process began. The global clock with thousandths would load eight modules of Node for it. */
const sinceStartMs = (): number => process.uptime() * 1000

/** The program: `main`, and then the end of the process, whatever it is in. */
export async function run(argv: readonly string[]): Promise<void> {
  endHook(await main(argv, endHook))
}

/**
 * `memory hook`: hands what a harness writes to the daemon, and prints what the harness honours. It fails open: without
 * a daemon, in time and without fault, it prints nothing, says why in one line on stderr, and the exit code is 0.
 * @param end ends the process, whatever it is in: called when it has not returned soon after its deadline.
 * @returns the exit code; 2 for a command line that makes no sense, typed at a terminal.
 */
export async function main(argv: readonly string[], end?: (code: number) => void): Promise<number> {
  keepFilesUsable()
  // Either variable says that this process must not contact the daemon (rules.md 4.11).
  if (process.env.SERVICE_BYPASS === '1' || process.env.SERVICE_NO_HOOKS === '1') return 0
  const target = readArguments(argv)
  if (typeof target === 'string') {
    await say(`${target}\n${usage}`, graceMs)
    return process.stdin.isTTY ? 2 : 0
  }
  // On a busy machine starting may take longer than the deadline: what must not be lost has its time from here then.
  const durableMs = durableHooks.has(target.hook) ? durableReadMs : 0
  const lastMs = graceMs + durableMs + Math.max(target.timeoutMs, durableMs && sinceStartMs())
  const left = (): number => Math.max(1, lastMs - sinceStartMs())
  // Nothing that is waited for below can hold the process beyond this, however it goes wrong.
  if (end) setTimeout(end, left(), 0).unref()
  const { text, note } = await handOver(target).catch(error => ({ text: '', note: (error as Error).message }))
  await write(1, text, left())
  if (note) await say(`memory hook ${target.hook}: ${note}`, left())
  return 0
}

async function handOver(target: HookArguments): Promise<{ text: string; note?: string | undefined }> {
  // Counted from the start of the process: that is what a harness waits for.
  const left = (): number => Math.max(1, target.timeoutMs - endMs - sinceStartMs())
  const isDurable = durableHooks.has(target.hook)
  const timeoutMs = Math.max(left(), isDurable ? durableReadMs : 1)
  const input = await readInput(openInput(), { maxBytes: maxHookInputBytes, timeoutMs })
  if (input.length === 0) return { text: '', note: 'there is no input' }
  const parcel = { target, input, left }
  const delivery = await deliverOrStart(parcel)
  if (target.hook === 'session-start') await replaceOlder(target, delivery)
  if (delivery.kind === 'answered') return delivery
  if (!isDurable) return { text: '', note: delivery.why }
  if (!delivery.canKeep) return { text: '', note: `lost: ${delivery.why}` }
  const { keep } = await import('./keep.js')
  return { text: '', note: `${keep(target, input)}: ${delivery.why}` }
}

/** Behind the session that starts: the command decides as every command does whether the daemon is replaced. */
async function replaceOlder({ workspace }: HookArguments, { daemonVersion }: Delivery): Promise<void> {
  if (daemonVersion === undefined || !(await isNewer(version, daemonVersion))) return
  const { launchDaemon } = await import('./launch.js')
  launchDaemon(workspace)
}

/** Starts a daemon where none runs; only the start of a session is worth waiting for it. */
async function deliverOrStart(parcel: Parcel): Promise<Delivery> {
  const first = await deliver(parcel)
  if (first.kind === 'answered' || !first.canStart) return first
  const { launchDaemon } = await import('./launch.js')
  const told = { ...first, why: `${first.why}, ${launchDaemon(parcel.target.workspace)}` }
  if (parcel.target.hook !== 'session-start' || process.env.SERVICE_NO_AUTOSTART === '1') return told
  while (parcel.left() > pollMs) {
    await new Promise(resolve => setTimeout(resolve, pollMs))
    const next = await deliver(parcel)
    if (next.kind === 'answered' || !next.canStart) return next
  }
  return told
}

function say(text: string, timeoutMs: number): Promise<void> {
  return write(2, `${text}\n`, timeoutMs)
}

/**
 * Ends the process. Node waits at its end for what its threads are in, such as the look-up of a name that nobody
 * answers: where that does not end soon only a signal ends the process.
 */
function endHook(code: number, waitMs = settleMs): void {
  if (!process.getActiveResourcesInfo().some(name => threaded.has(name))) process.exit(code)
  if (waitMs <= 0) process.kill(process.pid, 'SIGKILL')
  setTimeout(endHook, lookMs, code, waitMs - lookMs)
}

/**
 * Writes for whoever called. A pipe whose reader does not read takes what it takes until the time is over: a write that
 * waits for room would hold the process for as long as the reader likes.
 */
function write(descriptor: 1 | 2, text: string, timeoutMs: number): Promise<void> {
  if (text === '') return Promise.resolve()
  if (!isPipe(descriptor)) {
    try {
      writeSync(descriptor, text)
    } catch {
      // Nobody reads.
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
