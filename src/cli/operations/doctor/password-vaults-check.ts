import type { Reply } from '../../../contract/api.js'
import type { DoctorContext, Outcome } from './finding.js'
import { ifAllowed } from './if-allowed.js'

/** Asks the programs of the password managers that are connected whether they still open. */
export function checkPasswordManagers({ call }: DoctorContext): Promise<Outcome> {
  const asked = Promise.all([call('GET /api/secrets/vaulta/status'), call('GET /api/secrets/vaultb/status')])
  return ifAllowed(asked, outcomeOf)
}

function outcomeOf([vaulta, vaultb]: [
  Reply<'GET /api/secrets/vaulta/status'>,
  Reply<'GET /api/secrets/vaultb/status'>,
]): Outcome {
  const managers = [
    { name: 'Bitwarden', connected: vaulta.connected, opens: vaulta.status === 'unlocked' },
    { name: '1Password', connected: vaultb.connected, opens: vaultb.problem === null },
  ].filter(manager => manager.connected)
  if (managers.length === 0) return { severity: 'ok', evidence: 'none connected' }
  const shut = managers.filter(({ opens }) => !opens)
  if (shut.length === 0) return { severity: 'ok', evidence: `open: ${namesOf(managers)}` }
  const words = [vaulta.problem ?? vaulta.status, vaultb.problem].filter(Boolean).join('; ')
  return {
    severity: 'warning',
    evidence: `cannot be read: ${namesOf(shut)} (${words})`,
    fix: `memory secrets provider connect ${shut[0]?.name.toLowerCase()}`,
  }
}

function namesOf(managers: readonly { name: string }[]): string {
  return managers.map(({ name }) => name).join(', ')
}
