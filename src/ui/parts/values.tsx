import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { formatAge } from '../../lib/time/age.js'
import './short-id.css'
import { showFailure, showMessage } from './toast.js'

const tickMs = 30_000
const now = signal(Date.now())

/** A longer one is cut; keys that people chose are shorter. */
const wholeLength = 20
const shownLength = 8

/** Colours of health states. */
export const healthTones = { healthy: 'good', degraded: 'warn', unhealthy: 'bad' } as const

setInterval(() => {
  now.value = Date.now()
}, tickMs)

/** A relative time, with the exact one on hover and for screen readers; a dash if it is missing. */
export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="dim">–</span>
  // A time after the last tick must not appear to be in the future.
  const age = formatAge(at, Math.max(now.value, Math.min(Date.parse(at), Date.now())))
  return (
    <time dateTime={at} title={exact(at)}>
      {age}
    </time>
  )
}

function exact(at: string): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime())
    ? at
    : date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })
}

interface LongTextProps {
  label: string
  text: string
  /** Scrolls to the end while the text grows. */
  followsEnd?: boolean
}

/** A long text in a scrollable box. */
export function LongText({ label, text, followsEnd = false }: LongTextProps) {
  const box = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the text changes
  useEffect(() => {
    if (followsEnd) box.current?.scrollTo(0, box.current.scrollHeight)
  }, [text, followsEnd])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, only a focused element scrolls
    <section ref={box} class="long-text" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  )
}

/** One item of a list of facts (`<dl class="facts">`). */
export function Fact({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A foreign address as a link if it is a web address; any other (`javascript:`, `data:`) remains text. */
export function SafeLink({ address }: { address: string }) {
  return isOfTheWeb(address) ? (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {address}
    </a>
  ) : (
    <span>{address}</span>
  )
}

function isOfTheWeb(address: string): boolean {
  return URL.canParse(address) && ['http:', 'https:'].includes(new URL(address).protocol)
}

/** Formats a count with its noun and thousands separators: `12,000 memories`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`
}

/** The end of an id, by which commands accept it; the whole id is its title, and a click copies it. */
export function ShortId({ id }: { id: string }) {
  const copy = (event: Event) => {
    event.stopPropagation()
    copyText(id, 'Id copied')
  }
  return (
    <button type="button" class="short-id" title={id} onClick={copy}>
      <span class="unseen">Copy the id </span>
      {id.length > wholeLength ? id.slice(-shownLength) : id}
    </button>
  )
}

/** A command for the terminal with a button that copies it. */
export function Command({ text }: { text: string }) {
  return (
    <span class="command">
      <code class="words">{text}</code>
      <button type="button" class="plain" aria-label={`Copy ${text}`} onClick={() => copyText(text)}>
        Copy
      </button>
    </span>
  )
}

/** Copies a text and says so, or that the browser does not allow it, as without a secure context. */
function copyText(text: string, done = 'Copied'): void {
  const refused = () => showFailure(new Error(`The browser does not allow copying. Copy it by hand: ${text}`))
  const copied = navigator.clipboard?.writeText(text) ?? Promise.reject()
  copied.then(() => showMessage(done), refused)
}
