/** Why an archive is rejected, in words for the person who named it. */
export class ArchiveFault extends Error {
  override name = 'ArchiveFault'
}
