const most = 1000

/** A function of a text that keeps what it made, for texts of which few come again and again; with more it starts over. */
export function kept<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>()
  return text => {
    const known = made.get(text)
    if (known !== undefined) return known
    if (made.size >= most) made.clear()
    const result = make(text)
    made.set(text, result)
    return result
  }
}
