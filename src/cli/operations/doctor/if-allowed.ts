import { ClientError } from '../../../client/http/client-error.js'
import type { Outcome } from './finding.js'

/**
 * What a check of secrets sees, or that it may not look: they answer admins only, and nobody while their plugin is off.
 * @throws ClientError of any other kind.
 */
export async function ifAllowed<T>(asked: Promise<T>, judge: (answer: T) => Outcome): Promise<Outcome> {
  try {
    return judge(await asked)
  } catch (error) {
    if (!(error instanceof ClientError && [403, 404].includes(error.status))) throw error
    return { severity: 'info', evidence: 'not checked: only an admin may ask, while the plugin is on' }
  }
}
