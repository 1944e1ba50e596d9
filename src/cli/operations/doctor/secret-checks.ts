import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import type { DoctorContext, Outcome } from './finding.js'
import { ifAllowed } from './if-allowed.js'

type Status = Reply<'GET /api/secrets/store/status'>

const places: Readonly<Record<NonNullable<Status['source']>, string>> = {
  keyfile: 'key in .secrets/machine.key',
  keychain: 'key in the keychain',
  passphrase: 'protected with a passphrase',
}

const remedies: Readonly<Partial<Record<Status['state'], string>>> = {
  locked: 'memory secrets unlock',
  unavailable: 'unlock the keychain of this machine, then run memory doctor again',
  damaged: 'restore .secrets from a backup; until then it is read-only',
}

/** Opens the store like any command with secrets does, including the keychain. */
export function checkSecrets({ call }: DoctorContext): Promise<Outcome> {
  return ifAllowed(call('GET /api/secrets/store/status'), outcomeOf)
}

function outcomeOf({ state, source, secrets, problem }: Status): Outcome {
  if (state === 'none') return { severity: 'ok', evidence: 'no secrets stored' }
  const where = source ? places[source] : 'unknown protection'
  if (state === 'open')
    return { severity: 'ok', evidence: `${countOf(secrets ?? 0, 'secret')}, store unlocked, ${where}` }
  return {
    severity: state === 'locked' ? 'warning' : 'error',
    evidence: `${problem} (${where})`,
    fix: remedies[state],
  }
}

/** Asks the programs of the connected password managers if they can still be opened. */
export function checkPasswordManagers({ call }: DoctorContext): Promise<Outcome> {
  const asked = Promise.all([call('GET /api/secrets/vaulta/status'), call('GET /api/secrets/vaultb/status')])
  return ifAllowed(asked, managersOutcome)
}

function managersOutcome([bitwarden, onePassword]: [
  Reply<'GET /api/secrets/vaulta/status'>,
  Reply<'GET /api/secrets/vaultb/status'>,
]): Outcome {
  const managers = [
    { name: 'Bitwarden', connected: bitwarden.connected, opens: bitwarden.status === 'unlocked' },
    { name: '1Password', connected: onePassword.connected, opens: onePassword.problem === null },
  ].filter(manager => manager.connected)
  if (managers.length === 0) return { severity: 'ok', evidence: 'none connected' }
  const shut = managers.filter(({ opens }) => !opens)
  if (shut.length === 0) return { severity: 'ok', evidence: `open: ${namesOf(managers)}` }
  const words = [bitwarden.problem ?? bitwarden.status, onePassword.problem].filter(Boolean).join('; ')
  return {
    severity: 'warning',
    evidence: `cannot be read: ${namesOf(shut)} (${words})`,
    fix: `memory secrets provider connect ${shut[0]?.name.toLowerCase()}`,
  }
}

function namesOf(managers: readonly { name: string }[]): string {
  return managers.map(({ name }) => name).join(', ')
}
