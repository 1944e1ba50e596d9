import { ClientError } from '../../../client/client-error.js'
import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/count-of.js'
import type { DoctorContext, Outcome } from './finding.js'

type Status = Reply<'GET /api/secrets/store/status'>

const places: Readonly<Record<NonNullable<Status['source']>, string>> = {
  keyfile: 'its key in .secrets/machine.key',
  keychain: 'its key in the keychain',
  passphrase: 'under a passphrase',
}

const remedies: Readonly<Partial<Record<Status['state'], string>>> = {
  locked: 'memory secrets unlock',
  unavailable: 'unlock the keychain of this machine, then memory doctor',
  damaged: 'bring .secrets back from a backup; nothing is written to it meanwhile',
}

/** Opens the store as any command with secrets would, the keychain included. */
export async function checkSecrets({ call }: DoctorContext): Promise<Outcome> {
  const status = await call('GET /api/secrets/store/status').catch((error: unknown) => {
    if (error instanceof ClientError && [403, 404].includes(error.status)) return undefined
    throw error
  })
  if (!status)
    return { severity: 'info', evidence: 'not checked: only an admin may ask, while the plugin is on' }
  const { state, source, secrets, problem } = status
  if (state === 'none') return { severity: 'ok', evidence: 'none stored' }
  const where = source ? places[source] : 'of unknown protection'
  if (state === 'open')
    return { severity: 'ok', evidence: `${countOf(secrets ?? 0, 'secret')}, the store opens, ${where}` }
  return {
    severity: state === 'locked' ? 'warning' : 'error',
    evidence: `${problem} (${where})`,
    fix: remedies[state],
  }
}
