import { useState } from 'preact/hooks'
import type { Reply, Request } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/dialog.js'
import { Empty, Failure, Loading, Stays } from '../parts/placeholders.js'
import { showMessage } from '../parts/toast.js'
import { Time } from '../parts/values.js'

type Plugin = Reply<'GET /api/plugins'>['plugins'][number]
type Change = NonNullable<Request<'PATCH /api/plugins/:id'>['body']>

interface RequestedChange {
  plugin: Plugin
  /** Caption of the button and the dialog. */
  deed: string
  change: Change
}

const tones = { active: 'good', disabled: 'dim', blocked: 'bad', degraded: 'warn' } as const

/** Plugins with their capabilities, surfaces and audit log. */
export function Plugins() {
  const [asked, setAsked] = useState<RequestedChange>()
  const loaded = useLoaded(signal => call('GET /api/plugins', {}, { signal }), [changes.value])
  const plugins = loaded.value?.plugins
  return (
    <>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {!plugins && !loaded.error && <Loading />}
      {plugins?.length === 0 && <Empty title="No plugins" />}
      <div class="stack">
        {plugins?.map(plugin => (
          <PluginFacts key={plugin.id} plugin={plugin} ask={setAsked} />
        ))}
      </div>
      <Stays stays={loaded.value?.stays} things="plugins" />
      <Audit />
      {asked && <Decide {...asked} onClose={() => setAsked(undefined)} />}
    </>
  )
}

function PluginFacts({ plugin, ask }: { plugin: Plugin; ask: (asked: RequestedChange) => void }) {
  const { id, name, version, description, state, reason, enabled, grantedCapabilities: granted } = plugin
  const turn = { plugin, deed: enabled ? 'Disable' : 'Enable', change: { enabled: !enabled } }
  return (
    <section class="card" aria-label={name || id}>
      <div class="head-line">
        <h2 class="words">
          {name || id} <span class="dim">{version}</span>
        </h2>
        <span class={tones[state]}>{state}</span>
        {may('admin') && (
          <button type="button" class="plain" onClick={() => ask(turn)}>
            {turn.deed}…
          </button>
        )}
      </div>
      <p class="words">{description}</p>
      {reason && <p class="warn words">{reason}</p>}
      <ul class="capabilities" aria-label="Capabilities">
        {plugin.declaredCapabilities.map(capability => {
          const isGranted = granted.includes(capability)
          const change = isGranted ? { revoke: [capability] } : { grant: [capability] }
          const deed = isGranted ? 'Revoke' : 'Grant'
          return (
            <li key={capability} class="tag">
              <span class={isGranted ? undefined : 'warn'}>
                {capability}
                {!isGranted && ' (not granted)'}
              </span>
              {may('admin') && (
                <button
                  type="button"
                  class="small"
                  aria-label={`${deed} ${capability}`}
                  onClick={() => ask({ plugin, deed, change })}
                >
                  {deed}
                </button>
              )}
            </li>
          )
        })}
      </ul>
      <details>
        <summary class="dim">Provides</summary>
        <Surfaces surfaces={plugin.surfaces} />
      </details>
    </section>
  )
}

function Surfaces({ surfaces }: { surfaces: Plugin['surfaces'] }) {
  const all = Object.entries(surfaces).filter(([, list]) => list.length > 0)
  if (all.length === 0) return <p class="dim">Nothing is active.</p>
  return (
    <dl class="facts">
      {all.map(([kind, list]) => (
        <div key={kind}>
          <dt>{labelOf('surface', kind)}</dt>
          <dd class="dim">{list.map(({ name }) => name).join(', ')}</dd>
        </div>
      ))}
    </dl>
  )
}

function Decide({ plugin, deed, change, onClose }: RequestedChange & { onClose: () => void }) {
  const isRemoval = change.enabled === false || change.revoke !== undefined
  const [capability] = change.revoke ?? change.grant ?? []
  const act = async () => {
    const { state, reason } = await call('PATCH /api/plugins/:id', {
      params: { id: plugin.id },
      body: change,
    })
    changes.value++
    showMessage(`${plugin.name || plugin.id} is ${state}${reason ? `: ${reason}` : ''}`)
  }
  return (
    <Confirm
      title={`${deed} ${capability ?? (plugin.name || plugin.id)}?`}
      deed={deed}
      act={act}
      onClose={onClose}
      isMild={!isRemoval}
    >
      <div class="stack">
        {isRemoval ? (
          <>
            <p>These are disabled, for agents too:</p>
            <Surfaces surfaces={surfacesOf(plugin, capability)} />
          </>
        ) : (
          <p class="words">
            {capability === undefined
              ? `It can use its granted capabilities: ${plugin.grantedCapabilities.join(', ') || 'none yet'}.`
              : `${plugin.name || plugin.id} can use this capability at once.`}
          </p>
        )}
      </div>
    </Confirm>
  )
}

/** Returns the surfaces of a plugin that need a capability; all of them without one. */
function surfacesOf({ surfaces }: Plugin, capability: string | undefined): Plugin['surfaces'] {
  return Object.fromEntries(
    Object.entries(surfaces).map(([kind, list]) => [
      kind,
      list.filter(one => capability === undefined || one.capability === capability),
    ]),
  ) as Plugin['surfaces']
}

function Audit() {
  const loaded = useLoaded(
    signal => call('GET /api/plugins/audit', { query: { limit: 50 } }, { signal }),
    [changes.value],
  )
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  if (!loaded.value?.count) return null
  return (
    <section class="stack" aria-label="Audit log">
      <h2>Audit log</h2>
      <ul class="plain-list lined">
        {loaded.value.events.map(({ id, timestamp, event, pluginId, result, source }) => (
          <li key={id} class="line">
            <Time at={timestamp} />
            <span class="words">
              {pluginId}: {labelOf('pluginEvent', event)} ({result})
            </span>
            <span class="dim">by {source}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
