import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import type { DoctorContext, Outcome } from './finding.js'
import { ifAllowed } from './if-allowed.js'

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
export function checkSecrets({ call }: DoctorContext): Promise<Outcome> {
  return ifAllowed(call('GET /api/secrets/store/status'), outcomeOf)
}

function outcomeOf({ state, source, secrets, problem }: Status): Outcome {
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
