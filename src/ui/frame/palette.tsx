import { useEffect, useId, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { chosenProject, useProjects } from '../api/projects.js'
import { may } from '../api/session.js'
import { Dialog } from '../parts/dialog.js'
import { isPaletteOpen, openPalette } from '../parts/palette-state.js'
import { showFailure, showMessage } from '../parts/toast.js'
import { useDebounced } from '../parts/use-interval.js'
import { addressOf } from '../routing/place.js'
import { navigate, type Page } from '../routing/router.js'
import { runDreaming } from './run-dreaming.js'

const maxHits = 8

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
interface Entry {
  id: string
  group: 'Go to' | 'Project' | 'Found' | 'Do'
  label: string
  hint?: string
  /** What Enter does, if it is not to open. */
  deed?: string
  run: () => void | Promise<void>
  more?: readonly More[]
}

type Hit = Reply<'POST /api/search'>['items'][number] & {
  /** Project and author. */
  where: string
}

interface Choice {
  text: string
  pages: readonly Page[]
  projects: readonly { key: string; name: string }[]
  hits: readonly Hit[]
}

function closePalette(): void {
  isPaletteOpen.value = false
}

/** Ctrl-K or Cmd-K opens it, also while typing: go to a page, find anything, save, switch the project. */
export function Palette({ pages }: { pages: readonly Page[] }) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isMeant = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k'
      if (!isMeant || !may('recall') || document.querySelector('dialog[open]')) return
      event.preventDefault()
      openPalette()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return isPaletteOpen.value ? <OpenPalette pages={pages} /> : null
}

function OpenPalette({ pages }: { pages: readonly Page[] }) {
  const [text, setText] = useState('')
  const [wanted, setAt] = useState(0)
  const list = useId()
  const entries = useEntries(text, pages)
  const at = Math.max(0, Math.min(wanted, entries.length - 1))
  const current = entries[at]
  const run = (action: () => void | Promise<void>) => {
    closePalette()
    Promise.resolve(action()).catch(showFailure)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const more = event.altKey && current?.more?.find(({ code }) => code === event.code)
    if (step === undefined && !more) return
    event.preventDefault()
    if (more) run(more.run)
    else if (step) setAt((at + step + entries.length) % Math.max(1, entries.length))
  }
  const onSubmit = (event: Event) => {
    event.preventDefault()
    if (current) run(current.run)
  }
  return (
    <Dialog title="Search or do" onClose={closePalette}>
      <form class="palette" onSubmit={onSubmit}>
        <input
          class="search"
          role="combobox"
          aria-label="Search or do"
          aria-expanded={entries.length > 0}
          aria-controls={list}
          aria-activedescendant={current && `${list}-${at}`}
          placeholder="A page, a memory, a project, or what to save"
          autocomplete="off"
          value={text}
          onInput={event => {
            setText(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={onKey}
        />
        <Options list={list} entries={entries} at={at} onPick={run} />
        <Keys current={current} />
      </form>
    </Dialog>
  )
}

interface OptionsProps {
  list: string
  entries: readonly Entry[]
  at: number
  onPick: (action: Entry['run']) => void
}

function Options({ list, entries, at, onPick }: OptionsProps) {
  return (
    <div id={list} role="listbox" aria-label="Results" class="palette-list" tabIndex={-1}>
      {entries.map((entry, index) => (
        <Option
          key={entry.id}
          id={`${list}-${index}`}
          entry={entry}
          isCurrent={index === at}
          isFirst={entries[index - 1]?.group !== entry.group}
          onPick={() => onPick(entry.run)}
        />
      ))}
    </div>
  )
}

function Keys({ current }: { current: Entry | undefined }) {
  return (
    <p class="dim palette-keys">
      <kbd>↑</kbd> <kbd>↓</kbd> choose, <kbd>Enter</kbd> {current?.deed ?? 'open'}
      {current?.more?.map(({ code, name, does }) => (
        <span key={code}>
          , <kbd>{name}</kbd> {does}
        </span>
      ))}
    </p>
  )
}

interface OptionProps {
  id: string
  entry: Entry
  isCurrent: boolean
  /** It begins its group. */
  isFirst: boolean
  onPick: () => void
}

function Option({ id, entry: { group, label, hint }, isCurrent, isFirst, onPick }: OptionProps) {
  useEffect(() => {
    if (isCurrent) document.getElementById(id)?.scrollIntoView({ block: 'nearest' })
  }, [id, isCurrent])
  return (
    <>
      {isFirst && (
        <div class="dim palette-group" role="presentation">
          {group}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and its keys choose */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the same */}
      <div id={id} role="option" aria-selected={isCurrent} class="palette-option" onClick={onPick}>
        <span class="clip">{label}</span>
        {hint && <span class="dim clip">{hint}</span>}
      </div>
    </>
  )
}

/** Entries that fit the text, in the order shown. */
function useEntries(text: string, pages: readonly Page[]): Entry[] {
  const asked = useDebounced(text.trim(), 120)
  const project = chosenProject.value
  const { projects, nameOf } = useProjects()
  const found = useLoaded(
    signal =>
      asked === ''
        ? undefined
        : call('POST /api/search', { body: { query: asked, project, limit: maxHits } }, { signal }),
    [asked, project],
  )
  const hits = (text.trim() === '' ? [] : (found.value?.items ?? [])).map(
    (item): Hit => ({
      ...item,
      where: [nameOf(item.project), item.who && labelOf('harness', item.who)].filter(Boolean).join(', '),
    }),
  )
  return entriesFor({ text: text.trim(), pages, projects, hits })
}

/** Pages and actions without a text; with one, the pages that it names, hits of a search, and actions. */
function entriesFor({ text, pages, projects, hits }: Choice): Entry[] {
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
