import type { Secrets } from '../secrets/secrets.js'

/**
 * The URL of a database server behind a setting: itself, or the value of a secret.
 * @throws AppError as `Secrets.resolve`
 */
export async function serverUrl(reference: string, secrets: Pick<Secrets, 'resolve'>): Promise<string> {
  return isServerUrl(reference) ? reference : secrets.resolve(reference)
}

export function isServerUrl(reference: string): boolean {
  return /^postgres(?:ql)?:\/\//u.test(reference)
}
