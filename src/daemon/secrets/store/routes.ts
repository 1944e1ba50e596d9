import type { z } from 'zod'
import { notFound } from '../../../contract/ground/errors.js'
import type { importSecrets } from '../../../contract/secrets/store.js'
import * as contract from '../../../contract/secrets/store.js'
import * as keys from '../../../contract/secrets/workspace-key.js'
import { openExport } from '../../../store/secrets/secret-store.js'
import { identitiesOfWorkspace, setWorkspaceKey } from '../../ground/secrets/workspace-key.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { staysHere } from '../../platform/nodes/held-work.js'
import { keyPlaceOf, keyStatus } from './key-status.js'
import { recordSecretEvent } from './record-secret-event.js'

type Body = z.infer<(typeof importSecrets)['body']>

type Reply = z.input<(typeof importSecrets)['response']>

export const routes = [
  route(contract.listSecrets, async (daemon, { caller, query }) => {
    const details = query.details ? await daemon.secrets.details() : undefined
    const names = details?.map(({ name }) => name) ?? (await daemon.secrets.names())
    recordSecretEvent(daemon, caller, 'secret.listed', { count: names.length })
    const stays = await staysHere(daemon)
    return { secrets: names, ...(details && { details }), ...(stays && { stays }) }
  }),
  route(contract.storeSecret, async (daemon, { caller, params: { name }, body }) => {
    await daemon.secrets.set(name, body.value)
    recordSecretEvent(daemon, caller, 'secret.stored', { name })
    return { success: true as const, name }
  }),
  route(contract.deleteSecret, async (daemon, { caller, params: { name } }) => {
    if (!(await daemon.secrets.remove(name)))
      throw notFound(`secret ${name} not found`, 'memory secrets list shows them')
    recordSecretEvent(daemon, caller, 'secret.deleted', { name })
    return { success: true as const, name }
  }),
  route(contract.secretStoreStatus, ({ secrets }) => secrets.store.status()),
  route(contract.protectSecrets, async (daemon, { caller, body }) => {
    await daemon.secrets.store.protect(body)
    const { source } = body
    recordSecretEvent(daemon, caller, 'secrets.protected', { source })
    return { success: true as const, source }
  }),
  route(contract.unlockSecrets, async (daemon, { caller, body }) => {
    await daemon.secrets.store.unlock(body.passphrase)
    recordSecretEvent(daemon, caller, 'secrets.unlocked')
    return { success: true as const }
  }),
  route(contract.rotateSecrets, async (daemon, { caller, body }) => {
    const rotated = await daemon.secrets.store.rotate(body.keys)
    recordSecretEvent(daemon, caller, 'secrets.rotated', { rotated })
    return { success: true as const, rotated }
  }),
  route(contract.exportSecrets, async (daemon, { caller, body }) => {
    const file = await daemon.secrets.store.export(body.passphrase)
    recordSecretEvent(daemon, caller, 'secrets.exported', { count: Object.keys(file.entries).length })
    return file
  }),
  route(contract.importSecrets, async (daemon, { caller, body }) => {
    const reply = await importInto(daemon, body)
    const { dryRun, added, changed, written } = reply
    const names = [...added, ...(body.overwrite ? changed : [])]
    if (!dryRun) recordSecretEvent(daemon, caller, 'secrets.imported', { names, written })
    return reply
  }),
  route(keys.workspaceKeyStatus, daemon => keyStatus(daemon)),
  route(keys.setWorkspaceKey, async (daemon, { caller, body }) => {
    const recipient = await setWorkspaceKey(keyPlaceOf(daemon), body)
    recordSecretEvent(daemon, caller, 'key.set', { recipient })
    const { recipients } = await keyStatus(daemon)
    return { recipient, recipients }
  }),
  route(keys.showWorkspaceIdentity, async (daemon, { caller }) => {
    const identities = await identitiesOfWorkspace(keyPlaceOf(daemon))
    if (identities.length === 0)
      throw notFound('this workspace has no key', 'create one with memory key create')
    recordSecretEvent(daemon, caller, 'key.shown')
    return { identities }
  }),
]

/**
 * Stores the values of an export or a list; a dry run only compares the names.
 * @throws AppError `validation_failed` for a wrong passphrase, and the errors of the store
 */
async function importInto({ secrets }: Pick<Daemon, 'secrets'>, body: Body): Promise<Reply> {
  const { file, passphrase = '', entries = [], dryRun, overwrite } = body
  const values = file
    ? await openExport(file, passphrase)
    : new Map(entries.map(({ name, value }) => [name, value]))
  const { store } = secrets
  const met = dryRun ? await store.compare(values) : await store.merge(values, { overwrite })
  const written = dryRun ? 0 : met.added.length + (overwrite ? met.changed.length : 0)
  return { dryRun, ...met, written }
}
