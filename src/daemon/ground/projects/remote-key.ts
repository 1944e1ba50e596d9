/** Longest key of a remote; a longer address does not identify a project. */
const maxKey = 500

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
