import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { formatBytes } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { useFollowed } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/dialog.js'
import { Field } from '../parts/fields.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { runAndReport, showMessage } from '../parts/toast.js'
import { Command, countText, Fact, Time } from '../parts/values.js'

type Status = Reply<'GET /api/sync'>
type Device = Status['devices'][number]

const states: Readonly<Record<Status['state'], string>> = {
  off: 'off',
  joining: 'waits to be let in',
  on: 'on',
  paused: 'paused',
  removed: 'removed by another machine',
}

/** The sync of the memories with a person's other machines. */
export function Sync() {
  const { value, error, reload } = useFollowed(
    signal => call('GET /api/sync', {}, { signal }),
    [],
    ({ run }) => run?.running === true,
  )
  if (!value) return error ? <Failure error={error} retry={reload} /> : <Loading />
  if (value.state === 'off') return <Off />
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      {value.troubles.map(({ text, command }) => (
        <p key={text} class="banner words">
          {text}: <Command text={command} />
        </p>
      ))}
      <State status={value} />
      {may('admin') && <Actions status={value} onDone={reload} />}
      {may('admin') && value.state === 'on' && <Approve requests={value.waiting.requests} onDone={reload} />}
      <Machines devices={value.devices} onChanged={reload} />
      <WrongFiles faults={value.run?.faults ?? []} />
      <Synced offered={value.offered} />
    </>
  )
}

function Off() {
  return (
    <Empty title="Sync is off">
      <p>Your machines can keep the same memories through a place that sees only encrypted files.</p>
      <p>
        On the first machine: <Command text="memory sync init ADDRESS" />
      </p>
      <p>
        On the others: <Command text="memory sync join ADDRESS" />
      </p>
    </Empty>
  )
}

function State({ status: { state, address, waiting, run, files } }: { status: Status }) {
  return (
    <dl class="facts" aria-label="State">
      <Fact title="State">
        <span class={state === 'on' ? 'good' : 'warn'}>{states[state]}</span>
        {run?.running && ', exchanging changes'}
      </Fact>
      <Fact title="Place">{address}</Fact>
      <Fact title="To send">
        {countText(waiting.records, 'change')}, {countText(waiting.segmentsToSend, 'file')}
      </Fact>
      <Fact title="To read">{countText(waiting.segmentsToRead, 'file')}</Fact>
      {run && (
        <Fact title="Last exchange">
          <Time at={run.at} />
          {run.running && `, ${countText(run.collected + run.readRecords, 'change')} so far`}
        </Fact>
      )}
      {files && (
        <Fact title="Stored">
          {countText(files.segments, 'file')}, {formatBytes(files.bytes)}; checkpoint{' '}
          {files.checkpoint ? <Time at={files.checkpoint} /> : 'not needed yet'}
        </Fact>
      )}
    </dl>
  )
}

function Actions({ status: { state, run }, onDone }: { status: Status; onDone: () => void }) {
  const isPaused = state === 'paused'
  const pause = () =>
    runAndReport(
      () => call('POST /api/sync/pause', { body: { paused: !isPaused } }),
      isPaused ? 'Sync resumed' : 'Sync paused; changes are kept',
      onDone,
    )
  return (
    <p class="line">
      <button
        type="button"
        disabled={isPaused || run?.running}
        onClick={() =>
          runAndReport(() => call('POST /api/sync/run', { body: {} }), 'Changes exchanged', onDone)
        }
      >
        Sync now
      </button>
      {(state === 'on' || isPaused) && (
        <button type="button" class="plain" onClick={pause}>
          {isPaused ? 'Resume' : 'Pause'}
        </button>
      )}
    </p>
  )
}

/** Lets in the machine whose code is typed. */
function Approve({ requests, onDone }: { requests: number; onDone: () => void }) {
  const [code, setCode] = useState('')
  const approve = async (event: Event) => {
    event.preventDefault()
    await runAndReport(
      () => call('POST /api/sync/approve', { body: { code } }),
      'The machine belongs now',
      () => {
        setCode('')
        onDone()
      },
    )
  }
  return (
    <form class="stack narrow" onSubmit={approve}>
      <h2>Let a machine in</h2>
      <p class="dim">
        {requests > 0 ? `${countText(requests, 'machine')} asking to join. ` : ''}
        Type the code that <code>memory sync join</code> shows on the other machine.
      </p>
      <Field label="Code" value={code} onInput={setCode} required />
      <p>
        <button type="submit">Approve</button>
      </p>
    </form>
  )
}

function Machines({ devices, onChanged }: { devices: readonly Device[]; onChanged: () => void }) {
  const [asked, setAsked] = useState<Device>()
  return (
    <section class="stack" aria-label="Machines">
      <h2>Machines</h2>
      <ul class="plain-list lined">
        {devices.map(device => (
          <li key={device.tag} class="line">
            <div class="grow">
              <strong>{device.name}</strong> <code class="dim">{device.tag}</code>
              <p class="dim">
                <MachineState device={device} />
              </p>
            </div>
            {may('admin') && !device.self && device.state === 'member' && (
              <button
                type="button"
                class="plain"
                aria-label={`Remove ${device.name}`}
                onClick={() => setAsked(device)}
              >
                Remove…
              </button>
            )}
          </li>
        ))}
      </ul>
      {asked && <Remove device={asked} onClose={() => setAsked(undefined)} onDone={onChanged} />}
    </section>
  )
}

function MachineState({ device: { self, state, read, seen, behind } }: { device: Device }) {
  if (state === 'removed') return <>removed</>
  if (self) return <>this machine</>
  return (
    <>
      {read === null ? 'nothing read from it yet' : `read here up to its file ${read}`}
      {seen !== null && (
        <>
          , seen <Time at={seen} />,{' '}
          {behind === 0 ? 'has read all' : `${countText(behind ?? 0, 'file')} to read`}
        </>
      )}
    </>
  )
}

function Remove({ device, onClose, onDone }: { device: Device; onClose: () => void; onDone: () => void }) {
  const remove = async () => {
    await call('POST /api/sync/revoke', { body: { device: device.tag } })
    showMessage(`${device.name} was removed`)
    onDone()
  }
  return (
    <Confirm
      title={`Remove ${device.name}?`}
      deed="Remove"
      typed={device.name}
      act={remove}
      onClose={onClose}
    >
      <p>It reads nothing new, and what it writes no longer counts. It keeps what it has read.</p>
      <p>This can't be undone: it comes back only as a new machine.</p>
    </Confirm>
  )
}

function WrongFiles({ faults }: { faults: readonly string[] }) {
  if (faults.length === 0) return null
  return (
    <section class="stack" aria-label="Wrong files">
      <h2>Wrong files</h2>
      <ul class="plain-list lined">
        {faults.map(fault => (
          <li key={fault} class="words">
            {fault}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Synced({ offered: { memories, agents } }: { offered: Status['offered'] }) {
  return (
    <section class="stack" aria-label="Synced memories">
      <h2>Synced memories</h2>
      <p class="words">
        {countText(memories, 'memory', 'memories')} with their history, hints and holders, and the read
        policies of {countText(agents, 'agent')}. Never secrets, sessions and transcripts, documents, skills
        or settings.
      </p>
    </section>
  )
}
