/** An archive that is not taken, in words for whoever named it. */
export class ArchiveFault extends Error {
  override name = 'ArchiveFault'
}
