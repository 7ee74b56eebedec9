/** `net_`: the network a wallet believes itself on. */
import { type Methods, method } from './method.ts'

export const netMethods: Methods = {
  net_version: method([], ({ node }) => node.evmChainId.toString()),
  net_listening: method([], () => true),
  net_peerCount: method([], () => '0x0'),
}
