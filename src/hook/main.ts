import { durableHooks, maxHookInputBytes } from '../contract/sessions/harness-names.js'
import { keepFilesUsable } from '../lib/files/own-umask.js'
import { isNewer } from '../lib/workspace/is-newer.js'
import { version } from '../lib/workspace/version.js'
import { type HookArguments, readArguments, usage } from './arguments.js'
import { type Delivery, deliver, type Parcel } from './deliver.js'
import { endHook } from './end.js'
import { openInput, readInput } from './read-input.js'
import { write } from './write.js'

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
