import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { ApiError } from '../api/api-error.js'
import { call } from '../api/call.js'
import { changes, type Loaded, useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/dialog.js'
import { Check, Field } from '../parts/fields.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { showMessage } from '../parts/toast.js'

type Migrated = Reply<'POST /api/secrets/vaulta/migrate'>
type Imported = Reply<'POST /api/secrets/vaultb/import'>
/** Actual or planned outcome for one secret. */
type SecretOutcome = Migrated['secrets'][number] | Imported['secrets'][number]

const words = {
  create: 'new',
  overwrite: 'replaces another value',
  same: 'unchanged',
  differs: 'has another value there, not replaced',
  invalid: 'skipped',
} as const

/** Copies the secrets of this machine to Bitwarden after a preview. */
export function MigrateToBitwarden({ onClose }: { onClose: () => void }) {
  const [overwrite, setOverwrite] = useState(false)
  const [deleteLocal, setDeleteLocal] = useState(false)
  const send = (dryRun: boolean, signal?: AbortSignal) =>
    call(
      'POST /api/secrets/vaulta/migrate',
      { body: { dryRun, overwrite, deleteLocal } },
      signal ? { signal } : {},
    )
  const plan = useLoaded(signal => send(true, signal), [overwrite])
  const act = async () => {
    const { migrated, secrets } = await send(false)
    reportCopied(`${countOf(migrated, 'secret')} copied to Bitwarden`, secrets)
  }
  return (
    <Confirm
      title="Copy local secrets to Bitwarden"
      deed={deleteLocal ? 'Copy and delete local secrets' : 'Copy'}
      isMild={!deleteLocal}
      isReady={isPlanned(plan)}
      act={act}
      onClose={onClose}
    >
      <div class="stack">
        <Check checked={overwrite} onChange={setOverwrite}>
          Replace different values in Bitwarden
        </Check>
        <Check checked={deleteLocal} onChange={setDeleteLocal}>
          Delete each local secret once its copy is verified
        </Check>
        <Plan plan={plan} none="No local secrets." />
      </div>
    </Confirm>
  )
}

/** Copies hidden fields from 1Password to the local store. */
export function ImportFromOnePassword({ onClose }: { onClose: () => void }) {
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [prefix, setPrefix] = useState('')
  const [overwrite, setOverwrite] = useState(false)
  const vaults = useLoaded(signal => call('GET /api/secrets/vaultb/vaults', {}, { signal }), [])
  const send = (dryRun: boolean, signal?: AbortSignal) =>
    call(
      'POST /api/secrets/vaultb/import',
      { body: { vaults: [...chosen], prefix, overwrite, dryRun } },
      signal ? { signal } : {},
    )
  const plan = useLoaded(
    signal => (chosen.length > 0 ? send(true, signal) : undefined),
    [chosen, prefix, overwrite],
  )
  const act = async () => {
    const { imported, secrets } = await send(false)
    reportCopied(`${countOf(imported, 'secret')} copied from 1Password`, secrets)
  }
  const choose = (id: string, isChosen: boolean) =>
    setChosen(isChosen ? [...chosen, id] : chosen.filter(one => one !== id))
  return (
    <Confirm
      title="Copy secrets from 1Password to this machine"
      deed="Copy"
      isMild
      isReady={isPlanned(plan)}
      act={act}
      onClose={onClose}
    >
      <div class="stack">
        {vaults.error && <Failure error={vaults.error} retry={vaults.reload} />}
        {!vaults.value && !vaults.error && <Loading words="Loading vaults…" />}
        <fieldset class="stack">
          <legend>Vaults</legend>
          {vaults.value?.vaults.map(({ id, name }) => (
            <Check key={id} checked={chosen.includes(id)} onChange={isChosen => choose(id, isChosen)}>
              {name}
            </Check>
          ))}
        </fieldset>
        <Field
          label="Name prefix"
          value={prefix}
          onInput={setPrefix}
          hint="Optional. Letters, digits and _."
        />
        <Check checked={overwrite} onChange={setOverwrite}>
          Replace different local values
        </Check>
        {chosen.length > 0 && <Plan plan={plan} none="These vaults have no hidden fields." />}
      </div>
    </Confirm>
  )
}

function isPlanned({ value, isLoading }: Loaded<Migrated | Imported>): boolean {
  return !isLoading && value !== undefined && value.secrets.length > 0
}

/** The planned effect on each name, without values. */
function Plan({ plan, none }: { plan: Loaded<Migrated | Imported>; none: string }) {
  const { value, error, reload } = plan
  if (error) return <Failure error={error} retry={reload} />
  if (!value) return <Loading words="Loading preview…" />
  const secrets: readonly SecretOutcome[] = value.secrets
  if (secrets.length === 0) return <p class="dim">{none}</p>
  return (
    <ul class="plain-list lined" aria-label="Planned changes">
      {secrets.map(({ name, action, error: reason }) => (
        <li key={name} class="words">
          <code>{name}</code>{' '}
          <span class={reason ? 'bad' : 'dim'}>{reason ? `failed: ${reason}` : words[action]}</span>
        </li>
      ))}
    </ul>
  )
}

/** @throws ApiError with the reason of each failure */
function reportCopied(message: string, secrets: readonly SecretOutcome[]): void {
  changes.value++
  const failed = secrets.flatMap(({ name, error }) => (error === undefined ? [] : [`${name}: ${error}`]))
  if (failed.length === 0) {
    showMessage(message)
    return
  }
  throw new ApiError(
    `${message}, ${failed.length} of ${secrets.length} failed`,
    'failed',
    0,
    'Start again to retry. Copied secrets are kept.',
    failed,
  )
}
