/** `web3_`: the version of the node, and Keccak-256. */
import { formatHex0x } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import type { GatewayNode } from '../gateway.ts'
import { anyMethod, type Methods } from './method.ts'
import { bytes } from './params.ts'

/** Returns name and version of the node. The helpers of Hardhat accept only development chains with a known name. */
export function clientVersion({ settings, print }: GatewayNode): string {
  return `${print ? 'anvil/compatible/' : ''}Almanac/v${settings.version}/node`
}

export const web3Methods: Methods = {
  web3_clientVersion: anyMethod([], ({ node }) => clientVersion(node)),
  web3_sha3: anyMethod([bytes], (_call, data) => formatHex0x(keccak256(data))),
}
