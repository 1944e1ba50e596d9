/** Hands a file that was made here to the browser, which keeps it where the reader keeps such files. */
export function saveAs(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken hold of it by the next turn.
  setTimeout(() => URL.revokeObjectURL(address))
}
