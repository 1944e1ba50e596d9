/**
 * Explains why a provider's key can't be read, to everyone who may see the provider's status. A bare name is
 * not repeated, because it may be a key entered in the wrong place.
 * @param setting the key of agent.yaml that has the reference
 * @param cause the error from resolving it
 */
export function keyFault(setting: string, reference: string, cause: unknown): string {
  const code = String((cause as { code?: unknown }).code ?? '')
  if (code === 'secret_store_locked')
    return `${setting} is in the secret store, which is locked: memory secrets unlock`
  if (code.startsWith('secret_store'))
    return `${setting} is in the secret store, which cannot be opened: see memory health`
  return reference.includes(':')
    ? `${setting} is "${reference}", which is not set`
    : `${setting} names a secret that is not set: see memory secrets list`
}
