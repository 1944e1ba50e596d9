export interface System {
  platform: string
  arch: string
}

/** Returns files and folders below `root` that no driver of this system needs. */
export function surplusOf(root: string, system?: System): string[]

/** Removes them. */
export function trimDrivers(root: string): void
