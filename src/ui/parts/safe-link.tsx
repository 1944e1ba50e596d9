/** An address of others as a link where it is one of the web; anything else (`javascript:`, `data:`) stays a text. */
export function SafeLink({ address }: { address: string }) {
  return isOfTheWeb(address) ? (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {address}
    </a>
  ) : (
    <span>{address}</span>
  )
}

function isOfTheWeb(address: string): boolean {
  return URL.canParse(address) && ['http:', 'https:'].includes(new URL(address).protocol)
}
