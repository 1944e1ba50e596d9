export const keyPrefix = 'svc_sk_'
/** Characters of an API key shown in lists: enough to tell keys apart, but useless for access. */
export const shownKeyLength = keyPrefix.length + 8

/**
 * Returns the harmless part of a credential: the beginning of an API key, or the claims of a token without
 * signature.
 */
export function credentialTrace(credential: string): string {
  if (credential.startsWith(keyPrefix)) return credential.slice(0, shownKeyLength)
  return credential.includes('.') ? credential.slice(0, credential.indexOf('.')) : ''
}
