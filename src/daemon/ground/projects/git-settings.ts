import { join } from 'node:path'
import { homeIfKnown } from '../../../lib/files/folders.js'
import { readForeignText } from '../../../lib/files/open-foreign.js'

/** Addresses that begin with `short` mean `base` instead (`url.BASE.insteadOf`, git-config(1)). */
export interface ShortAddress {
  short: string
  base: string
}

const maxSettingsBytes = 256 * 1024

/** Longest key of a remote; a longer address does not identify a project. */
const maxKey = 500

/** Returns the address of the remote `origin` in the text of git settings. */
export function originOf(settings: string): string | undefined {
  return sectionsOf(settings)
    .filter(({ name }) => name === 'remote "origin"')
    .flatMap(({ values }) => values.get('url') ?? [])
    .at(0)
}

/** Returns the short forms of addresses in the text of git settings. */
export function shortAddressesIn(settings: string): ShortAddress[] {
  return sectionsOf(settings).flatMap(({ name, values }) => {
    const base = /^url "(.*)"$/u.exec(name)?.[1]
    return base ? (values.get('insteadof') ?? []).map(short => ({ short, base })) : []
  })
}

/** Returns the files of the user's own git settings, as git looks for them. */
export function userGitSettings(environment: NodeJS.ProcessEnv): string[] {
  const named = environment.GIT_CONFIG_GLOBAL
  if (named !== undefined) return named === '' ? [] : [named]
  const home = environment.HOME || homeIfKnown()
  const folder = environment.XDG_CONFIG_HOME || (home && join(home, '.config'))
  return [folder ? join(folder, 'git', 'config') : '', home ? join(home, '.gitconfig') : ''].filter(Boolean)
}

/**
 * Returns the address of `origin` that git would use: the longest short form at its beginning is replaced.
 *
 * @param files the user's own settings; unreadable ones count as empty
 */
export async function fullAddress(
  { remote, shortAddresses }: { remote: string | undefined; shortAddresses: readonly ShortAddress[] },
  files: readonly string[],
): Promise<string | undefined> {
  if (remote === undefined) return undefined
  const texts = await Promise.all(files.map(file => readForeignText(file, { maxBytes: maxSettingsBytes })))
  const known = [...shortAddresses, ...texts.flatMap(text => shortAddressesIn(text ?? ''))]
  const [longest] = known
    .filter(({ short }) => short !== '' && remote.startsWith(short))
    .toSorted((one, other) => other.short.length - one.short.length)
  return longest ? longest.base + remote.slice(longest.short.length) : remote
}

interface Section {
  /** As written, such as `remote "origin"`, with the first word in lower case. */
  name: string
  /** Values by key in lower case, in their order. */
  values: Map<string, string[]>
}

function sectionsOf(settings: string): Section[] {
  const sections: Section[] = []
  for (const line of settings.split('\n')) {
    const text = line.trim()
    if (text.startsWith('[') && text.includes(']')) {
      const name = text.slice(1, text.lastIndexOf(']')).trim()
      sections.push({ name: name.replace(/^[^ \t]+/u, word => word.toLowerCase()), values: new Map() })
    } else {
      const equals = text.indexOf('=')
      const values = sections.at(-1)?.values
      if (equals > 0 && values && !/^[#;]/u.test(text)) {
        const key = text.slice(0, equals).trim().toLowerCase()
        values.set(key, [...(values.get(key) ?? []), unquoted(text.slice(equals + 1).trim())])
      }
    }
  }
  return sections
}

/** Values may have quotes; escapes do not occur in addresses. */
function unquoted(value: string): string {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
}

/**
 * Normalizes the address of a remote: host in lower case, path, without scheme, user, `.git` and the port of
 * ssh. `https://me:token@git.example/me/shop.git` and `git@git.example:me/shop` both become
 * `git.example/me/shop`.
 * @returns undefined for a path on this machine and for text that is not an address
 */
export function remoteKey(address: string): string | undefined {
  const text = address.trim()
  const parts = partsOf(text)
  if (!parts) return undefined
  const [host, path] = parts
  const segments = path.split('/').filter(segment => segment !== '' && segment !== '.')
  const last = segments.pop()?.replace(/\.git$/iu, '')
  if (!last || segments.includes('..') || last === '..') return undefined
  const key = [host.toLowerCase(), ...segments, last].join('/').normalize('NFC')
  return key.length <= maxKey && !/[\s\p{C}#]/u.test(key) ? key : undefined
}

/** Returns the path of a remote on this machine, such as `file:///srv/shop` or `../shop`. */
export function localRemote(address: string): string | undefined {
  const text = address.trim()
  if (/^file:\/\//iu.test(text)) {
    try {
      return decodeURIComponent(new URL(text).pathname)
    } catch {
      return undefined
    }
  }
  return partsOf(text) === undefined && text !== '' ? text : undefined
}

/** Returns host and path of an address on another machine. */
function partsOf(text: string): [host: string, path: string] | undefined {
  const url =
    /^(?<scheme>[a-z][a-z0-9+.-]*):\/\/(?:[^/@]*@)?(?<host>[^/:]+)(?<port>:\d+)?(?<path>\/.*)?$/iu.exec(
      text,
    )?.groups
  if (url) {
    const { scheme = '', host = '', port = '', path = '' } = url
    if (scheme.toLowerCase() === 'file') return undefined
    return [host + (/^https?$/iu.test(scheme) ? port : ''), path]
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(text)) return undefined
  // One letter before the colon is a drive of Windows.
  const scp = /^(?:[^/@:]+@)?(?<host>[^/@:]{2,}):(?<path>[^\\].*)$/u.exec(text)?.groups
  return scp ? [scp.host ?? '', scp.path ?? ''] : undefined
}

/** Returns the key for text that looks like a remote without a scheme, such as `github.com/acme/shop`. */
export function bareRemoteKey(text: string): string | undefined {
  const isBare = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?\/[^/]+\/[^/]/iu.test(text)
  return isBare ? remoteKey(`https://${text}`) : undefined
}
