/** A foreign address as a link if it is a web address; any other (`javascript:`, `data:`) remains text. */
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
