export const keyPrefix = 'svc_sk_'
/** So much of an API key is shown in lists: enough to tell keys apart, useless to anybody. */
export const shownKeyLength = keyPrefix.length + 8

/**
 * Whose a credential is, without what proves it: the shown beginning of an API key, the claims of a signed token without
 * their signature.
 */
export function credentialTrace(credential: string): string {
  if (credential.startsWith(keyPrefix)) return credential.slice(0, shownKeyLength)
  return credential.includes('.') ? credential.slice(0, credential.indexOf('.')) : ''
}
