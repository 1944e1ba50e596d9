const beyond = /[^\0-\x7f]/

/** Whether a text has nothing that needs Unicode: no accents, no letters that look like others, nothing undrawn. */
export function isAscii(text: string): boolean {
  return !beyond.test(text)
}
