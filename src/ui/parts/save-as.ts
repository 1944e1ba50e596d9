/** Downloads a file that was created in the page. */
export function saveAs(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has started the download by the next turn.
  setTimeout(() => URL.revokeObjectURL(address))
}
