import { displayWidth } from '../terminal/text.js'

/** Props of an Ink text in a colour; none where there are no colours. */
export function tint(color: boolean, name: 'cyan' | 'green' | 'red' | 'yellow') {
  return color ? { color: name } : {}
}

/** The end of a text that is being typed: the place of the cursor stays in view. */
export function tailOf(text: string, width: number): string {
  const parts = [...text]
  while (displayWidth(parts.join('')) > width) parts.shift()
  return parts.join('')
}
