import { shortestSecret, tellableLength } from '../../contract/secrets/shortest-secret.js'
import { printNote } from '../terminal/output.js'

/** Says which of the values no command will get; settings and sources may use them all the same. */
export function noteShort(entries: readonly { name: string; value: string }[]): void {
  const names = entries.filter(({ value }) => tellableLength(value) < shortestSecret).map(({ name }) => name)
  if (names.length > 0)
    printNote(
      `${names.join(', ')}: fewer than ${shortestSecret} characters. memory secrets exec gives no command so short a value: taking it out of the output would mask other text.`,
    )
}
