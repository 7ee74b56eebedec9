/** All services that no module owns. */
import { queryError } from '../../primitives/errors.ts'
import { nodeService } from './node.ts'
import { appReflection, fileReflection, interfaceReflection } from './reflection.ts'
import type { Environment, ServiceTable } from './service.ts'
import { tendermintService } from './tendermint.ts'
import { txService } from './tx.ts'

/** Returns the handlers of all services by neutral method path, for the dispatch. */
export function createServices(environment: Environment): ServiceTable {
  return {
    ...switchedBySetting(txService(environment), environment),
    ...nodeService(environment),
    ...tendermintService(environment),
    ...interfaceReflection(environment),
    ...appReflection(environment),
    ...fileReflection(environment),
  }
}

/** Adds the check of the setting that switches the transaction service off in every protocol (D37). */
function switchedBySetting(table: ServiceTable, environment: Environment): ServiceTable {
  const entries = Object.entries(table).map(([path, handle]): [string, ServiceTable[string]] => [
    path,
    (request, options) => {
      if (!environment().node.settings.txServiceEnabled) {
        throw queryError('unimplemented', 'the transaction service is switched off (api.tx)')
      }
      return handle(request, options)
    },
  ])
  return Object.fromEntries(entries)
}
