/** `web3_`: who answers, and Keccak-256. */
import { formatHex0x } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { type Methods, method } from './method.ts'
import { bytes } from './params.ts'

export const web3Methods: Methods = {
  web3_clientVersion: method([], ({ node }) => `Almanac/v${node.settings.version}/node`),
  web3_sha3: method([bytes], (_call, data) => formatHex0x(keccak256(data))),
}
