import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../contract/ground/errors.js'
import { instanceProof, isSameText } from '../../../lib/workspace/instance-proof.js'
import {
  challengeHeader,
  instanceHeader,
  proofHeader,
  workspaceHeader,
} from '../../../lib/workspace/peer-headers.js'

/** Identifies the workspace that the daemon serves. */
export interface WorkspaceIdentity {
  /** Secret that only the owner's programs can read. */
  instance: string
  /** Public name. */
  name: string
}

/**
 * Refuses a request that is meant for another workspace, before its body is read. A request that names none
 * is served.
 * @throws AppError `wrong_workspace`
 */
export function refuseOthers({ headers }: Pick<FastifyRequest, 'headers'>, own: WorkspaceIdentity): void {
  const instance = headers[instanceHeader]
  if (instance !== undefined && !isSameText(String(instance), own.instance))
    throw new AppError(
      'wrong_workspace',
      'this daemon serves another workspace than the one that sent the request; memory daemon status shows the daemon of yours',
    )
  const name = headers[workspaceHeader]
  if (name !== undefined && name !== own.name)
    throw new AppError(
      'wrong_workspace',
      'this daemon serves another workspace than the one that these settings were written for; ' +
        'start its daemon (memory daemon start), or write the settings again (memory connect)',
    )
}

/** Challenges of another form get no proof. */
const challengeForm = /^[0-9a-f]{32,128}$/u

/** Answers a client's challenge, so that it knows this daemon before it sends anything. */
export function proveIdentity(
  { headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>,
  reply: FastifyReply,
  { instance }: WorkspaceIdentity,
): void {
  const challenge = headers[challengeHeader]
  if (typeof challenge === 'string' && challengeForm.test(challenge))
    reply.header(proofHeader, instanceProof(instance, challenge, socket.localPort ?? 0))
}
