/** Places that the clients of a process share: one address can take most of them, but leaves some for others. */

/** The reason why a client gets no place. */
type Full = 'all' | 'address'

export interface Places {
  /** Takes places for an address. Returns undefined if it has all of them now, else what is full. */
  take(address: string, count?: number): Full | undefined
  /** Gives back places of an address. */
  release(address: string, count?: number): void
}

/** Creates places, of which one address can have `ofAddress`. */
export function createPlaces(all: number, ofAddress: number): Places {
  const taken = new Map<string, number>()
  let total = 0
  return {
    take(address, count = 1) {
      const own = (taken.get(address) ?? 0) + count
      if (total + count > all) return 'all'
      if (own > ofAddress) return 'address'
      if (own > 0) taken.set(address, own)
      total += count
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
