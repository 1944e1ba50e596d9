const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Formats a count with its noun: `1 memory`, `12 memories`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** Formats a page of a list: `12 memories` when it shows all, otherwise `21-40 of 90 memories`. */
export function rangeOf(
  { offset, shown, total }: { offset: number; shown: number; total: number },
  all: string,
): string {
  return offset === 0 && shown === total ? all : `${offset + 1}-${offset + shown} of ${all}`
}

/** Says which private parts a save lost; empty if it lost none and each opening tag has an end. */
export function privateNote(
  lost: { parts: number; characters: number; unclosed: number } | undefined,
): string {
  const notes = [
    lost?.parts
      ? `Left out ${countOf(lost.parts, 'private part')} (${countOf(lost.characters, 'character')}).`
      : '',
    lost?.unclosed ? 'Kept the text after a private tag without an end tag.' : '',
  ]
  return notes.filter(Boolean).join(' ')
}

/** @returns for example `12.3 MiB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const value = bytes / 1024 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${byteUnits[power]}`
}
