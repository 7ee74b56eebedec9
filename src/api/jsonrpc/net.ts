/** `net_`: the network of the node. */
import { anyMethod, type Methods } from './method.ts'

export const netMethods: Methods = {
  net_version: anyMethod([], ({ node }) => node.evmChainId.toString()),
  net_listening: anyMethod([], () => true),
  net_peerCount: anyMethod([], () => '0x0'),
}
