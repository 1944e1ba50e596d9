import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { secretProducts, secretProvider } from '../../contract/ground/wire-names.js'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm, Dialog } from '../parts/dialog.js'
import { Check, Field } from '../parts/fields.js'
import { Empty, Failure, Loading, Stays } from '../parts/placeholders.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { showMessage } from '../parts/toast.js'
import { Command, Fact, Time } from '../parts/values.js'

type Details = NonNullable<Reply<'GET /api/secrets'>['details']>[number]
/** Non-admins see only the name. */
type Secret = Pick<Details, 'name'> & Partial<Details>

const providerNames = { ...secretProducts, [secretProvider.local]: 'this machine' } as const

const columns: readonly Column<Secret>[] = [
  { title: 'Name', width: 'minmax(0, 1fr)', cell: ({ name }) => <code>{name}</code> },
  {
    title: 'Store',
    width: '10rem',
    wide: true,
    cell: ({ provider }) => <span class="dim">{providerName(provider)}</span>,
  },
  { title: 'Updated', width: '10rem', wide: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  { title: 'Last used', width: '10rem', cell: ({ lastUsedAt }) => <LastUse at={lastUsedAt} /> },
]

function providerName(provider: Secret['provider']): string {
  return provider === undefined ? '–' : providerNames[provider]
}

function LastUse({ at }: { at: string | null | undefined }) {
  return at === null ? <span class="dim">never</span> : <Time at={at} />
}

type OpenDialog = { deed: 'show' | 'set' | 'delete'; secret?: Secret }

/** Names of secrets with their last use. */
export function SecretList() {
  const [asked, setAsked] = useState<OpenDialog>()
  const loaded = useLoaded(
    signal => call('GET /api/secrets', { query: { details: may('admin') } }, { signal }),
    [changes.value],
  )
  const secrets: readonly Secret[] | undefined =
    loaded.value?.details ?? loaded.value?.secrets.map(name => ({ name }))
  const end = () => setAsked(undefined)
  const add = may('admin') && (
    <p>
      <button type="button" onClick={() => setAsked({ deed: 'set' })}>
        Set a secret…
      </button>
    </p>
  )
  return (
    <>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {!secrets && !loaded.error && <Loading />}
      {secrets?.length === 0 ? (
        <Empty title="No secrets yet">
          <p>
            API keys and tokens for commands and sources. Their values are never shown, not even to agents.
          </p>
          {add}
        </Empty>
      ) : (
        add
      )}
      {secrets && secrets.length > 0 && (
        <VirtualTable
          label="Secrets"
          columns={columns}
          count={secrets.length}
          rowAt={position => secrets[position]}
          keyOf={({ name }) => name}
          onOpen={secret => setAsked({ deed: 'show', secret })}
        />
      )}
      <Stays stays={loaded.value?.stays} things="secrets" />
      {asked?.deed === 'set' && <SetSecret name={asked.secret?.name} onClose={end} />}
      {asked?.deed === 'show' && asked.secret && (
        <SecretDialog secret={asked.secret} ask={setAsked} onClose={end} />
      )}
      {asked?.deed === 'delete' && asked.secret && <DeleteSecret secret={asked.secret} onClose={end} />}
    </>
  )
}

interface SecretDialogProps {
  secret: Secret
  ask: (asked: OpenDialog) => void
  onClose: () => void
}

function SecretDialog({ secret, ask, onClose }: SecretDialogProps) {
  const { name, provider, createdAt, updatedAt, lastUsedAt } = secret
  return (
    <Dialog title={name} onClose={onClose}>
      <div class="stack">
        <dl class="facts">
          <Fact title="Store">{providerName(provider)}</Fact>
          <Fact title="Created">
            <Time at={createdAt} />
          </Fact>
          <Fact title="Updated">
            <Time at={updatedAt} />
          </Fact>
          <Fact title="Last used">
            <LastUse at={lastUsedAt} />
          </Fact>
        </dl>
        <p class="dim">
          The value is never shown. Pass it to a command with{' '}
          <Command text={`memory secrets exec ${name} -- COMMAND`} />, or use its name in settings and
          sources.
        </p>
        {may('admin') && (
          <footer>
            <button type="button" class="plain" onClick={() => ask({ deed: 'delete', secret })}>
              Delete…
            </button>
            <button type="button" onClick={() => ask({ deed: 'set', secret })}>
              Change value…
            </button>
          </footer>
        )}
      </div>
    </Dialog>
  )
}

function DeleteSecret({
  secret: { name, provider, lastUsedAt },
  onClose,
}: {
  secret: Secret
  onClose: () => void
}) {
  const act = async () => {
    await call('DELETE /api/secrets/:name', { params: { name } })
    changes.value++
    showMessage(`${name} deleted`)
  }
  return (
    <Confirm title="Delete this secret?" deed="Delete" typed={name} act={act} onClose={onClose}>
      <p class="words">
        The value is deleted from {providerName(provider)} and cannot be recovered. Anything that uses{' '}
        <code>{name}</code> will fail. Last used: <LastUse at={lastUsedAt} />
      </p>
    </Confirm>
  )
}

/** Sets the value of a new or existing secret; the input is hidden and discarded with the dialog. */
function SetSecret({ name: known, onClose }: { name: string | undefined; onClose: () => void }) {
  const [name, setName] = useState(known ?? '')
  const [value, setValue] = useState('')
  const [isLong, setLong] = useState(false)
  const act = async () => {
    await call('POST /api/secrets/:name', { params: { name: name.trim() }, body: { value } })
    changes.value++
    showMessage(`${name.trim()} saved`)
  }
  return (
    <Confirm
      title={known === undefined ? 'Set a secret' : `Change the value of ${known}`}
      deed="Set"
      act={act}
      onClose={onClose}
      isReady={name.trim() !== '' && value !== ''}
      isMild
    >
      <div class="stack">
        {known === undefined && (
          <Field
            label="Name"
            value={name}
            onInput={setName}
            required
            placeholder="OPENAI_API_KEY"
            hint="Letters, digits and _. An existing secret is overwritten."
          />
        )}
        <Field
          label="Value"
          type="password"
          value={value}
          onInput={setValue}
          required
          hint="Stored encrypted exactly as entered, and never shown again."
          {...(isLong && { rows: 6 })}
        />
        <Check checked={isLong} onChange={setLong}>
          Multiple lines
        </Check>
        {known !== undefined && <p class="dim">The old value is overwritten.</p>}
      </div>
    </Confirm>
  )
}
