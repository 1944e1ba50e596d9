import { useEffect, useId, useState } from 'preact/hooks'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { chosenProject } from '../api/chosen-project.js'
import { useLoaded } from '../api/loaded.js'
import { useProjects } from '../api/project-names.js'
import { may } from '../api/session.js'
import { Dialog } from '../parts/dialog.js'
import { isPaletteOpen, openPalette } from '../parts/palette-state.js'
import { showFailure } from '../parts/toast.js'
import { useDebounced } from '../parts/use-interval.js'
import type { Page } from '../routing/router.js'
import { type Entry, entriesFor, type Hit } from './palette-entries.js'

const maxHits = 8

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
