import { folderFault } from '../../lib/files/folder-fault.js'
import { type WorkspacePaths, workspacePaths } from '../../lib/workspace/paths.js'
import {
  isRunning,
  parseRegistration,
  type Registration,
  readRegistrationText,
} from '../../lib/workspace/registration.js'
import { ClientError } from '../http/client-error.js'
import type { Origin } from '../http/origin.js'

/** Address of a workspace's daemon, as far as the environment and the registration file reveal it. */
export type Location =
  /**
   * From SERVICE_DAEMON_URL. Such a daemon is managed elsewhere; it is never started or replaced from here.
   */
  | { kind: 'remote'; origin: Origin }
  | { kind: 'registered'; origin: Origin; registration: Registration }
  | { kind: 'unknown' }

/**
 * Locates the daemon without network access.
 * @param workspace folder of the workspace; `SERVICE_WORKSPACE` or the default if absent.
 * @throws ClientError `invalid_environment` if SERVICE_DAEMON_URL is not an origin.
 */
export function locate(workspace?: string): Location {
  const url = process.env.SERVICE_DAEMON_URL
  if (url) return { kind: 'remote', origin: originFrom('SERVICE_DAEMON_URL', url) }
  const { root, registration: file } = workspacePaths(workspace)
  const text = readRegistrationText(file)
  const registration = parseRegistration(text)
  // The port of a dead process may belong to another program by now, and soon so may that of a stopping one.
  if (!registration?.instance || registration.closing || !isRunning(registration)) return { kind: 'unknown' }
  const expected = {
    workspace: root,
    instance: registration.instance,
    registered: { file, text, registration },
  }
  return { kind: 'registered', origin: { ...originOf(registration), expected }, registration }
}

/** @returns an address to connect to: a daemon bound to every interface is reached over loopback. */
export function originOf({ host, port }: { host: string; port: number }): Origin {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return { protocol: 'http:', host: reachable, port }
}

/** Reads an origin. @param name of the variable or flag. @throws ClientError `invalid_environment` */
export function originFrom(name: string, value: string): Origin {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isOrigin =
    url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash && !url.username
  if (!isOrigin) {
    throw new ClientError(`${name} is '${value}', which is not an origin`, {
      code: 'invalid_environment',
      nextSteps: [`Use only scheme, host and port, for example ${name}=http://127.0.0.1:3850`],
    })
  }
  const protocol = url.protocol as Origin['protocol']
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return { protocol, host, port: Number(url.port) || (protocol === 'https:' ? 443 : 80) }
}

/** Returns the error for a workspace that is not a folder or not accessible; undefined if it is usable. */
export function unusableWorkspace(
  { root }: Pick<WorkspacePaths, 'root'>,
  cause?: unknown,
): ClientError | undefined {
  const fault = folderFault(root)
  if (!fault) return undefined
  return new ClientError(`the workspace cannot be used: ${fault.why}`, {
    code: 'invalid_environment',
    nextSteps: [fault.fix],
    cause,
  })
}
