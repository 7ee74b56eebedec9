/** The log of fee shares that could not be paid: the chain itself continues without an error. */
import type { Driver } from '../consensus/driver.ts'
import { EventPayoutFailedDevGasSchema } from '../gen/chain/devgas/v1/devgas_pb.ts'
import type { Identity } from '../identity/types.ts'
import type { Log } from './log.ts'

/** Logs each failed payout of every block. Returns a function that ends the watch. */
export function logFailedPayouts(
  { identity, driver }: { identity: Identity; driver: Pick<Driver, 'onBlock'> },
  log: Log,
) {
  const failed = identity.toProfileName(EventPayoutFailedDevGasSchema.typeName)
  return driver.onBlock(({ header, results }) => {
    for (const { events } of results) {
      for (const { type, attributes } of events) {
        if (type !== failed) continue
        const fields = Object.fromEntries(attributes.map(({ key, value }) => [key, JSON.parse(value) as string]))
        log('error', 'a share of fees could not be paid to its withdrawer', { height: header.height, ...fields })
      }
    }
  })
}
