import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { chosenProject } from '../api/chosen-project.js'
import { may } from '../api/session.js'
import { showMessage } from '../parts/toast.js'
import { addressOf } from '../routing/place.js'
import { navigate, type Page } from '../routing/router.js'
import { runDreaming } from './run-dreaming.js'

/** A further action on an entry, by a key with Alt. */
interface More {
  /** `KeyboardEvent.code`: on some keyboards Alt changes the letter. */
  code: string
  /** The keys as shown. */
  name: string
  does: string
  run: () => Promise<void>
}

/** A row of the palette. */
export interface Entry {
  id: string
  group: 'Go to' | 'Project' | 'Found' | 'Do'
  label: string
  hint?: string
  /** What Enter does, if it is not to open. */
  deed?: string
  run: () => void | Promise<void>
  more?: readonly More[]
}

export type Hit = Reply<'POST /api/search'>['items'][number] & {
  /** Project and author. */
  where: string
}

interface Choice {
  text: string
  pages: readonly Page[]
  projects: readonly { key: string; name: string }[]
  hits: readonly Hit[]
}

/** Pages and actions without a text; with one, the pages that it names, hits of a search, and actions. */
export function entriesFor({ text, pages, projects, hits }: Choice): Entry[] {
  const words = text.toLowerCase().split(/\s+/u)
  const isNamed = ({ label }: Entry) => words.every(word => label.toLowerCase().includes(word))
  const named = [...pages.map(pageEntry), ...projectEntries(projects, text !== '')].filter(isNamed)
  const found = hits.map(hit => hitEntry(hit))
  if (text === '') return [...dreamEntries(), ...named]
  // Hits arrive after the typing, and must not change the effect of Enter.
  return [...named, searchEntry(text), ...found, ...saveEntries(text), ...dreamEntries().filter(isNamed)]
}

function pageEntry({ name, title }: Page): Entry {
  return { id: `page ${name}`, group: 'Go to', label: title, run: () => navigate(addressOf(name)) }
}

function projectEntries(projects: Choice['projects'], isAsked: boolean): Entry[] {
  const switchTo = (key: string | undefined, label: string): Entry => ({
    id: `project ${key ?? ''}`,
    group: 'Project',
    label,
    deed: 'switch',
    run: () => {
      chosenProject.value = key
    },
  })
  const others = projects.filter(({ key }) => key !== chosenProject.value)
  return [
    ...(chosenProject.value === undefined ? [] : [switchTo(undefined, 'All projects')]),
    ...(isAsked ? others.map(({ key, name }) => switchTo(key, `Switch to ${name}`)) : []),
  ]
}

function hitEntry({ kind, id, title, where }: Hit): Entry {
  return {
    id: `hit ${kind} ${id}`,
    group: 'Found',
    label: title,
    hint: [kind, where].filter(Boolean).join(', '),
    run: () => navigate(kind === 'memory' ? addressOf('memories', [id]) : addressOf('search', [id])),
    ...(kind === 'memory' && { more: [...pinActions(id), ...forgetActions(id)] }),
  }
}

function pinActions(id: string): More[] {
  if (!may('modify')) return []
  const pin = async (pinned: boolean) => {
    await call('PATCH /api/memory/:id', {
      params: { id },
      body: { reason: 'pinned on the web page', pinned },
    })
    changes.value++
  }
  const run = () => pin(true).then(() => showMessage('Pinned', () => pin(false)))
  return [{ code: 'KeyP', name: 'Alt P', does: 'pin', run }]
}

function forgetActions(id: string): More[] {
  if (!may('forget')) return []
  const recover = async () => {
    await call('POST /api/memory/recover', { body: { ids: [id], reason: 'forgotten by mistake' } })
    changes.value++
  }
  const run = async () => {
    const body = { reason: 'forgotten on the web page' }
    await call('DELETE /api/memory/:id', { params: { id }, body })
    changes.value++
    showMessage('Forgot 1', may('recover') ? recover : undefined)
  }
  return [{ code: 'KeyX', name: 'Alt X', does: 'forget', run }]
}

function searchEntry(text: string): Entry {
  const run = () => navigate(addressOf('search', [], { q: text }))
  return { id: 'search', group: 'Do', label: `Search everything for “${text}”`, deed: 'search', run }
}

function saveEntries(text: string): Entry[] {
  if (!may('remember')) return []
  const label = `Save a memory: “${text}”`
  return [{ id: 'save', group: 'Do', label, deed: 'save', run: () => save(text) }]
}

function dreamEntries(): Entry[] {
  if (!may('admin')) return []
  const label = 'Run Dreaming: read memories and conversations for facts'
  return [{ id: 'dream', group: 'Do', label, deed: 'run', run: runDreaming }]
}

/** Saves a memory of the chosen project; undo forgets it, unless it was saved before. */
async function save(content: string): Promise<void> {
  const project = chosenProject.value
  const { id, type, deduped } = await call('POST /api/memory/remember', {
    body: { content, ...(project && { project }) },
  })
  changes.value++
  const undo = async () => {
    await call('DELETE /api/memory/:id', { params: { id }, body: { reason: 'saved by mistake' } })
    changes.value++
  }
  if (deduped) showMessage('Already saved')
  else showMessage(`Saved as ${labelOf('memoryType', type)}`, may('forget') ? undo : undefined)
}
