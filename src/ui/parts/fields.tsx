import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { call } from '../api/call.js'
import { may } from '../api/session.js'
import { useKeys } from './keys.js'
import { showFailure } from './toast.js'

interface FieldProps {
  label: string
  value: string
  onInput: (text: string) => void
  /** Help below the field. */
  hint?: ComponentChildren
  /** Number of visible lines of a long text. */
  rows?: number
  type?: 'text' | 'password'
  required?: boolean
  placeholder?: string
  /** Suggestions. */
  choices?: readonly string[]
}

interface FolderFieldProps {
  label: string
  value: string
  onInput: (path: string) => void
  hint: string
  required?: boolean
}

export interface FacetValue {
  value: string
  /** Undefined if it was not counted. */
  count?: number | undefined
}

/** A folder on the daemon's machine, typed or selected in a window there. */
export function FolderField({ label, value, onInput, hint, required = false }: FolderFieldProps) {
  const choose = () =>
    call('POST /api/sources/pick-directory', { body: { title: label } }).then(
      ({ path }) => path !== null && onInput(path),
      showFailure,
    )
  return (
    <div class="stack">
      <Field
        label={label}
        value={value}
        onInput={onInput}
        required={required}
        placeholder="/home/you/notes"
        hint={hint}
      />
      {isSameMachine() && may('modify') && (
        <p>
          <button type="button" class="plain" onClick={choose}>
            Choose…
          </button>
        </p>
      )}
    </div>
  )
}

/** Returns true if the browser runs on the daemon's machine, where the window would appear. */
function isSameMachine(): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname)
}

/** A text field with a label and a hint. */
export function Field({ label, value, onInput, hint, rows, type = 'text', choices, ...rest }: FieldProps) {
  const id = useId()
  const shared = {
    ...rest,
    id,
    value,
    spellcheck: false,
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input
          {...shared}
          // The attribute types depend on a literal type.
          type={type as 'text'}
          autocomplete={type === 'password' ? 'new-password' : 'off'}
          list={choices && `${id}-choices`}
        />
      ) : (
        <textarea
          {...shared}
          rows={rows}
          autocomplete="off"
          class={type === 'password' ? 'hidden-text' : undefined}
        />
      )}
      {choices && (
        <datalist id={`${id}-choices`}>
          {choices.map(choice => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="dim">
          {hint}
        </p>
      )}
    </div>
  )
}

interface SelectProps<V extends string> {
  label: string
  value: V
  /** Captions by value. */
  options: Readonly<Record<V, string>>
  onChoose: (value: V) => void
}

/** A select field. */
export function Select<V extends string>({ label, value, options, onChoose }: SelectProps<V>) {
  return (
    <label class="field">
      {label}
      <select value={value} onChange={event => onChoose(event.currentTarget.value as V)}>
        {(Object.entries(options) as [V, string][]).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}

interface CheckProps {
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
  children: ComponentChildren
}

export function Check({ onChange, children, ...state }: CheckProps) {
  return (
    <label>
      <input type="checkbox" {...state} onChange={event => onChange(event.currentTarget.checked)} />{' '}
      {children}
    </label>
  )
}

interface JsonFileFieldProps {
  label: string
  onChoose: (file: File | undefined) => void
}

/** A required JSON file. */
export function JsonFileField({ label, onChoose }: JsonFileFieldProps) {
  return (
    <label class="field">
      {label}
      <input
        type="file"
        accept="application/json,.json"
        required
        onChange={event => onChoose(event.currentTarget.files?.[0])}
      />
    </label>
  )
}

interface SearchFieldProps {
  label: string
  value: string
  onInput: (text: string) => void
}

/** A search field: `/` focuses it and Escape leaves it. */
export function SearchField({ label, value, onInput }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  useKeys([{ key: '/', does: label, run: () => field.current?.focus() }])
  return (
    <input
      ref={field}
      class="search"
      type="search"
      aria-label={label}
      placeholder={`${label}  ( / )`}
      value={value}
      spellcheck={false}
      autocomplete="off"
      onInput={event => onInput(event.currentTarget.value)}
      onKeyDown={event => {
        if (event.key === 'Escape') event.currentTarget.blur()
      }}
    />
  )
}

interface FacetProps {
  title: string
  values: readonly FacetValue[]
  /** Display names of values that are unclear by themselves. */
  labels?: Readonly<Record<string, string>> | undefined
  chosen: string | undefined
  onChoose: (value: string | undefined) => void
}

/** A filter with its values and their counts. Selecting the selected value clears the filter. */
export function Facet({ title, values, labels, chosen, onChoose }: FacetProps) {
  const shown = chosen === undefined || values.some(({ value }) => value === chosen)
  const all = shown ? values : [{ value: chosen }, ...values]
  if (all.length === 0) return null
  return (
    <fieldset class="facet">
      <legend>{title}</legend>
      {all.map(({ value, count }) => (
        <button
          key={value}
          type="button"
          class="choice"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value === chosen ? undefined : value)}
        >
          <span class="clip">{labels?.[value] ?? value}</span>
          {count !== undefined && <span class="dim">{count.toLocaleString()}</span>}
        </button>
      ))}
    </fieldset>
  )
}
