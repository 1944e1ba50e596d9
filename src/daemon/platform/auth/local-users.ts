import { closeSync, openSync, readSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { AppError } from '../../../contract/ground/errors.js'
import type { AuthSettings } from '../../../contract/settings.js'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import { isLoopback } from '../../../lib/network/is-loopback.js'
import { instanceHeader } from '../../../lib/workspace/peer-headers.js'

/** The user whose process has the other end of a connection; undefined if the system does not show it. */
type FindUser = (socket: Socket) => Promise<number | undefined>

const chunkBytes = 64 * 1024
/** A table of some 100,000 connections; a longer one is not read to its end. */
const maxBytes = 16 * 1024 * 1024
const tables = ['/proc/net/tcp', '/proc/net/tcp6']
/** Positions of the fields in a line of the table, after the addresses. */
const [uidAt, inodeAt] = [4, 6]

const inLine = oneAtATime()

/**
 * Looks up the owner of a peer's socket in the tables of Linux, one connection after another. Short tables
 * are read at once, since many new connections would otherwise wait for each other on a busy event loop; long
 * ones with pauses.
 */
export const findSocketUser: FindUser = socket => inLine(() => lookUp(socket).catch(() => undefined))

async function lookUp({ remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 }: Socket) {
  const peers = notations(remoteAddress, remotePort)
  const own = notations(localAddress, localPort)
  for (const [at, table] of tables.entries()) {
    const line = await findLine(table, `: ${peers[at]} ${own[at]} `)
    if (line !== undefined) return userIn(line)
  }
  return undefined
}

/** A closed socket has no inode, and its user is shown as 0. */
function userIn(line: string): number | undefined {
  const fields = line.trim().split(/\s+/)
  return fields[inodeAt] === '0' ? undefined : Number(fields[uidAt])
}

/** @returns the rest of the line that contains the text; undefined if the table has none. */
async function findLine(table: string, text: string): Promise<string | undefined> {
  const fd = openSync(table, 'r')
  const breathe = everyFewMs()
  try {
    const buffer = Buffer.alloc(chunkBytes)
    let rest = ''
    for (let read = 0; read < maxBytes; ) {
      await breathe()
      const bytesRead = readSync(fd, buffer)
      if (bytesRead === 0) return undefined
      read += bytesRead
      const lines = rest + buffer.toString('latin1', 0, bytesRead)
      const end = lines.lastIndexOf('\n')
      const at = lines.indexOf(text)
      if (at >= 0 && at < end) return lines.slice(at + text.length, lines.indexOf('\n', at))
      rest = lines.slice(end + 1)
    }
    return undefined
  } finally {
    closeSync(fd)
  }
}

/** An address in the notation of both tables: each group of four bytes as the processor stores a number. */
function notations(address: string, port: number): [v4: string, v6: string] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const bytes = address
    .replace(/^::ffff:/iu, '')
    .split('.')
    .map(Number)
  if (bytes.length !== 4) return [`none${suffix}`, `000000000000000000000000${word([0, 0, 0, 1])}${suffix}`]
  return [`${word(bytes)}${suffix}`, `0000000000000000${word([0, 0, 255, 255])}${word(bytes)}${suffix}`]
}

function word(bytes: readonly number[]): string {
  const little = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1
  const ordered = little ? bytes.toReversed() : bytes
  return ordered.map(byte => byte.toString(16).toUpperCase().padStart(2, '0')).join('')
}

export type LocalRequest = Pick<IncomingMessage, 'headers' | 'socket'>

/** Tells requests of the workspace's own user from those of others on this machine. */
export interface LocalUsers {
  /** Answers at once except for the first request of a connection that proves nothing. */
  isOwner(request: LocalRequest): boolean | Promise<boolean>
  /** The error for everybody else. */
  refusal(): AppError
}

export interface LocalUsersOptions {
  setting: () => AuthSettings['localUsers']
  platform?: NodeJS.Platform
  /** User of the daemon's process. */
  uid?: number | undefined
  findUser?: FindUser
}

/**
 * By default Linux reports the user at the other end of a connection. Other systems don't, so every user of
 * the machine is let in (security.md#users-of-one-machine). A peer that Linux doesn't show must prove itself.
 */
export function createLocalUsers(options: LocalUsersOptions): LocalUsers {
  const {
    setting,
    platform = process.platform,
    uid = process.geteuid?.(),
    findUser = findSocketUser,
  } = options
  const known = new WeakMap<Socket, boolean | Promise<boolean>>()
  const lookUp = (socket: Socket): boolean | Promise<boolean> => {
    const seen = known.get(socket)
    if (seen !== undefined) return seen
    const answer = findUser(socket).then(user => {
      known.set(socket, user === uid)
      return user === uid
    })
    known.set(socket, answer)
    return answer
  }
  return {
    isOwner: ({ headers, socket }) => {
      // A wrong instance id was refused before.
      if (headers[instanceHeader] !== undefined) return true
      // The daemon's own call, on behalf of a credential if there is one.
      if (!(socket instanceof Socket)) return headers.authorization === undefined
      if (setting() === 'any') return true
      if (setting() === 'own') return false
      return platform === 'linux' && isLoopback(socket.remoteAddress ?? '') ? lookUp(socket) : true
    },
    refusal: () => (setting() === 'own' ? noProof() : otherUser()),
  }
}

function noProof(): AppError {
  return new AppError(
    'unauthenticated',
    'auth.localUsers is own: send the text of .daemon/instance of the workspace as x-service-instance, ' +
      'or an API key as Authorization: Bearer <key> (memory api-key create)',
    undefined,
    { headers: { 'www-authenticate': 'Bearer' } },
  )
}

function otherUser(): AppError {
  return new AppError(
    'other_user',
    'this memory belongs to another user of this machine: send an API key of its owner ' +
      '(Authorization: Bearer <key>, made by memory api-key create), or ask the owner to set auth.mode: team, ' +
      'or auth.localUsers: any, which lets every user of the machine in',
  )
}
