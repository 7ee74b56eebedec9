/** The key by which the engine of a node is known to its peers, and its file in CometBFT's format. */
import { concat, formatBase64, formatHex } from '../../primitives/bytes.ts'
import { parseEngineKey, type ValidatorKey } from '../validator-key.ts'

/** Returns the text of `node_key.json`. */
export function formatPeerKey({ seed, publicKey }: ValidatorKey): string {
  const file = { priv_key: { type: 'tendermint/PrivKeyEd25519', value: formatBase64(concat(seed, publicKey)) } }
  return `${JSON.stringify(file)}\n`
}

/** Parses `node_key.json`. Throws `failedPrecondition` if the text contains no key. */
export const parsePeerKey = (text: string, path: string): ValidatorKey => parseEngineKey(text, path, 'node key')

/** Returns the id of a peer with a key: its address, 40 hexadecimal digits. */
export function peerIdOf({ address }: Pick<ValidatorKey, 'address'>): string {
  return formatHex(address)
}
