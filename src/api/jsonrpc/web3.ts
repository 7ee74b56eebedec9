/** `web3_`: who answers, and Keccak-256. */
import { formatHex0x } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import type { GatewayNode } from '../gateway.ts'
import { type Methods, method } from './method.ts'
import { bytes } from './params.ts'

/** Who answers. The helpers of Hardhat refuse any development chain whose name does not begin as one they know. */
export function clientVersion({ settings, driver }: GatewayNode): string {
  return `${driver.development ? 'anvil/compatible/' : ''}Almanac/v${settings.version}/node`
}

export const web3Methods: Methods = {
  web3_clientVersion: method([], ({ node }) => clientVersion(node)),
  web3_sha3: method([bytes], (_call, data) => formatHex0x(keccak256(data))),
}
