/**
 * Why the key of a provider can't be had, for everybody who may see how the provider does. A bare name is not repeated: it
 * may be a key in the place of its name.
 * @param setting the key of agent.yaml that has the reference
 * @param cause what resolving it threw
 */
export function keyFault(setting: string, reference: string, cause: unknown): string {
  const code = String((cause as { code?: unknown }).code ?? '')
  if (code === 'secret_store_locked')
    return `${setting} is in the store of secrets, which is locked: memory secrets unlock`
  if (code.startsWith('secret_store'))
    return `${setting} is in the store of secrets, which does not open: memory doctor says why`
  return reference.includes(':')
    ? `${setting} is "${reference}", which is not set`
    : `${setting} names a secret that is not set: memory secrets list shows those that are`
}
