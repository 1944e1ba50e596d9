interface RemovalReply {
  status: string
  currentVersion?: number | undefined
  newVersion?: number | undefined
}

/**
 * Returns whether a forgotten memory still has other holders: then its version is unchanged
 * (rules.md#holders).
 */
export function hasOtherHolders({ status, currentVersion, newVersion }: RemovalReply): boolean {
  return status === 'deleted' && newVersion !== undefined && newVersion === currentVersion
}
