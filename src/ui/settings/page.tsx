import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { type Loaded, useLoaded } from '../api/loaded.js'
import { who } from '../api/session.js'
import { Confirm } from '../parts/dialog.js'
import { useKeys } from '../parts/keys.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { showMessage } from '../parts/toast.js'
import { Command } from '../parts/values.js'
import { type Check, draft, dropDraft, type Settings, typed, useCheck } from './draft.js'
import { SettingsForm } from './form.js'
import './settings.css'

/**
 * The settings as a form and, beside it, agent.yaml with its comments: one text, checked while it is edited
 * in either, and saved after a preview of the changes.
 */
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
  const isChanged = text !== settings.text || Object.keys(typed.value).length > 0
  const check = useCheck(settings)
  const isSavable = isChanged && !check.isLoading && check.value?.errors.length === 0
  useUnsavedWarning(isChanged)
  useKeys([{ key: 'e', does: 'Edit the settings', run: () => field.current?.focus() }])
  const drop = () => {
    dropDraft()
    reload()
  }
  const save = async () => {
    const values = typed.value
    await call('POST /api/settings', { body: { text, values, version: settings.version } })
    showMessage('Settings saved')
    drop()
  }
  const ask = () => {
    if (isSavable) setSaving(true)
  }
  const shown = isChanged ? check.value : undefined
  return (
    <div class="settings">
      <p class="line settings-bar">
        <button type="button" disabled={!isSavable} onClick={ask}>
          Save…
        </button>
        <button type="button" class="plain" disabled={!isChanged} onClick={drop}>
          Discard changes
        </button>
        <span class="dim">Comments are kept. Ctrl+S saves, Escape leaves the editor.</span>
      </p>
      <SettingsForm fields={shown?.fields ?? settings.fields} errors={shown?.errors ?? settings.problems} />
      <div class="stack beside">
        <Verdict
          settings={settings}
          check={check}
          isChanged={isChanged}
          toLine={line => goToLine(field.current, line)}
        />
        <Text settings={settings} text={text} field={field} onSave={ask} />
        <Hints settings={settings} />
        <details>
          <summary>All active settings, including defaults</summary>
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

/** Notes on parts that cannot be read, or not be changed here. */
function Hints({ settings }: { settings: Settings }) {
  const mode = who.value?.mode ?? 'local'
  return (
    <>
      {settings.text.includes('(masked)') && (
        <p class="dim">
          <code>(masked)</code> hides a credential. Leave it to keep the credential, or replace it with a new
          one.
        </p>
      )}
      {mode !== 'local' && (
        <p class="dim">
          <code>auth</code> can only be changed on the machine of the daemon: in the file, or with{' '}
          <Command text="memory config set" />.
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

/** The edited text of the file. */
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
        {!settings.exists && <span class="dim"> does not exist yet; all settings have their defaults.</span>}
      </label>
      <textarea
        id="settings-text"
        ref={field}
        class="code"
        value={text}
        rows={Math.min(40, Math.max(16, text.split('\n').length + 1))}
        placeholder={'# Example:\ndaemon:\n  logLevel: debug'}
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

/** The browser asks before it closes a tab with an unsaved text. */
function useUnsavedWarning(isChanged: boolean): void {
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

type Problem = Settings['problems'][number]

interface VerdictProps {
  settings: Settings
  check: Loaded<Check>
  isChanged: boolean
  toLine: (line: number) => void
}

/** Faults of the text, or its effect. */
export function Verdict({ settings, check, isChanged, toLine }: VerdictProps) {
  if (!isChanged)
    return settings.problems.length === 0 ? (
      <p class="dim">{settings.exists ? 'Saved and active.' : 'Nothing to check yet.'}</p>
    ) : (
      <Problems title="Problems in the saved file" problems={settings.problems} toLine={toLine} />
    )
  if (check.error) return <Failure error={check.error} />
  if (!check.value) return <p class="dim">Checking…</p>
  const { errors, unknown } = check.value
  return (
    <section class="stack" aria-label="Check" aria-live="polite">
      {errors.length > 0 && <Problems title="Cannot be saved" tone="bad" problems={errors} toLine={toLine} />}
      {unknown.length > 0 && <Problems title="Unknown settings" problems={unknown} toLine={toLine} />}
      {errors.length === 0 && <Changes check={check.value} />}
    </section>
  )
}

interface ProblemsProps {
  title: string
  tone?: 'warn' | 'bad'
  problems: readonly Problem[]
  toLine: (line: number) => void
}

function Problems({ title, tone = 'warn', problems, toLine }: ProblemsProps) {
  return (
    <section class="stack" aria-label={title}>
      <h2 class={tone}>{title}</h2>
      <ul class="plain-list lined">
        {problems.map(({ line, key, message }) => (
          <li key={`${line} ${key} ${message}`} class="words">
            {line > 0 && (
              <button type="button" class="plain" onClick={() => toLine(line)}>
                Line {line}
              </button>
            )}{' '}
            {key && <code>{key}</code>} {message}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Settings whose values change. */
export function Changes({ check: { changes, restartRequired } }: { check: Check }) {
  return (
    <section class="stack" aria-label="Changes">
      <h2>Changes</h2>
      {changes.length === 0 && <p class="dim">No setting changes, only comments or formatting.</p>}
      <dl class="facts changes">
        {changes.map(({ key, before, after }) => (
          <div key={key}>
            <dt>
              <code>{key}</code>
            </dt>
            <dd>
              <del>{before ?? 'not set'}</del> → <ins>{after ?? 'not set'}</ins>
            </dd>
          </div>
        ))}
      </dl>
      {restartRequired && (
        <p class="warn">
          Host and port change after a restart: <Command text="memory daemon restart" />
        </p>
      )}
    </section>
  )
}
