import { useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/confirm.js'
import { Fact } from '../parts/fact.js'
import { Failure } from '../parts/failure.js'
import { Field, Select } from '../parts/fields/field.js'
import { Loading } from '../parts/loading.js'
import { say } from '../parts/toast.js'
import { ExportSecrets, ImportSecrets } from './transfer.js'

const states = {
  none: 'nothing is stored yet',
  open: 'open',
  locked: 'locked: its passphrase is needed',
  damaged: 'damaged',
  unavailable: 'its key can’t be reached',
} as const

const tones = { none: 'dim', open: 'good', locked: 'warn', damaged: 'bad', unavailable: 'bad' } as const

const sources = {
  keyfile: 'a file of this machine',
  keychain: 'the keychain of this machine',
  passphrase: 'a passphrase',
} as const

type Deed = 'unlock' | 'protect' | 'rotate' | 'export' | 'import'

/** Whether the encrypted store opens, and where its key is. */
export function Store() {
  const [deed, setDeed] = useState<Deed>()
  const loaded = useLoaded(signal => call('GET /api/secrets/store/status', {}, { signal }), [changes.value])
  const end = () => setDeed(undefined)
  const { value: status, error } = loaded
  if (error) return <Failure error={error} retry={loaded.reload} />
  if (!status) return <Loading />
  return (
    <section class="card" aria-label="Store">
      <dl class="facts">
        <Fact title="State">
          <span class={tones[status.state]}>{states[status.state]}</span>
        </Fact>
        {status.problem && <Fact title="Why">{status.problem}</Fact>}
        <Fact title="Its key is in">{status.source === null ? 'not known' : sources[status.source]}</Fact>
        <Fact title="Secrets">{status.secrets ?? 'not known while it does not open'}</Fact>
      </dl>
      <p class="line">
        {status.state === 'locked' && (
          <button type="button" onClick={() => setDeed('unlock')}>
            Unlock…
          </button>
        )}
        <button type="button" class="plain" onClick={() => setDeed('protect')}>
          Move its key…
        </button>
        {status.state === 'open' && (
          <button type="button" class="plain" onClick={() => setDeed('rotate')}>
            Replace its keys…
          </button>
        )}
      </p>
      {status.state !== 'locked' && (
        <p class="line">
          {status.state === 'open' && (
            <button type="button" class="plain" onClick={() => setDeed('export')}>
              Export…
            </button>
          )}
          <button type="button" class="plain" onClick={() => setDeed('import')}>
            Import…
          </button>
          <span class="dim">A file that a passphrase opens takes all of them to another machine.</span>
        </p>
      )}
      {deed === 'unlock' && <Unlock onClose={end} />}
      {deed === 'protect' && <Protect onClose={end} />}
      {deed === 'rotate' && <Rotate onClose={end} />}
      {deed === 'export' && <ExportSecrets onClose={end} />}
      {deed === 'import' && <ImportSecrets onClose={end} />}
    </section>
  )
}

function Unlock({ onClose }: { onClose: () => void }) {
  const [passphrase, setPassphrase] = useState('')
  const act = async () => {
    await call('POST /api/secrets/store/unlock', { body: { passphrase } })
    changes.value++
    say('Open until the daemon ends')
  }
  return (
    <Confirm
      title="Unlock the store"
      deed="Unlock"
      act={act}
      onClose={onClose}
      isReady={passphrase !== ''}
      isMild
    >
      <Field label="Passphrase" type="password" value={passphrase} onInput={setPassphrase} required />
    </Confirm>
  )
}

function Protect({ onClose }: { onClose: () => void }) {
  const [source, setSource] = useState<keyof typeof sources>('keychain')
  const [passphrase, setPassphrase] = useState('')
  const act = async () => {
    await call('POST /api/secrets/store/protect', {
      body: source === 'passphrase' ? { source, passphrase } : { source },
    })
    changes.value++
    say(`Its key is in ${sources[source]} now`)
  }
  return (
    <Confirm
      title="Where its key is"
      deed="Move it"
      act={act}
      onClose={onClose}
      isReady={source !== 'passphrase' || passphrase !== ''}
      isMild
    >
      <div class="stack">
        <Select label="Key in" value={source} options={sources} onChoose={setSource} />
        {source === 'passphrase' && (
          <Field
            label="Passphrase"
            type="password"
            value={passphrase}
            onInput={setPassphrase}
            required
            hint="Eight characters at least. Without it nobody opens the store again, and the daemon asks for it at each start."
          />
        )}
        <p class="dim">Everything is sealed anew; what the old key opened opens nothing of the new store.</p>
      </div>
    </Confirm>
  )
}

function Rotate({ onClose }: { onClose: () => void }) {
  const act = async () => {
    const { rotated } = await call('POST /api/secrets/store/rotate', { body: { keys: 'both' } })
    say(`Replaced: ${rotated.join(' and ')} key`)
  }
  return (
    <Confirm title="Replace its keys?" deed="Replace" act={act} onClose={onClose} isMild>
      <p>Every value is sealed anew. Copies of the store of before open with the old keys only.</p>
    </Confirm>
  )
}
