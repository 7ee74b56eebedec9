/** sdk.upgrade.v1beta1.Query */
import { Query } from '../../gen/sdk/upgrade/v1beta1/query_pb.ts'
import * as address from '../../identity/address.ts'
import { EMPTY } from '../../primitives/bytes.ts'
import { governance } from '../../sdk/authority.ts'
import { errors } from '../../sdk/errors.ts'
import { defineQueries } from '../../sdk/module.ts'
import { wrongField } from '../../sdk/request.ts'
import * as upgrade from './keeper.ts'
import * as state from './state.ts'

export const queries = defineQueries(Query, {
  currentPlan(ctx) {
    const plan = state.plan.get(ctx)
    return plan ? { plan } : {}
  },
  /** Returns height 0 for an unknown name (D49). */
  appliedPlan(ctx, { name }) {
    if (name === '') throw wrongField('name', 'name cannot be empty')
    return { height: upgrade.doneHeight(ctx, name) ?? 0n }
  },
  upgradedConsensusState(ctx, { lastHeight }) {
    return { upgradedConsensusState: state.upgradedConsensusState(lastHeight).get(ctx) ?? EMPTY }
  },
  moduleVersions(ctx, { moduleName }) {
    if (moduleName === '') {
      const all = [...upgrade.moduleVersions(ctx)]
      return { moduleVersions: all.map(([name, version]) => ({ name, version: BigInt(version) })) }
    }
    const version = upgrade.moduleVersion(ctx, moduleName)
    if (version === undefined) {
      throw errors.notFound(`x/upgrade: QueryModuleVersions module ${moduleName} not found`)
    }
    return { moduleVersions: [{ name: moduleName, version: BigInt(version) }] }
  },
  authority: (ctx) => ({ address: address.format(ctx, governance) }),
})
