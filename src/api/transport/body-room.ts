/** Room for request bodies that arrive in parts: a flood of them waits with its clients, unread, and costs nothing. */

/** Size of the bodies of one address that arrive at a time. Beyond: its further ones are read once those have arrived or ended. */
const MAX_BYTES = 16 * 1024 * 1024

export interface BodyRoom {
  /**
   * Calls `begin` when there is room for a body of an address, or at once if the address has no other. Returns the function that ends the
   * body, or its wait.
   */
  enter(address: string, sizeBytes: number, begin: () => void): () => void
}

interface Place {
  usedBytes: number
  /** Bodies that have room. */
  count: number
  readonly waiting: Set<{ readonly sizeBytes: number; readonly begin: () => void }>
}

/** Creates the room of one process, of `limitBytes` for each address. */
export function createBodyRoom(limitBytes = MAX_BYTES): BodyRoom {
  const places = new Map<string, Place>()

  const hasRoom = ({ count, usedBytes }: Place, sizeBytes: number): boolean =>
    count === 0 || usedBytes + sizeBytes <= limitBytes

  /** Begins the bodies for which there is room, in their order. */
  function proceed(place: Place): void {
    for (const body of place.waiting) {
      if (!hasRoom(place, body.sizeBytes)) return
      place.waiting.delete(body)
      place.usedBytes += body.sizeBytes
      place.count++
      body.begin()
    }
  }

  return {
    enter(address, sizeBytes, begin) {
      const place = places.get(address) ?? { usedBytes: 0, count: 0, waiting: new Set() }
      places.set(address, place)
      const body = { sizeBytes, begin }
      let isOver = false
      place.waiting.add(body)
      proceed(place)
      return () => {
        if (isOver) return
        isOver = true
        if (!place.waiting.delete(body)) {
          place.usedBytes -= sizeBytes
          place.count--
        }
        proceed(place)
        if (place.count === 0) places.delete(address)
      }
    },
  }
}

/** The room of this process. */
export const bodyRoom = createBodyRoom()
