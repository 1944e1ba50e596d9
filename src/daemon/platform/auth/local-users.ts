import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { AppError } from '../../../contract/ground/errors.js'
import type { AuthSettings } from '../../../contract/settings.js'
import { isLoopback } from '../../../lib/network/is-loopback.js'
import { instanceHeader } from '../../../lib/workspace/peer-headers.js'
import { type FindUser, findSocketUser } from './socket-owner.js'

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
