/** Why an archive is rejected, in words for the person who named it. */
export class ArchiveFault extends Error {
  override name = 'ArchiveFault'
}

/** An archive that none of the given keys opens. */
export class SealedFault extends ArchiveFault {
  override name = 'SealedFault'
}

/** First entry: the archive's description. */
export const headerName = 'backup.json'
/** Last entry: sizes and checksums of all files. */
export const manifestName = 'manifest.json'
/** Prefix of every workspace file in the archive. */
export const prefix = 'workspace/'
