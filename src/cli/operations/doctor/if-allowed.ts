import { ClientError } from '../../../client/http/client-error.js'
import type { Outcome } from './finding.js'

/**
 * Judges the answer to a request about secrets, or reports that the request was denied. Secrets answer admins
 * only, and only while their plugin is enabled.
 * @throws ClientError of any other kind.
 */
export async function ifAllowed<T>(asked: Promise<T>, judge: (answer: T) => Outcome): Promise<Outcome> {
  try {
    return judge(await asked)
  } catch (error) {
    if (!(error instanceof ClientError && [403, 404].includes(error.status))) throw error
    return { severity: 'info', evidence: 'not checked: needs an admin credential and the enabled plugin' }
  }
}
