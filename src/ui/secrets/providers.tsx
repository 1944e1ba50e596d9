import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { secretProvider } from '../../contract/ground/wire-names.js'
import { call } from '../api/call.js'
import { changes, type Loaded, useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/dialog.js'
import { Check, Field } from '../parts/fields.js'
import { Failure, Loading, Stays } from '../parts/placeholders.js'
import { runAndReport, showMessage } from '../parts/toast.js'
import { Fact } from '../parts/values.js'
import { ImportFromOnePassword, MigrateToBitwarden } from './copy-secrets.js'

type Bitwarden = Reply<'GET /api/secrets/vaulta/status'>

/** Connected password managers. */
export function Providers() {
  return (
    <div class="stack">
      <BitwardenCard />
      <OnePasswordCard />
    </div>
  )
}

function BitwardenCard() {
  const loaded = useLoaded(signal => call('GET /api/secrets/vaulta/status', {}, { signal }), [changes.value])
  return (
    <ProviderCard
      name="Bitwarden"
      loaded={loaded}
      facts={status => <BitwardenFacts status={status} />}
      deeds={(status, copy) => (
        <>
          <ChooseProvider isActive={status.active} />
          <button type="button" class="plain" onClick={copy}>
            Copy secrets to Bitwarden…
          </button>
        </>
      )}
      again="Replace session…"
      connect={onClose => <ConnectBitwarden onClose={onClose} />}
      copy={onClose => <MigrateToBitwarden onClose={onClose} />}
      address="DELETE /api/secrets/vaulta/connect"
      loses="Its session and folder are removed from this machine, and secrets come from the local store again. Nothing is deleted in Bitwarden."
    />
  )
}

function OnePasswordCard() {
  const loaded = useLoaded(signal => call('GET /api/secrets/vaultb/status', {}, { signal }), [changes.value])
  return (
    <>
      <ProviderCard
        name="1Password"
        loaded={loaded}
        facts={({ vaults }) =>
          vaults.length > 0 && <Fact title="Vaults">{vaults.map(({ name }) => name).join(', ')}</Fact>
        }
        deeds={(_status, copy) => (
          <button type="button" onClick={copy}>
            Copy secrets from 1Password…
          </button>
        )}
        again="Replace token…"
        connect={onClose => <ConnectOnePassword onClose={onClose} />}
        copy={onClose => <ImportFromOnePassword onClose={onClose} />}
        address="DELETE /api/secrets/vaultb/connect"
        loses="Its token is removed from this machine. Nothing is deleted in 1Password."
      />
      <Stays stays={loaded.value?.stays} things="password managers" />
    </>
  )
}

interface ProviderStatus {
  connected: boolean
  problem?: string | null
}

type Dialog = (onClose: () => void) => ComponentChildren

interface ProviderCardProps<S> {
  name: string
  loaded: Loaded<S>
  facts: (status: S) => ComponentChildren
  /** Additional buttons of a connected manager. @param copy opens the dialog for copying. */
  deeds: (status: S, copy: () => void) => ComponentChildren
  /** Caption of the button to reconnect. */
  again: string
  connect: Dialog
  copy: Dialog
  address: DisconnectProps['address']
  loses: string
}

function ProviderCard<S extends ProviderStatus>(props: ProviderCardProps<S>) {
  const { name, loaded, facts, deeds, again, connect, copy, address, loses } = props
  const [deed, setDeed] = useState<'connect' | 'disconnect' | 'copy'>()
  const { value: status, error } = loaded
  const end = () => setDeed(undefined)
  return (
    <section class="card" aria-label={name}>
      <h2>{name}</h2>
      {error && <Failure error={error} retry={loaded.reload} />}
      {!status && !error && <Loading />}
      {status && (
        <>
          <dl class="facts">
            <Fact title="Connected">{status.connected ? 'yes' : 'no'}</Fact>
            {facts(status)}
            {status.problem && (
              <Fact title="Problem">
                <span class="warn">{status.problem}</span>
              </Fact>
            )}
          </dl>
          <p class="line">
            {status.connected && deeds(status, () => setDeed('copy'))}
            <button type="button" class="plain" onClick={() => setDeed('connect')}>
              {status.connected ? again : 'Connect…'}
            </button>
            {status.connected && (
              <button type="button" class="plain" onClick={() => setDeed('disconnect')}>
                Disconnect…
              </button>
            )}
          </p>
        </>
      )}
      {deed === 'connect' && connect(end)}
      {deed === 'copy' && copy(end)}
      {deed === 'disconnect' && <Disconnect name={name} address={address} loses={loses} onClose={end} />}
    </section>
  )
}

function BitwardenFacts({ status }: { status: Bitwarden }) {
  if (!status.connected) return null
  return (
    <>
      <Fact title="Secret store">{status.active ? 'Bitwarden' : 'this machine'}</Fact>
      <Fact title="Session">{status.status ?? 'unknown'}</Fact>
      {status.userEmail && <Fact title="Account">{status.userEmail}</Fact>}
      {status.serverUrl && <Fact title="Server">{status.serverUrl}</Fact>}
    </>
  )
}

function ChooseProvider({ isActive }: { isActive: boolean }) {
  const provider = isActive ? secretProvider.local : secretProvider.bitwarden
  const choose = () =>
    runAndReport(
      () => call('POST /api/secrets/vaulta/provider', { body: { provider } }),
      isActive ? 'Secrets come from this machine' : 'Secrets come from Bitwarden',
      () => changes.value++,
    )
  return (
    <button type="button" onClick={choose}>
      {isActive ? 'Use local store' : 'Use Bitwarden'}
    </button>
  )
}

function ConnectBitwarden({ onClose }: { onClose: () => void }) {
  const [session, setSession] = useState('')
  const [activate, setActivate] = useState(false)
  return (
    <Connect
      name="Bitwarden"
      connect={() =>
        call('POST /api/secrets/vaulta/connect', { body: { session: session.trim(), activate } })
      }
      onClose={onClose}
      isReady={session.trim() !== ''}
    >
      <div class="stack">
        <Field
          label="Session"
          type="password"
          value={session}
          onInput={setSession}
          required
          hint={
            <>
              The output of <code>bw unlock --raw</code>. It is stored encrypted and never shown.
            </>
          }
        />
        <Check checked={activate} onChange={setActivate}>
          Use Bitwarden as the secret store
        </Check>
      </div>
    </Connect>
  )
}

function ConnectOnePassword({ onClose }: { onClose: () => void }) {
  const [token, setToken] = useState('')
  return (
    <Connect
      name="1Password"
      connect={() => call('POST /api/secrets/vaultb/connect', { body: { token: token.trim() } })}
      onClose={onClose}
      isReady={token.trim() !== ''}
    >
      <Field
        label="Service account token"
        type="password"
        value={token}
        onInput={setToken}
        required
        hint="It is stored encrypted and never shown."
      />
    </Connect>
  )
}

interface ConnectProps {
  name: string
  connect: () => Promise<unknown>
  isReady: boolean
  onClose: () => void
  children: ComponentChildren
}

function Connect({ name, connect, isReady, onClose, children }: ConnectProps) {
  const act = async () => {
    await connect()
    changes.value++
    showMessage(`${name} connected`)
  }
  return (
    <Confirm title={`Connect ${name}`} deed="Connect" act={act} onClose={onClose} isReady={isReady} isMild>
      {children}
    </Confirm>
  )
}

interface DisconnectProps {
  name: string
  address: 'DELETE /api/secrets/vaulta/connect' | 'DELETE /api/secrets/vaultb/connect'
  /** Consequence of disconnecting. */
  loses: string
  onClose: () => void
}

function Disconnect({ name, address, loses, onClose }: DisconnectProps) {
  const act = async () => {
    await call(address)
    changes.value++
    showMessage(`${name} disconnected`)
  }
  return (
    <Confirm title={`Disconnect ${name}?`} deed="Disconnect" act={act} onClose={onClose}>
      <p>{loses} References to its items will fail.</p>
    </Confirm>
  )
}
