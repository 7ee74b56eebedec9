/** Turns of the clients of API workers on the main thread, so that a batch of transactions does not keep the others waiting. */
import { turns as ownTurns, type Share, type Turns } from '../../api/transport/turns.ts'

/** Clients whose used time is known. Beyond: all count as new. */
const MAX_CLIENTS = 10_000

/** Returns a promise to await before a request of a client runs; undefined if it can run at once. */
export type TakeTurn = (client: string) => Promise<void> | undefined

/** Creates the turns of clients by their address. The requests of one client keep their order. */
export function createClientTurns(turns: Pick<Turns, 'share' | 'take'> = ownTurns): TakeTurn {
  const shares = new Map<string, Share>()
  return (client) => {
    let share = shares.get(client)
    if (!share) {
      if (shares.size >= MAX_CLIENTS) shares.clear()
      share = turns.share(client)
      shares.set(client, share)
    }
    return turns.take(share)
  }
}
