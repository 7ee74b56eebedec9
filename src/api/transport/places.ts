/** Places that the clients of a process share: one address can take most of them, but leaves some for others. */

/** The reason why a client gets no place. */
type Full = 'all' | 'address'

export interface Places {
  /** Takes a place for an address. Returns undefined if it has one now, else what is full. */
  take(address: string): Full | undefined
  /** Gives back places of an address. */
  release(address: string, count?: number): void
}

/** Creates places, of which one address can have `ofAddress`. */
export function createPlaces(all: number, ofAddress: number): Places {
  const taken = new Map<string, number>()
  let total = 0
  return {
    take(address) {
      const own = taken.get(address) ?? 0
      if (total >= all) return 'all'
      if (own >= ofAddress) return 'address'
      taken.set(address, own + 1)
      total++
      return undefined
    },
    release(address, count = 1) {
      const left = (taken.get(address) ?? 0) - count
      if (left > 0) taken.set(address, left)
      else taken.delete(address)
      total -= count
    },
  }
}
