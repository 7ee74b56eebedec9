/** Finds the page of a text that was typed into the search box. */
import { readAddress } from '../format/address.ts'

const TAKES =
  'It takes a height, the hash of a block or a transaction (64 hexadecimal digits), an address (0x… or Bech32), a denom, a pair such as ubtc:uusd, a validator, a proposal id or the name of a contract.'

/** Returns the path of the page. Rejects with an error that says what the box takes. */
export async function findTarget(text: string): Promise<string> {
  const asked = text.trim()
  if (/^\d+$/.test(asked)) return `/block/${BigInt(asked)}`
  if (readAddress(asked)) return `/account/${asked}`
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(asked)) return `/tx/${asked}`
  throw new Error(`Nothing was found for “${asked}”. ${TAKES}`)
}
