import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

export interface PortOwner {
  pid: number
  /** Program name as the system reports it. */
  name: string
}

const toolTimeoutMs = 2_000

const run = (program: string, args: readonly string[]) =>
  promisify(execFile)(program, args, { timeout: toolTimeoutMs, windowsHide: true })

/**
 * Finds the process that listens on a local TCP port, best effort: /proc on Linux, lsof on macOS, netstat on
 * Windows.
 * @returns undefined if the port is free or the system hides its owner (another user's process).
 */
export async function findPortOwner(port: number): Promise<PortOwner | undefined> {
  try {
    if (process.platform === 'linux') return await ownerFromProc(port)
    if (process.platform === 'win32') return await ownerFromNetstat(port)
    return await ownerFromLsof(port)
  } catch {
    return undefined
  }
}

/** @returns for example `python3 (pid 4711)`, or `another process` if the owner is unknown. */
export function describePortOwner(owner: PortOwner | undefined): string {
  return owner ? `${owner.name} (pid ${owner.pid})` : 'another process'
}

async function ownerFromProc(port: number): Promise<PortOwner | undefined> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map(file => readFile(file, 'utf8').catch(() => '')),
  )
  const inodes = new Set(tables.flatMap(table => listeningInodes(table, port)))
  if (inodes.size === 0) return undefined
  const pids = (await readdir('/proc')).filter(entry => /^\d+$/.test(entry))
  for (const pid of pids) {
    const fds = await readdir(`/proc/${pid}/fd`).catch(() => [])
    const links = await Promise.all(fds.map(fd => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
    if (!links.some(link => inodes.has(link))) continue
    return { pid: Number(pid), name: (await readFile(`/proc/${pid}/comm`, 'utf8')).trim() }
  }
  return undefined
}

/**
 * Returns the listening sockets (state 0A) of /proc/net/tcp on a port, in the notation of the links in
 * /proc/PID/fd.
 */
function listeningInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .filter(fields => fields[1]?.endsWith(suffix) && fields[3] === '0A')
    .map(fields => `socket:[${fields[9]}]`)
}

async function ownerFromLsof(port: number): Promise<PortOwner | undefined> {
  const { stdout } = await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'])
  const pid = /^p(\d+)$/m.exec(stdout)?.[1]
  const name = /^c(.+)$/m.exec(stdout)?.[1]
  return pid && name ? { pid: Number(pid), name } : undefined
}

async function ownerFromNetstat(port: number): Promise<PortOwner | undefined> {
  const { stdout } = await run('netstat', ['-ano', '-p', 'TCP'])
  // The state column is localized; a listener is the row whose foreign port is 0.
  const row = stdout
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .find(fields => fields[1]?.endsWith(`:${port}`) && fields[2]?.endsWith(':0'))
  const pid = row?.at(-1)
  if (!pid) return undefined
  const list = await run('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'])
  return { pid: Number(pid), name: /^"([^"]+)"/.exec(list.stdout.trim())?.[1] ?? 'a process' }
}
