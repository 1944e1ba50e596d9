const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** @returns for example `12.3 MiB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const value = bytes / 1024 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${byteUnits[power]}`
}
