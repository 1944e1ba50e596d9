import { useState } from 'preact/hooks'
import type { Reply, Request } from '../../contract/api.js'
import { sourceKind } from '../../contract/ground/wire-names.js'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/dialog.js'
import { Field, FolderField, Select } from '../parts/fields.js'
import { showMessage } from '../parts/toast.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'

const kinds = {
  [sourceKind.obsidian]: 'Obsidian vault or folder of Markdown files',
  [sourceKind.github]: 'GitHub repositories',
  [sourceKind.discord]: 'Discord servers',
  url: 'Web page',
  text: 'Text',
  folder: 'Folder of documents, synced on request',
}
type Kind = keyof typeof kinds

interface Fields {
  place: string
  more: string
  token: string
  name: string
}

/** Adds a source, a document, or a connector. */
export function Add({ onClose }: { onClose: () => void }) {
  const options = Object.fromEntries(
    Object.entries(kinds).filter(([kind]) => may(permissions[kind as Kind])),
  ) as typeof kinds
  const [kind, setKind] = useState(Object.keys(options)[0] as Kind)
  const [fields, setFields] = useState<Fields>({ place: '', more: '', token: '', name: '' })
  const set = (changed: Partial<Fields>) => setFields(before => ({ ...before, ...changed }))
  const act = async () => {
    navigate(await adders[kind](fields))
    changes.value++
    showMessage('Added; syncing in the background')
  }
  const Form = forms[kind]
  return (
    <Confirm
      title="Add a source"
      deed="Add"
      act={act}
      onClose={onClose}
      isReady={fields.place.trim() !== ''}
      isMild
    >
      <div class="stack">
        <Select label="Type" value={kind} options={options} onChoose={setKind} />
        <Form fields={fields} set={set} />
      </div>
    </Confirm>
  )
}

const permissions = {
  [sourceKind.obsidian]: 'modify',
  [sourceKind.github]: 'modify',
  [sourceKind.discord]: 'modify',
  url: 'documents',
  text: 'documents',
  folder: 'connectors',
} as const

interface FormProps {
  fields: Fields
  set: (changed: Partial<Fields>) => void
}

const forms: Readonly<Record<Kind, (props: FormProps) => preact.JSX.Element>> = {
  [sourceKind.obsidian]: ({ fields, set }) => (
    <>
      <Folder fields={fields} set={set} />
      <Field
        label="Exclude"
        rows={2}
        value={fields.more}
        onInput={more => set({ more })}
        hint="Patterns, one per line, such as private/**. Hidden folders are always excluded."
      />
      <Name fields={fields} set={set} />
    </>
  ),
  [sourceKind.github]: ({ fields, set }) => (
    <>
      <Field
        label="Repositories"
        rows={2}
        value={fields.place}
        onInput={place => set({ place })}
        required
        hint="OWNER/REPO, one per line. Issues, pull requests and documentation are read."
      />
      <Token fields={fields} set={set} hint="Not needed for public repositories, except for discussions." />
      <Name fields={fields} set={set} />
    </>
  ),
  [sourceKind.discord]: ({ fields, set }) => (
    <>
      <Field
        label="Servers"
        rows={2}
        value={fields.place}
        onInput={place => set({ place })}
        required
        hint="Server IDs, one per line. Copy them in Discord with developer mode on."
      />
      <Token fields={fields} set={set} hint="The token of a bot with access to the servers." />
      <Field
        label="Channels"
        rows={2}
        value={fields.more}
        onInput={more => set({ more })}
        hint="Names or IDs, one per line. Leave empty for all."
      />
      <Name fields={fields} set={set} />
    </>
  ),
  url: ({ fields, set }) => (
    <>
      <Field
        label="URL"
        value={fields.place}
        onInput={place => set({ place })}
        required
        placeholder="https://"
      />
      <Name fields={fields} set={set} />
    </>
  ),
  text: ({ fields, set }) => (
    <>
      <Field label="Text" rows={8} value={fields.place} onInput={place => set({ place })} required />
      <Name fields={fields} set={set} />
    </>
  ),
  folder: ({ fields, set }) => (
    <>
      <Folder fields={fields} set={set} />
      <Field
        label="Files"
        rows={2}
        value={fields.more}
        onInput={more => set({ more })}
        hint="Patterns, one per line. Default: **/*.md and **/*.txt."
      />
      <Name fields={fields} set={set} />
    </>
  ),
}

function Name({ fields, set }: FormProps) {
  return <Field label="Name" value={fields.name} onInput={name => set({ name })} hint="Optional." />
}

/** The source's folder. */
function Folder({ fields, set }: FormProps) {
  return (
    <FolderField
      label="Folder"
      value={fields.place}
      onInput={place => set({ place })}
      hint="The full path on the machine of the daemon."
      required
    />
  )
}

/** The name of a secret, never its value. */
function Token({ fields, set, hint }: FormProps & { hint: string }) {
  const names = useLoaded(
    signal => (may('modify') ? call('GET /api/secrets', {}, { signal }) : undefined),
    [],
  )
  return (
    <Field
      label="Token"
      value={fields.token}
      onInput={token => set({ token })}
      choices={names.value?.secrets ?? []}
      hint={
        <>
          {hint} Enter the name of a <a href={addressOf('secrets')}>secret</a>, not the token itself.
        </>
      }
    />
  )
}

/** Add a source, and return the address of its page. */
const adders: Readonly<Record<Kind, (fields: Fields) => Promise<string>>> = {
  [sourceKind.obsidian]: ({ place, more, name }) =>
    placeOfSource(
      call('POST /api/sources/notevault', {
        body: { path: place.trim(), excludeGlobs: linesOf(more), name: optional(name) },
      }),
    ),
  [sourceKind.github]: ({ place, token, name }) =>
    placeOfSource(
      call('POST /api/sources/coderepo', {
        body: { repos: listOf(place), tokenRef: optional(token), name: optional(name) },
      }),
    ),
  [sourceKind.discord]: ({ place, more, token, name }) =>
    placeOfSource(
      call('POST /api/sources/chatguild', {
        body: {
          guildIds: listOf(place),
          channelFilter: linesOf(more),
          tokenRef: optional(token),
          name: optional(name),
        },
      }),
    ),
  url: ({ place, name }) => addDocument({ source_type: 'url', url: place.trim(), title: optional(name) }),
  text: ({ place, name }) => addDocument({ source_type: 'text', content: place, title: optional(name) }),
  folder: async ({ place, more, name }) => {
    const patterns = linesOf(more)
    const settings = { rootPath: place.trim(), ...(patterns.length > 0 && { patterns }) }
    const body = { provider: 'filesystem' as const, displayName: optional(name), settings }
    const { id } = await call('POST /api/connectors', { body })
    await call('POST /api/connectors/:id/sync', { params: { id } })
    return addressOf('sources', ['connectors', id])
  },
}

function optional(text: string): string | undefined {
  return text.trim() || undefined
}

async function placeOfSource(adding: Promise<Reply<'POST /api/sources/notevault'>>): Promise<string> {
  const { id, agentId } = (await adding).source
  return addressOf('sources', ['source', id], { agent: agentId })
}

async function addDocument(body: NonNullable<Request<'POST /api/documents'>['body']>): Promise<string> {
  const { id } = await call('POST /api/documents', { body })
  return addressOf('sources', ['documents', id])
}

/** Splits a text into non-empty lines. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
}

/** Splits a text at white space and commas. */
function listOf(text: string): string[] {
  return text.split(/[\s,]+/u).filter(Boolean)
}
