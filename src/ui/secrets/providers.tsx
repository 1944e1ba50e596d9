import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/confirm.js'
import { doNow } from '../parts/do-now.js'
import { Fact } from '../parts/fact.js'
import { Failure } from '../parts/failure.js'
import { Check, Field } from '../parts/field.js'
import { Loading } from '../parts/loading.js'
import { say } from '../parts/toast.js'
import { ImportFromOnePassword, MigrateToBitwarden } from './copy-secrets.js'

type Bitwarden = Reply<'GET /api/secrets/vaulta/status'>
type OnePassword = Reply<'GET /api/secrets/vaultb/status'>

/** Password managers that secrets may come from. */
export function Providers() {
  return (
    <div class="stack">
      <BitwardenCard />
      <OnePasswordCard />
    </div>
  )
}

function BitwardenCard() {
  const [deed, setDeed] = useState<'connect' | 'disconnect' | 'copy'>()
  const loaded = useLoaded(signal => call('GET /api/secrets/vaulta/status', {}, { signal }), [changes.value])
  const { value: status, error } = loaded
  const end = () => setDeed(undefined)
  return (
    <section class="card" aria-label="Bitwarden">
      <h2>Bitwarden</h2>
      {error && <Failure error={error} retry={loaded.reload} />}
      {!status && !error && <Loading />}
      {status && (
        <>
          <BitwardenFacts status={status} />
          <p class="line">
            {status.connected && <ChooseProvider isActive={status.active} />}
            {status.connected && (
              <button type="button" class="plain" onClick={() => setDeed('copy')}>
                Copy secrets there…
              </button>
            )}
            <button type="button" class="plain" onClick={() => setDeed('connect')}>
              {status.connected ? 'Give another session…' : 'Connect…'}
            </button>
            {status.connected && (
              <button type="button" class="plain" onClick={() => setDeed('disconnect')}>
                Disconnect…
              </button>
            )}
          </p>
        </>
      )}
      {deed === 'connect' && <ConnectBitwarden onClose={end} />}
      {deed === 'copy' && <MigrateToBitwarden onClose={end} />}
      {deed === 'disconnect' && (
        <Disconnect
          name="Bitwarden"
          address="DELETE /api/secrets/vaulta/connect"
          loses="Its session and folder are forgotten here; the store of this machine answers for names again. Nothing is deleted in Bitwarden."
          onClose={end}
        />
      )}
    </section>
  )
}

function BitwardenFacts({ status }: { status: Bitwarden }) {
  return (
    <dl class="facts">
      <Fact title="Connected">{status.connected ? 'yes' : 'no'}</Fact>
      {status.connected && (
        <>
          <Fact title="Answers for names">{status.active ? 'yes' : 'no, this machine does'}</Fact>
          <Fact title="Session">{status.status ?? 'not known'}</Fact>
          {status.userEmail && <Fact title="Account">{status.userEmail}</Fact>}
          {status.serverUrl && <Fact title="Server">{status.serverUrl}</Fact>}
        </>
      )}
      {status.problem && (
        <Fact title="Problem">
          <span class="warn">{status.problem}</span>
        </Fact>
      )}
    </dl>
  )
}

function ChooseProvider({ isActive }: { isActive: boolean }) {
  const provider = isActive ? 'local' : 'vaulta'
  const choose = () =>
    doNow(
      () => call('POST /api/secrets/vaulta/provider', { body: { provider } }),
      isActive ? 'This machine answers for names' : 'Bitwarden answers for names',
      () => changes.value++,
    )
  return (
    <button type="button" onClick={choose}>
      {isActive ? 'Use this machine for names' : 'Use it for names'}
    </button>
  )
}

function ConnectBitwarden({ onClose }: { onClose: () => void }) {
  const [session, setSession] = useState('')
  const [activate, setActivate] = useState(false)
  const act = async () => {
    await call('POST /api/secrets/vaulta/connect', { body: { session: session.trim(), activate } })
    changes.value++
    say('Bitwarden is connected')
  }
  return (
    <Confirm
      title="Connect Bitwarden"
      deed="Connect"
      act={act}
      onClose={onClose}
      isReady={session.trim() !== ''}
      isMild
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
              What <code>bw unlock --raw</code> prints. It is kept encrypted and never shown.
            </>
          }
        />
        <Check checked={activate} onChange={setActivate}>
          Look up and store names there from now on
        </Check>
      </div>
    </Confirm>
  )
}

function OnePasswordCard() {
  const [deed, setDeed] = useState<'connect' | 'disconnect' | 'copy'>()
  const loaded = useLoaded(signal => call('GET /api/secrets/vaultb/status', {}, { signal }), [changes.value])
  const { value: status, error } = loaded
  const end = () => setDeed(undefined)
  return (
    <section class="card" aria-label="1Password">
      <h2>1Password</h2>
      {error && <Failure error={error} retry={loaded.reload} />}
      {!status && !error && <Loading />}
      {status && (
        <>
          <OnePasswordFacts status={status} />
          <p class="line">
            {status.connected && (
              <button type="button" onClick={() => setDeed('copy')}>
                Copy secrets from it…
              </button>
            )}
            <button type="button" class="plain" onClick={() => setDeed('connect')}>
              {status.connected ? 'Give another token…' : 'Connect…'}
            </button>
            {status.connected && (
              <button type="button" class="plain" onClick={() => setDeed('disconnect')}>
                Disconnect…
              </button>
            )}
          </p>
        </>
      )}
      {deed === 'connect' && <ConnectOnePassword onClose={end} />}
      {deed === 'copy' && <ImportFromOnePassword onClose={end} />}
      {deed === 'disconnect' && (
        <Disconnect
          name="1Password"
          address="DELETE /api/secrets/vaultb/connect"
          loses="Its token is forgotten here. Nothing is deleted in 1Password."
          onClose={end}
        />
      )}
    </section>
  )
}

function OnePasswordFacts({ status }: { status: OnePassword }) {
  return (
    <dl class="facts">
      <Fact title="Connected">{status.connected ? 'yes' : 'no'}</Fact>
      {status.vaults.length > 0 && (
        <Fact title="Vaults">{status.vaults.map(({ name }) => name).join(', ')}</Fact>
      )}
      {status.problem && (
        <Fact title="Problem">
          <span class="warn">{status.problem}</span>
        </Fact>
      )}
    </dl>
  )
}

function ConnectOnePassword({ onClose }: { onClose: () => void }) {
  const [token, setToken] = useState('')
  const act = async () => {
    await call('POST /api/secrets/vaultb/connect', { body: { token: token.trim() } })
    changes.value++
    say('1Password is connected')
  }
  return (
    <Confirm
      title="Connect 1Password"
      deed="Connect"
      act={act}
      onClose={onClose}
      isReady={token.trim() !== ''}
      isMild
    >
      <Field
        label="Token of a service account"
        type="password"
        value={token}
        onInput={setToken}
        required
        hint="It is kept encrypted and never shown."
      />
    </Confirm>
  )
}

interface DisconnectProps {
  name: string
  address: 'DELETE /api/secrets/vaulta/connect' | 'DELETE /api/secrets/vaultb/connect'
  /** What goes with it. */
  loses: string
  onClose: () => void
}

function Disconnect({ name, address, loses, onClose }: DisconnectProps) {
  const act = async () => {
    await call(address)
    changes.value++
    say(`${name} is disconnected`)
  }
  return (
    <Confirm title={`Disconnect ${name}?`} deed="Disconnect" act={act} onClose={onClose}>
      <p>{loses} References to its items fail from then on.</p>
    </Confirm>
  )
}
