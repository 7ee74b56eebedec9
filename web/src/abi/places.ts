/** The addresses at which contracts of dropped artifacts were seen, by name. They are kept until the tab is closed, as artifacts are. */
const KEY = 'console.places'
/** Names that are kept. Beyond: the earliest one is forgotten. */
const MAX_PLACES = 100

function all(): Readonly<Record<string, string>> {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, string>
  } catch {
    return {}
  }
}

/** Returns the address at which a contract of this name was seen last, in any case of its letters. */
export const placeOf = (name: string): string | undefined => new Map(Object.entries(all())).get(name.toLowerCase())

/** Notes the address of a contract. */
export function notePlace(name: string, address: string): void {
  const { [name.toLowerCase()]: _, ...others } = all()
  const kept = Object.entries(others).slice(-MAX_PLACES + 1)
  try {
    sessionStorage.setItem(KEY, JSON.stringify(Object.fromEntries([...kept, [name.toLowerCase(), address]])))
  } catch {
    // A full storage keeps what it has.
  }
}
