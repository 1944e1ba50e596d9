import { copyText } from '../command.js'
import './short-id.css'

/** A longer one is cut; keys that people chose are shorter. */
const wholeLength = 20
const shownLength = 8

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
