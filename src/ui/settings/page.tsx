import { signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { type Loaded, useLoaded } from '../api/loaded.js'
import { who } from '../api/session.js'
import { Confirm } from '../parts/confirm.js'
import { useLater } from '../parts/every.js'
import { Failure } from '../parts/failure.js'
import { useKeys } from '../parts/keys.js'
import { Loading } from '../parts/loading.js'
import { say } from '../parts/toast.js'
import { Changes, Verdict } from './check.js'
import './settings.css'

type Settings = Reply<'GET /api/settings'>

const settleMs = 400

/** agent.yaml with its comments: checked while it is typed, and saved once it was shown what changes. */
export default function SettingsPage() {
  const loaded = useLoaded(signal => call('GET /api/settings', {}, { signal }), [])
  return (
    <>
      <h1>Settings</h1>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {!loaded.value && !loaded.error && <Loading />}
      {loaded.value && <Editor settings={loaded.value} reload={loaded.reload} />}
    </>
  )
}

function Editor({ settings, reload }: { settings: Settings; reload: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [isSaving, setSaving] = useState(false)
  const text = draft.value ?? settings.text
  const isChanged = text !== settings.text
  const check = useCheck(settings, isChanged ? text : undefined)
  const isSavable = isChanged && !check.isLoading && check.value?.errors.length === 0
  useUnsaved(isChanged)
  useKeys([{ key: 'e', does: 'Edit the settings', run: () => field.current?.focus() }])
  const drop = () => {
    draft.value = undefined
    reload()
  }
  const save = async () => {
    await call('POST /api/settings', { body: { text, version: settings.version } })
    say('Saved; in force now')
    drop()
  }
  const ask = () => {
    if (isSavable) setSaving(true)
  }
  return (
    <div class="settings">
      <div class="stack">
        <Text settings={settings} text={text} field={field} onSave={ask} />
        <p class="line">
          <button type="button" disabled={!isSavable} onClick={ask}>
            Save…
          </button>
          <button type="button" class="plain" disabled={!isChanged} onClick={drop}>
            Take back
          </button>
          <span class="dim">Comments stay. Ctrl+S saves, Escape leaves the text.</span>
        </p>
        <Hints settings={settings} />
      </div>
      <div class="stack">
        <Verdict
          settings={settings}
          check={check}
          isChanged={isChanged}
          toLine={line => goToLine(field.current, line)}
        />
        <details>
          <summary>Every setting in force, with the defaults</summary>
          <pre>{settings.inForce}</pre>
        </details>
      </div>
      {isSaving && check.value && (
        <Confirm title="Save agent.yaml?" deed="Save" isMild act={save} onClose={() => setSaving(false)}>
          <Changes check={check.value} />
        </Confirm>
      )}
    </div>
  )
}

/** What of it can't be read, or not be changed here. */
function Hints({ settings }: { settings: Settings }) {
  const mode = who.value?.mode ?? 'local'
  return (
    <>
      {settings.text.includes('(masked)') && (
        <p class="dim">
          <code>(masked)</code> stands for a credential: left where it is, it stays; write another in its
          place to replace it.
        </p>
      )}
      {mode !== 'local' && (
        <p class="dim">
          <code>auth</code> is changed on the machine of the daemon alone: in the file, or by{' '}
          <code>memory config set</code>.
        </p>
      )}
    </>
  )
}

interface TextProps {
  settings: Settings
  text: string
  field: RefObject<HTMLTextAreaElement | null>
  onSave: () => void
}

/** The text of the file, as it is typed. */
function Text({ settings, text, field, onSave }: TextProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') field.current?.blur()
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    onSave()
  }
  return (
    <>
      <label for="settings-text">
        <code>{settings.file}</code>
        {!settings.exists && <span class="dim"> is not there yet: every setting is at its default.</span>}
      </label>
      <textarea
        id="settings-text"
        ref={field}
        class="code"
        value={text}
        rows={Math.min(40, Math.max(16, text.split('\n').length + 1))}
        placeholder={'# Write the first one, such as:\ndaemon:\n  logLevel: debug'}
        spellcheck={false}
        autocomplete="off"
        onInput={event => {
          draft.value = event.currentTarget.value
        }}
        onKeyDown={onKeyDown}
      />
    </>
  )
}

/** What the daemon says of the text that is typed; nothing while there is none to check. */
function useCheck({ version }: Settings, text: string | undefined): Loaded<Reply<'POST /api/settings'>> {
  const settled = useLater(text, settleMs)
  const check = useLoaded(
    signal =>
      settled === undefined
        ? undefined
        : call('POST /api/settings', { body: { text: settled, version, dryRun: true } }, { signal }),
    [settled, version],
  )
  return { ...check, isLoading: check.isLoading || settled !== text }
}

/** The browser asks before a tab with a text that is not saved is closed. */
function useUnsaved(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return
    const ask = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isChanged])
}

function goToLine(field: HTMLTextAreaElement | null, line: number): void {
  if (!field) return
  const lines = field.value.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0)
  field.focus()
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
}

/** What was typed and is not saved: it stays while other pages are looked at, and nowhere but in this tab's memory. */
const draft = signal<string | undefined>(undefined)
