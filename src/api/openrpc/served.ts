/** The OpenRPC document of all methods of JSON-RPC that a node has, whatever a transport leaves out. */
import type { GatewayNode } from '../gateway.ts'
import { methodTable } from '../jsonrpc/server.ts'
import type { Json } from './document.ts'
import { ethereumDocument } from './ethereum.ts'

export function servedDocument(node: GatewayNode): Json {
  return ethereumDocument(Object.keys(methodTable(node, {})), node.settings.version)
}
