interface Removed {
  status: string
  currentVersion?: number | undefined
  newVersion?: number | undefined
}

/**
 * Whether a memory that was forgotten lives on with others who hold it: then it has no new version (rules.md#holders).
 */
export function isKeptByOthers({ status, currentVersion, newVersion }: Removed): boolean {
  return status === 'deleted' && newVersion !== undefined && newVersion === currentVersion
}
