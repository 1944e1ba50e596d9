import { useState } from 'preact/hooks'
import { wordsOfName } from '../../lib/text/names.js'
import { may } from '../api/session.js'
import { SearchField } from '../parts/fields.js'
import { Empty } from '../parts/placeholders.js'
import { countText } from '../parts/values.js'
import { type Check, type SettingField, typed } from './draft.js'

interface FormProps {
  fields: readonly SettingField[]
  /** Faults of the edited text, shown at their fields. */
  errors: Check['errors']
}

/** Every setting as a field, in sections, with a search over names and help. */
export function SettingsForm({ fields, errors }: FormProps) {
  const [search, setSearch] = useState('')
  const found = fields.filter(field => isFound(field, search))
  const sections = [...new Set(found.map(sectionOf))]
  return (
    <section class="stack" aria-label="Settings as a form">
      <SearchField label="Search the settings" value={search} onInput={setSearch} />
      {found.length === 0 && (
        <Empty title="No setting has these words">
          <p>Names and descriptions are searched.</p>
        </Empty>
      )}
      {sections.map(section => (
        <Section
          key={`${section} ${search === ''}`}
          name={section}
          fields={found.filter(field => sectionOf(field) === section)}
          errors={errors}
          isOpen={search !== '' || section === 'daemon'}
        />
      ))}
    </section>
  )
}

function sectionOf({ key }: SettingField): string {
  return key.split('.')[0] ?? key
}

function isFound({ key, help, variable }: SettingField, search: string): boolean {
  const text = `${key} ${wordsOfName(key).join(' ')} ${help} ${variable ?? ''}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/u)
    .every(word => text.includes(word))
}

interface SectionProps extends FormProps {
  name: string
  isOpen: boolean
}

function Section({ name, fields, errors, isOpen }: SectionProps) {
  const changed = fields.filter(({ from }) => from !== 'default').length
  const faulty = errors.some(({ key }) => fields.some(field => isAt(key, field)))
  return (
    <details class="setting-section" open={isOpen || faulty}>
      <summary>
        <strong>{titleOf(name)}</strong>{' '}
        <span class="dim">
          {countText(fields.length, 'setting')}
          {changed > 0 && `, ${changed} set`}
        </span>
      </summary>
      {fields.map(field => (
        <SettingRow
          key={field.key}
          field={field}
          errors={errors.filter(({ key }) => isAt(key, field)).map(({ message }) => message)}
        />
      ))}
    </details>
  )
}

function isAt(key: string, field: SettingField): boolean {
  return key === field.key || key.startsWith(`${field.key}.`)
}

function titleOf(name: string): string {
  const words = wordsOfName(name).join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

interface RowProps {
  field: SettingField
  errors: readonly string[]
}

/** One setting: its control, where the value in force is from, and a way back to the default. */
function SettingRow({ field, errors }: RowProps) {
  const { minimum, maximum } = field
  const id = `setting-${field.key.replaceAll('.', '-')}`
  const isReadOnly = !may('admin')
  const canReset = field.given !== null || typed.value[field.key] !== undefined
  return (
    <div class="setting">
      <span class="setting-name">
        <label for={id}>
          <code>{field.key}</code>
        </label>
        <Source field={field} />
      </span>
      <span class="setting-value">
        <Control id={id} field={field} isFaulty={errors.length > 0} isReadOnly={isReadOnly} />
        <button
          type="button"
          class="plain"
          disabled={isReadOnly || !canReset}
          aria-label={`Reset ${field.key} to its default`}
          onClick={() => set(field, '')}
        >
          Reset
        </button>
      </span>
      <span id={`${id}-errors`} class="bad words" aria-live="polite">
        {errors.join('; ')}
      </span>
      <span id={`${id}-help`} class="dim words">
        {field.help}
        {minimum !== null && maximum !== null && ` (${minimum} to ${maximum})`}
      </span>
    </div>
  )
}

const sources = { file: 'file', default: 'default', environment: 'environment' } as const

function Source({ field: { from, variable, value, given } }: { field: SettingField }) {
  const isOther = given !== null && given !== value
  return (
    <span class={from === 'default' ? 'tag dim' : 'tag'}>
      {variable ?? sources[from]}
      {(variable !== null || isOther) && `: ${value ?? 'not set'} is in force`}
    </span>
  )
}

interface ControlProps {
  id: string
  field: SettingField
  isFaulty: boolean
  isReadOnly: boolean
}

function Control({ id, field, isFaulty, isReadOnly }: ControlProps) {
  // The typed text stays while the field has the focus: the daemon writes a list in its own way.
  const [local, setLocal] = useState<string>()
  const wire = typed.value[field.key]
  const value = local ?? shownOf(wire === undefined ? (field.given ?? '') : wire || '')
  const shared = {
    id,
    disabled: isReadOnly,
    'aria-invalid': isFaulty,
    'aria-describedby': `${id}-errors ${id}-help`,
  }
  if (field.kind === 'switch' || field.kind === 'choice')
    return (
      <select {...shared} value={value} onChange={event => set(field, event.currentTarget.value)}>
        <option value="">default{field.default === null ? '' : ` (${shownOf(field.default)})`}</option>
        {(field.kind === 'switch' ? ['true', 'false'] : field.choices).map(choice => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    )
  return (
    <input
      {...shared}
      value={value}
      inputMode={field.kind === 'number' ? 'decimal' : 'text'}
      placeholder={field.default === null ? 'not set' : shownOf(field.default)}
      spellcheck={false}
      autocomplete="off"
      onInput={event => {
        setLocal(event.currentTarget.value)
        set(field, event.currentTarget.value)
      }}
      onBlur={() => setLocal(undefined)}
    />
  )
}

/** A value as JSON is shown as a person types it: texts without quotes. */
function shownOf(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json
}

function set({ key, kind }: SettingField, text: string): void {
  const isText = kind === 'text' || kind === 'choice'
  typed.value = { ...typed.value, [key]: isText && text !== '' ? JSON.stringify(text) : text }
}
