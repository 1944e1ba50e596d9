import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { instanceProof, isSameText } from '../../lib/workspace/instance-proof.js'
import { challengeHeader, proofHeader } from '../../lib/workspace/peer-headers.js'
import { wrongPeerError } from './client-error.js'
import { type ExpectedDaemon, formatOrigin, type Origin } from './origin.js'
import { collectReply, parseReply } from './plain-reply.js'

/** A random text that a daemon has to answer. */
export function newChallenge(): string {
  return randomBytes(16).toString('hex')
}

/** Returns true for the answer of a daemon that knows the instance id. */
export function isProof(answer: unknown, { instance, asked, port }: Question): boolean {
  return typeof answer === 'string' && isSameText(answer, instanceProof(instance, asked, port))
}

interface Question {
  instance: string
  /** The challenge. */
  asked: string
  port: number
}

/**
 * Asks the daemon on an open connection to prove that it knows the instance id, and leaves the connection
 * open for the request. The question reveals nothing.
 * @throws ClientError `daemon_unavailable` for another program, also one that does not answer.
 */
export function challenge(
  socket: Socket,
  origin: Origin,
  { instance, workspace }: ExpectedDaemon,
): Promise<void> {
  const asked = newChallenge()
  const { port } = origin
  return new Promise((resolve, reject) => {
    const incoming = collectReply()
    const end = (isProven: boolean): void => {
      socket.removeListener('data', take)
      socket.removeListener('close', lost)
      if (isProven) resolve()
      else reject(wrongPeerError(origin, workspace))
    }
    const lost = (): void => end(false)
    const take = (chunk: Buffer): void => {
      try {
        if (!incoming.take(chunk)) return
        const { status, headers } = parseReply(incoming.bytes())
        end(status === 200 && isProof(headers[proofHeader], { instance, asked, port }))
      } catch {
        end(false)
      }
    }
    socket.on('data', take).on('close', lost)
    const host = new URL(formatOrigin(origin)).host
    socket.write(`GET /health HTTP/1.1\r\nhost: ${host}\r\n${challengeHeader}: ${asked}\r\n\r\n`)
  })
}
