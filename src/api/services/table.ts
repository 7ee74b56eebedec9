/** All services that no module owns. */
import { nodeService } from './node.ts'
import type { Environment, ServiceTable } from './service.ts'
import { tendermintService } from './tendermint.ts'
import { txService } from './tx.ts'

/** Their handlers by neutral method path, for the dispatch. */
export function createServices(environment: Environment): ServiceTable {
  return { ...txService(environment), ...nodeService(environment), ...tendermintService(environment) }
}
