const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** `1.5 MiB`. */
export function sizeWords(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${value.toLocaleString(undefined, { maximumFractionDigits: power === 0 ? 0 : 1 })} ${units[power]}`
}
