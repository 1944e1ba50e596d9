import { useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/confirm.js'
import { Field, Select } from '../parts/field.js'
import { say } from '../parts/toast.js'
import { typeNames } from './message-words.js'

const targets = { agent: 'An agent, whenever it comes', session: 'A live session', all: 'All agents' }

/** Sends a message to an agent, a session or all. */
export function SendMessage({ from, onClose }: { from: string | undefined; onClose: () => void }) {
  const [target, setTarget] = useState<keyof typeof targets>('agent')
  const [to, setTo] = useState('')
  const [type, setType] = useState<keyof typeof typeNames>('info')
  const [content, setContent] = useState('')
  const roster = useLoaded(signal => call('GET /api/agents', {}, { signal }), [])
  const live = useLoaded(
    signal => call('GET /api/cross-agent/presence', { query: { include_self: true } }, { signal }),
    [],
  )
  const act = async () => {
    const body = {
      content,
      type,
      from_agent_id: from,
      ...(target === 'agent' && { to_agent_id: to.trim() }),
      ...(target === 'session' && { to_session_key: to.trim() }),
      ...(target === 'all' && { broadcast: true }),
    }
    await call('POST /api/cross-agent/messages', { body })
    changes.value++
    say('Sent')
  }
  const choices =
    target === 'agent'
      ? roster.value?.agents.map(({ name }) => name)
      : live.value?.sessions.map(({ key }) => key)
  return (
    <Confirm
      title="Send a message"
      deed="Send"
      act={act}
      onClose={onClose}
      isReady={content.trim() !== '' && (target === 'all' || to.trim() !== '')}
      isMild
    >
      <div class="stack">
        <Select label="To" value={target} options={targets} onChoose={setTarget} />
        {target !== 'all' && (
          <Field
            label={target === 'agent' ? 'Agent' : 'Session'}
            value={to}
            onInput={setTo}
            choices={choices ?? []}
            required
          />
        )}
        <Select label="Kind" value={type} options={typeNames} onChoose={setType} />
        <Field label="Message" rows={5} value={content} onInput={setContent} required />
      </div>
    </Confirm>
  )
}
