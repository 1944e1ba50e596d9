import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { Failure } from '../parts/failure.js'
import { showFailure, showMessage } from '../parts/toast.js'

type Decision = 'accept' | 'refuse'
type Setting = Reply<'GET /api/git/settings'>['settings'][number]

/** Security settings of agent.yaml that a person accepts or refuses. */
export function WaitingSettings({ onDecided }: { onDecided: () => void }) {
  const { value, error, reload } = useLoaded(signal => call('GET /api/git/settings', {}, { signal }), [])
  if (error) return <Failure error={error} retry={reload} />
  if (!value || value.settings.length === 0) return null
  const decide = async (decision: Decision) => {
    try {
      await call('POST /api/git/settings', { body: { decision, version: value.version } })
      showMessage(
        decision === 'accept' ? 'The settings are in force' : 'agent.yaml has the settings in force',
      )
    } catch (thrown) {
      showFailure(thrown)
    }
    reload()
    onDecided()
  }
  return (
    <section class="stack" aria-label="Settings that wait">
      <h2>Settings that wait for your yes</h2>
      <p>
        agent.yaml has other security settings than those in force. Accept them only if you know where they
        come from.
      </p>
      <table>
        <thead>
          <tr>
            <th>Setting</th>
            <th>In force</th>
            <th>In agent.yaml</th>
          </tr>
        </thead>
        <tbody>
          {value.settings.map(setting => (
            <Row key={setting.key} setting={setting} />
          ))}
        </tbody>
      </table>
      <p class="line">
        <button type="button" onClick={() => decide('accept')}>
          Accept
        </button>
        <button type="button" class="plain" onClick={() => decide('refuse')}>
          Refuse
        </button>
        <span class="dim">Possible on the machine of the daemon only.</span>
      </p>
    </section>
  )
}

function Row({ setting: { key, before, after } }: { setting: Setting }) {
  return (
    <tr>
      <td>{key}</td>
      <td>{before ?? 'not set'}</td>
      <td>{after ?? 'not set'}</td>
    </tr>
  )
}
